/** Random input codecs, built from the parts that authors use. */
import type { Tool } from "@haft/core"
import { Arbitrary, Schema } from "effect"

/** JSON Schema says all there is to say about these. */
export const described = {
  string: Schema.String,
  nonEmpty: Schema.NonEmptyString,
  short: Schema.String.check(Schema.isMaxCodePoints(3)),
  finite: Schema.Finite,
  integer: Schema.Int,
  range: Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 40 })),
  boolean: Schema.Boolean,
  literals: Schema.Literals(["a", "b", 3]),
  nullable: Schema.NullOr(Schema.Boolean),
  json: Schema.Json
}

/** These travel as text of a form that JSON Schema does not describe. */
export const transformed = {
  date: Schema.Date,
  bytes: Schema.Uint8Array,
  bigint: Schema.BigInt,
  number: Schema.FiniteFromString
}

export interface Parts {
  readonly leaves: Readonly<Record<string, Tool.Codec>>
  /** With `Schema.optional` null decodes to undefined, which is not written as null again. */
  readonly presences: ReadonlyArray<"required" | "optionalKey" | "optional">
  readonly unions: boolean
}

const maxDepth = 3

/** An object, as arguments are. */
export const objects = (parts: Parts, depth = maxDepth): Arbitrary.Arbitrary<Tool.Codec> =>
  Arbitrary.map(
    Arbitrary.all({ a: field(parts, depth), b: field(parts, depth), c: field(parts, depth) }),
    Schema.Struct
  )

const field = (parts: Parts, depth: number) =>
  Arbitrary.map(
    Arbitrary.all({ presence: Arbitrary.schema(Schema.Literals(parts.presences)), codec: codecs(parts, depth - 1) }),
    ({ codec, presence }) => {
      if (presence === "required") return codec
      return presence === "optional" ? Schema.optional(codec) : Schema.optionalKey(codec)
    }
  )

/** With a description or without: what is said about a codec changes nothing about it. */
const codecs = (parts: Parts, depth: number): Arbitrary.Arbitrary<Tool.Codec> =>
  Arbitrary.map(
    Arbitrary.all({ codec: bare(parts, depth), isDescribed: Arbitrary.schema(Schema.Boolean) }),
    ({ codec, isDescribed }) => (isDescribed ? codec.annotate({ description: "Described" }) : codec)
  )

const bare = (parts: Parts, depth: number): Arbitrary.Arbitrary<Tool.Codec> => {
  const leaves = Arbitrary.schema(Schema.Literals(Object.keys(parts.leaves)))
  const leaf = Arbitrary.map(leaves, (name) => parts.leaves[name] ?? Schema.Never)
  if (depth === 0) return leaf
  const inner = codecs(parts, depth - 1)
  const pair = Arbitrary.all([inner, inner])
  const kinds: Readonly<Record<string, Arbitrary.Arbitrary<Tool.Codec>>> = {
    leaf,
    list: Arbitrary.map(inner, (item) => Schema.Array(item)),
    tuple: Arbitrary.map(pair, ([first, second]) => Schema.Tuple([first, Schema.optionalKey(second)])),
    tupleWithRest: Arbitrary.map(pair, ([first, rest]) => Schema.TupleWithRest(Schema.Tuple([first]), [rest])),
    record: Arbitrary.map(inner, (value) => Schema.Record(Schema.String, value)),
    object: objects(parts, depth),
    openObject: Arbitrary.map(leaf, () => openObject),
    tagged: Arbitrary.map(pair, tagged),
    ...(parts.unions ? { union: Arbitrary.map(pair, (members) => Schema.Union(members)) } : {})
  }
  return Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(Object.keys(kinds))), (kind) => kinds[kind] ?? leaf)
}

/** Always the same: Effect generates no values for an intersection of alternatives, which `declared` could be. */
const openObject: Tool.Codec = Schema.StructWithRest(Schema.Struct({ declared: Schema.Int }), [
  Schema.Record(Schema.String, Schema.Int)
])

const tagged = ([left, right]: readonly [Tool.Codec, Tool.Codec]): Tool.Codec =>
  Schema.TaggedUnion({ Left: { value: left }, Right: { value: right } })
