/**
 * Reads JSON text from outside as `JSON.parse` would, and bounded: too long, too deep or too many values are refused
 * before they cost anything, and so is a key that occurs twice in one object, of which `JSON.parse` keeps the last
 * without a word. Objects inherit nothing.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Reason, reasonOf } from "./internal/jsonFault.ts"
import { defaultLimits, type Limits } from "./internal/jsonLimits.ts"
import { JsonReader } from "./internal/jsonReader.ts"

/** Why a text was not read. A position is an index into the text. */
export type Refusal = Reason

/** The one value that the text is. */
export const read = (text: string, limits: Limits = defaultLimits): Result.Result<Schema.Json, Refusal> => {
  if (text.length > limits.characters) return Result.fail({ code: "too_large" })
  return Result.try({ try: () => readWhole(text, limits), catch: reasonOf })
}

const readWhole = (text: string, limits: Limits): Schema.Json => {
  const reader = new JsonReader(text, { range: [0, text.length], isTolerant: false, limits })
  const value = reader.read()
  reader.skip()
  return reader.isAtEnd ? value : reader.fail()
}
