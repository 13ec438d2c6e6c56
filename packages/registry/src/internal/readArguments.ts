/** Reads the arguments of one call, whatever a model may have sent. */
import * as JsonGuard from "@haft/core/JsonGuard"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { LoweredTool } from "./lowerTool.ts"
import { read } from "./readDialect.ts"
import { isJsonObject } from "./shape.ts"

/** What is no JSON object within the limits goes on as it came, and is refused where all arguments are looked at. */
export const readArguments = ({ named, reading }: LoweredTool, input: unknown): unknown => {
  if (reading._tag === "Same") return input
  const guarded = JsonGuard.guard(typeof input === "string" ? parsed(input) : input)
  if (Result.isFailure(guarded) || !isJsonObject(guarded.success)) return input
  return read(reading, guarded.success, named)
}

/** A runner may hand over the text of arguments. What is wrong with a text is not found out here. */
const parsed = (text: string): unknown => {
  if (text.length > JsonGuard.maxCharacters) return undefined
  try {
    const value: Schema.Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
