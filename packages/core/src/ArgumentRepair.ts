/**
 * Reads what a model meant where it did not write what a tool's schema asks for: a count in quotes, a list as text, an
 * unused field that is empty. Driven by the schema, only where the arguments do not fit as they are; what comes out
 * fits, and every change is reported. Where two readings exist, or something would have to be supplied, it refuses.
 */
import * as Result from "effect/Result"
import type { InvalidInput } from "./InvalidInput.ts"
import * as Foreigners from "./internal/arrival.ts"
import { invalidInput } from "./internal/invalidInput.ts"
import { closed, Shape } from "./internal/repair/plan.ts"
import * as internal from "./internal/repair/repairArguments.ts"
import * as Warnings from "./internal/repair/warning.ts"
import type * as Tool from "./Tool.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Other names for the field. A key of that name takes the declared one, if that one is absent. */
      readonly aliases?: ReadonlyArray<string> | undefined
      /** Of a list: a lone value that an element may be stands for a list of one. */
      readonly wrapSingle?: boolean | undefined
      /** Of a string: an object, a list, a boolean or a safe integer becomes its JSON text. */
      readonly stringify?: boolean | undefined
      /** Of an optional string: blank text is a value and not the same as nothing. */
      readonly allowEmpty?: boolean | undefined
      /** Reports of repairs do not show the value. */
      readonly sensitive?: boolean | undefined
    }
  }
}

/**
 * How much is repaired. `strict`: nothing. `contract`: other spellings of numbers, booleans, null, literals, lists and
 * objects, blank optional strings and `properties` wrappers. `default`: all kinds, and text that is not quite JSON.
 */
export const Level = Warnings.Level
export type Level = typeof Level.Type

/** What was done, as a closed set of words that programs may decide on. */
export const Kind = Warnings.Kind
export type Kind = typeof Kind.Type

/** One change. Values are shown as compact JSON of at most 80 characters, and not at all where they may be secret. */
export const Warning = Warnings.Warning
export type Warning = typeof Warning.Type

/**
 * Arguments in another form than the tool's own, for an adapter to a provider: it gives one of these where the input of a
 * call goes. They are read, with the liberties that the level allows, before anything is repaired.
 */
export const Foreign = Foreigners.Foreign
export type Foreign = Foreigners.Foreign

/** How they differ. Entities of HTML are decoded once, in text only, at every level: a provider that escapes escapes all. */
export type Form = Foreigners.Form

/** Arguments that fit, and what was changed about them. */
export type Repaired = internal.Repaired

/** Everything derived from one input schema, each part when it is first needed. Opaque but for its level. */
export interface Plan {
  readonly level: Level
  readonly shape: Shape
}

/** Make it once for each schema: what it derives costs a hundred times a repair. */
export const plan = (input: Tool.Codec, options?: { readonly level?: Level }): Plan => ({
  level: options?.level ?? "default",
  shape: new Shape(closed(input))
})

/**
 * Decoding what comes out is the caller's part: a transformation in the schema may still refuse it. A
 * text given as `input` is the arguments as the model wrote them; anything else is a value that somebody has parsed
 * already, or a `Foreign`. `name` is the one that the call used: a wrapper may repeat it.
 */
export const repair = (
  { level, shape }: Plan,
  name: string,
  input: unknown
): Result.Result<internal.Repaired, InvalidInput> =>
  Result.mapBoth(internal.repairArguments(shape, level, name, Foreigners.arrive(input)), {
    onSuccess: internal.asSent,
    onFailure: (failure) => invalidInput(failure, shape)
  })
