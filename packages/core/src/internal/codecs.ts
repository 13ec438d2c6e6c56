/** The two codecs of a tool as functions: arguments to input, and what an executor returned to JSON. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as JsonGuard from "../JsonGuard.ts"
import type * as Tool from "../Tool.ts"
import { isAffordable } from "./budget.ts"
import { mayMultiply } from "./decodeCost.ts"
import { knownKeysOf } from "./knownKeys.ts"
import { isSafelyJson, widthOf } from "./schemaShape.ts"
import type { Encoded, Guarded, Sealed } from "./sealed.ts"
import { ofUnfitOutput, tooComplex } from "./unfit.ts"
import * as Violations from "./violations.ts"

/** Dropping unknown keys would also make the first alternative of a union take what was meant for another. */
const strict = { onExcessProperty: "error" } as const

/** Values times keys: what it may cost to find every violation and not just the first. About 100 ms. */
const maxFindings = 200_000

/**
 * Valid arguments are decoded once. Only refused ones are looked at again, to say everything that is wrong, and where
 * that would take too long they are refused for the first thing.
 */
export const makeDecode = (input: Tool.Codec): Sealed["decode"] => {
  const codec = Schema.toCodecJson(input)
  const decode = strictly(SchemaAST.toEncoded(codec.ast), (options) => SchemaParser.decodeUnknownEffect(codec, options))
  const explain = SchemaParser.decodeUnknownEffect(codec, { ...strict, errors: "all" })
  const multiplies = mayMultiply(codec.ast)
  const width = widthOf(codec.ast)
  const isCheap = (json: Guarded) =>
    JsonGuard.countValues(json) * width <= maxFindings && (!multiplies || isAffordable(explain, json))
  const refuse = (json: Guarded, first: SchemaIssue.Issue) =>
    isCheap(json)
      ? Effect.mapErrorEager(explain(json), (all) => Violations.ofInput(all, json))
      : Effect.fail(Violations.ofInput(first, json))
  return (json) =>
    multiplies && !isAffordable(decode, json)
      ? Effect.fail(tooComplex)
      : Effect.catchEager(decode(json), (issue) => refuse(json, issue))
}

/** `toCodecJson` gives back the same AST when a schema encodes to JSON already; only then is one encoding enough. */
export const makeEncode = (output: Tool.Codec): Sealed["encode"] => {
  const codec = Schema.toCodecJson(output)
  const encodeJson = isSafelyJson(codec.ast) ? encodeWith(codec) : guarded(encodeWith(codec))
  if (codec.ast === output.ast) {
    return (value) => Effect.mapEager(encodeJson(value), (json): Encoded => ({ json, encoded: json }))
  }
  const encode = encodeWith(output)
  return (value) => Effect.all({ json: encodeJson(value), encoded: encode(value) })
}

type Encode<A> = (
  value: Parameters<Sealed["encode"]>[0]
) => Effect.Effect<A, Effect.Error<ReturnType<Sealed["encode"]>>>

const encodeWith = <S extends Tool.Codec>(codec: S): Encode<S["Encoded"]> => {
  const encode = strictly(SchemaAST.toType(codec.ast), (options) => SchemaParser.encodeUnknownEffect(codec, options))
  const explain = SchemaParser.encodeUnknownEffect(codec, { ...strict, errors: "all" })
  return (value) =>
    Effect.catchEager(encode(value), () =>
      Effect.mapErrorEager(explain(value), (issue) => Violations.ofOutput(issue, value))
    )
}

type Parse<A> = (value: unknown) => Effect.Effect<A, SchemaIssue.Issue>

/** Parses without looking for unknown keys where there are none; `ast` is the side of the codec that is parsed. */
const strictly = <A>(ast: SchemaAST.AST, make: (options?: SchemaAST.ParseOptions) => Parse<A>): Parse<A> => {
  const hasKnownKeys = knownKeysOf(ast)
  const parseStrictly = make(strict)
  if (hasKnownKeys === undefined) return parseStrictly
  const parse = make()
  return (value) => (hasKnownKeys(value) ? parse(value) : parseStrictly(value))
}

/** A schema such as `Schema.Any` lets through what JSON cannot carry, or what is too deep to be written as text. */
const guarded =
  (encode: Encode<unknown>): Encode<Schema.Json> =>
  (value) =>
    Effect.flatMapEager(encode(value), (encoded) =>
      Effect.fromResult(Result.mapError(JsonGuard.guard(encoded, outputLimits), ofUnfitOutput))
    )

/** An output may be of any size: it is bounded where a model reads it. Writing it as text overflows when it is deep. */
const outputLimits: JsonGuard.Limits = {
  depth: 512,
  values: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY
}
