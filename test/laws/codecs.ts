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

const codecs = (parts: Parts, depth: number): Arbitrary.Arbitrary<Tool.Codec> => {
  const leaves = Arbitrary.schema(Schema.Literals(Object.keys(parts.leaves)))
  const leaf = Arbitrary.map(leaves, (name) => parts.leaves[name] ?? Schema.Never)
  if (depth === 0) return leaf
  const kinds = Schema.Literals(["leaf", "list", "record", "object", ...(parts.unions ? ["union"] : [])])
  return Arbitrary.flatMap(Arbitrary.schema(kinds), (kind) => {
    const inner = codecs(parts, depth - 1)
    if (kind === "list") return Arbitrary.map(inner, (item) => Schema.Array(item))
    if (kind === "record") return Arbitrary.map(inner, (value) => Schema.Record(Schema.String, value))
    if (kind === "object") return objects(parts, depth)
    if (kind === "union") return Arbitrary.map(Arbitrary.all([inner, inner]), (members) => Schema.Union(members))
    return leaf
  })
}
