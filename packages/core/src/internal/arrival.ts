/** What a model sent, before any schema has seen it. */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonGuard from "../JsonGuard.ts"
import * as JsonText from "../JsonText.ts"
import type { Place } from "./jsonFault.ts"
import { isObject } from "./repair/json.ts"

/** Arguments that the guard let through. */
export type Guarded = Brand.Branded<Schema.JsonObject, "@haft/core/Guarded">

/** What is not an object of arguments as it stands. Repair may make one of it. */
export type Unread =
  | { readonly _tag: "Text"; readonly text: string; readonly form?: Form }
  /** JSON that is no object, or nothing at all. */
  | { readonly _tag: "Value"; readonly value: Schema.Json | undefined }
  | { readonly _tag: "Refused"; readonly refusal: JsonGuard.Refusal }

/** How arguments differ from what the tool asks for. */
export interface Form {
  /** Whether entities of HTML in the text are to be decoded first. */
  readonly htmlEntities?: boolean
  /** From the form in which they were asked for to the tool's own. */
  readonly read?: (value: Schema.JsonObject) => unknown
  /** From a path into the tool's own form to where that is in what was sent, so that the model reads of places it knows. */
  readonly locate?: (value: Schema.JsonObject, path: Place) => Place
}

/** Arguments in another form than the tool's own. Goes where the input of a call goes. */
export class Foreign {
  readonly input: unknown
  readonly form: Form

  constructor(input: unknown, form: Form) {
    this.input = input
    this.form = form
  }
}

export type Arrived = Result.Result<Guarded, Unread>

/** A text is the arguments as the model wrote them; anything else is a value that somebody has parsed already. */
export const arrive = (raw: unknown): Arrived => {
  if (typeof raw === "string") return arriveText(raw)
  return raw instanceof Foreign ? arriveForeign(raw) : arriveValue(raw)
}

/** Text with entities, or that is not plain JSON, is read where it is known how much of that is allowed. */
const arriveForeign = ({ form, input }: Foreign): Arrived => {
  if (typeof input === "string" && form.htmlEntities === true && input.includes("&")) {
    return Result.fail({ _tag: "Text", text: input, form })
  }
  const arrived = typeof input === "string" ? arriveText(input) : arriveValue(input)
  if (Result.isSuccess(arrived)) return inOwnForm(arrived.success, form)
  return arrived.failure._tag === "Text" ? Result.fail({ ...arrived.failure, form }) : arrived
}

/** What was read may be larger than what was sent. */
export const inOwnForm = (value: Schema.JsonObject, { locate, read }: Form): Arrived => {
  const arrived = read === undefined ? Result.succeed(toGuarded(value)) : arriveValue(read(value))
  if (Result.isSuccess(arrived) && locate !== undefined) {
    locators.set(arrived.success, (path) => locate(value, path))
  }
  return arrived
}

/** From a path into arguments in the tool's own form to where that was sent. */
export type Locate = (path: Place) => Place

const locators = new WeakMap<object, Locate>()

/** Nothing for arguments that were sent in the tool's own form. */
export const locatorOf = (value: Schema.JsonObject): Locate | undefined => locators.get(value)

/** A value as it is, also a text. */
export const arriveValue = (raw: unknown): Arrived => {
  if (raw === undefined) return Result.fail({ _tag: "Value", value: undefined })
  const guarded = JsonGuard.guard(raw)
  if (Result.isFailure(guarded)) return Result.fail({ _tag: "Refused", refusal: guarded.failure })
  return isObjectResult(guarded) ? guarded : Result.fail({ _tag: "Value", value: guarded.success })
}

/** What the guard let through is branded where it is, without another result around it. */
const isObjectResult = (guarded: Result.Success<Schema.Json, unknown>): guarded is Result.Success<Guarded, never> =>
  isObject(guarded.success)

const arriveText = (text: string): Arrived => {
  const value = Result.getOrUndefined(JsonText.read(text))
  return value !== undefined && isObject(value) ? Result.succeed(toGuarded(value)) : Result.fail({ _tag: "Text", text })
}

const toGuarded = Brand.nominal<Guarded>()
