/** The output codec of a tool as a function: what an executor returned to JSON. */
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import * as JsonGuard from "../JsonGuard.ts"
import type * as Tool from "../Tool.ts"
import { isSafelyJson } from "./schemaShape.ts"
import type { Encoded, Sealed } from "./sealed.ts"
import { strict, strictly } from "./strictly.ts"
import * as Violations from "./violations.ts"

/** Built for the first call. */
export const makeEncode = memoize((output: Tool.Codec): Sealed["encode"] => {
  let encode: Sealed["encode"] | undefined
  return (value) => (encode ??= build(output))(value)
})

/** `toCodecJson` gives back the same AST when a schema encodes to JSON already; only then is one encoding enough. */
const build = (output: Tool.Codec): Sealed["encode"] => {
  const codec = Schema.toCodecJson(output)
  const encodeJson = isSafelyJson(codec.ast) ? encodeWith(codec) : guarded(encodeWith(codec))
  if (codec.ast === output.ast) {
    return (value) => Effect.mapEager(encodeJson(value), bothAre)
  }
  const encode = encodeWith(output)
  return (value) => Effect.all({ json: encodeJson(value), encoded: encode(value) })
}

const bothAre = (json: Schema.Json): Encoded => ({ json, encoded: json })

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

/** A schema such as `Schema.Any` lets through what JSON cannot carry, or what is too deep to be written as text. */
const guarded =
  (encode: Encode<unknown>): Encode<Schema.Json> =>
  (value) =>
    Effect.flatMapEager(encode(value), (encoded) =>
      Effect.fromResult(Result.mapError(JsonGuard.guard(encoded, outputLimits), Violations.ofUnfitOutput))
    )

/** An output may be of any size: it is bounded where a model reads it. Writing it as text overflows when it is deep. */
const outputLimits: JsonGuard.Limits = {
  depth: 512,
  values: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY
}
