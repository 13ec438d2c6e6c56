/** What a model sent, before any schema has seen it. */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonGuard from "../JsonGuard.ts"
import * as JsonText from "../JsonText.ts"
import { isObject } from "./repair/json.ts"

/** Arguments that the guard let through. */
export type Guarded = Brand.Branded<Schema.JsonObject, "@haft/core/Guarded">

/** What is not an object of arguments as it stands. Repair may make one of it. */
export type Unread =
  | { readonly _tag: "Text"; readonly text: string }
  /** JSON that is no object, or nothing at all. */
  | { readonly _tag: "Value"; readonly value: Schema.Json | undefined }
  | { readonly _tag: "Refused"; readonly refusal: JsonGuard.Refusal }

export type Arrived = Result.Result<Guarded, Unread>

/** A text is the arguments as the model wrote them; anything else is a value that somebody has parsed already. */
export const arrive = (raw: unknown): Arrived => (typeof raw === "string" ? arriveText(raw) : arriveValue(raw))

/** A value as it is, also a text. */
export const arriveValue = (raw: unknown): Arrived => {
  if (raw === undefined) return Result.fail({ _tag: "Value", value: undefined })
  const guarded = JsonGuard.guard(raw)
  if (Result.isFailure(guarded)) return Result.fail({ _tag: "Refused", refusal: guarded.failure })
  const value = guarded.success
  return isObject(value) ? Result.succeed(toGuarded(value)) : Result.fail({ _tag: "Value", value })
}

const arriveText = (text: string): Arrived => {
  const value = Result.getOrUndefined(JsonText.read(text))
  return value !== undefined && isObject(value) ? Result.succeed(toGuarded(value)) : Result.fail({ _tag: "Text", text })
}

const toGuarded = Brand.nominal<Guarded>()
