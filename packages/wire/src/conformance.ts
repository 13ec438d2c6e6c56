/**
 * Checks an implementation of a contract against the vectors in this package's `vectors` folder, ours or anybody's: both
 * sides of every operation are JSON. Read a file, parse it, and `check` it.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Contract } from "./Contract.ts"
import { type Found, mismatchesOf } from "./internal/mismatches.ts"

const operations = {
  /** An outcome, to be written in the contract. Null stands for no envelope. */
  encode: Schema.Struct({
    name: Schema.String,
    operation: Schema.Literal("encode"),
    outcome: Schema.JsonObject,
    options: Schema.optionalKey(Schema.JsonObject),
    expected: Schema.Json
  }),
  /** An envelope, and what it tells somebody who knows this much about the call. */
  decode: Schema.Struct({
    name: Schema.String,
    operation: Schema.Literal("decode"),
    envelope: Schema.Json,
    options: Schema.optionalKey(Schema.JsonObject),
    expected: Schema.Json
  }),
  /** A request envelope, and the call that it asks for, or the error with the paths at fault. */
  request: Schema.Struct({
    name: Schema.String,
    operation: Schema.Literal("request"),
    envelope: Schema.Json,
    expected: Schema.Json
  })
}

/** One case. `expected` is what the answer has to contain; it may say more. */
export const Vector = Schema.Union([operations.encode, operations.decode, operations.request])
export type Vector = typeof Vector.Type

/** One file of vectors. */
export const Vectors = Schema.Struct({
  contract: Contract,
  /** For the narrower form of a contract that has two. */
  shape: Schema.optionalKey(Schema.Literal("interop")),
  vectors: Schema.Array(Vector)
})
export type Vectors = typeof Vectors.Type

/** What is checked. It may leave out what it does not do. */
export interface Implementation {
  readonly encode?: (outcome: Schema.JsonObject, options: Schema.JsonObject) => Schema.Json
  readonly decode?: (envelope: Schema.Json, options: Schema.JsonObject) => Schema.Json
  readonly request?: (envelope: Schema.Json) => Schema.Json
}

/** Where an answer is not what it has to be. Nothing is received where the answer has nothing. */
export interface Mismatch extends Found {
  readonly vector: string
}

/** Reads the text of a file of vectors. */
export const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Vectors), { onExcessProperty: "error" })

/** Empty if the implementation gives every answer that it has to. An answer that is thrown is none. */
export const check = ({ vectors }: Vectors, implementation: Implementation): ReadonlyArray<Mismatch> =>
  vectors.flatMap((vector) =>
    Option.match(answerTo(vector, implementation), {
      onNone: () => [],
      onSome: (answer) => mismatchesOf(vector.expected, answer).map((found) => named(vector, found))
    })
  )

const named = ({ name }: Vector, found: Found): Mismatch => ({ vector: name, ...found })

/** None if the implementation does not do this. */
const answerTo = (vector: Vector, implementation: Implementation): Option.Option<Schema.Json | undefined> =>
  Option.map(asked(vector, implementation), (ask) =>
    Result.getOrUndefined(Result.try({ try: ask, catch: () => undefined }))
  )

const asked = (vector: Vector, { decode, encode, request }: Implementation): Option.Option<() => Schema.Json> => {
  switch (vector.operation) {
    case "encode":
      return Option.map(Option.fromUndefinedOr(encode), (encode) => () => encode(vector.outcome, vector.options ?? {}))
    case "decode":
      return Option.map(Option.fromUndefinedOr(decode), (decode) => () => decode(vector.envelope, vector.options ?? {}))
    case "request":
      return Option.map(Option.fromUndefinedOr(request), (request) => () => request(vector.envelope))
  }
}
