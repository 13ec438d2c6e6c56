/** Recursive codecs and JSON Schema documents of strangers, which no generator makes up. */
import type { Tool } from "@haft/core"
import { type JsonSchema, Schema } from "effect"

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String.annotate({ description: "The name" }),
  children: Schema.Array(Schema.suspend(() => Tree))
})

interface Chain {
  readonly next: Chain | null
  readonly other?: Chain
}
const Chain: Schema.Codec<Chain> = Schema.Struct({
  next: Schema.NullOr(Schema.suspend(() => Chain)),
  other: Schema.optionalKey(Schema.suspend(() => Chain))
})

type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "sum"; readonly terms: ReadonlyArray<Expression> }
const Expression: Schema.Codec<Expression> = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("number"), value: Schema.Finite }),
  Schema.Struct({ kind: Schema.Literal("sum"), terms: Schema.Array(Schema.suspend(() => Expression)) })
])

class Folder extends Schema.Class<Folder>("test/Folder")(
  {
    entries: Schema.Record(
      Schema.String,
      Schema.suspend((): Schema.Codec<Folder, unknown> => Folder)
    )
  },
  { description: "A folder" }
) {}

type Value = string | number | boolean | null | ReadonlyArray<Value> | { readonly [key: string]: Value }
const Value: Schema.Codec<Value> = Schema.suspend(() =>
  Schema.Union([
    Schema.String,
    Schema.Finite,
    Schema.Boolean,
    Schema.Null,
    Schema.Array(Value),
    Schema.Record(Schema.String, Value)
  ])
)

interface Branch {
  readonly size: number
  readonly fork?: Fork
}
interface Fork {
  readonly left: Branch | null
  readonly pair?: readonly [number, Branch]
}
const Branch: Schema.Codec<Branch> = Schema.Struct({
  size: Schema.Int,
  fork: Schema.optionalKey(Schema.suspend((): Schema.Codec<Fork> => Fork))
})
const Fork: Schema.Codec<Fork> = Schema.Struct({
  left: Schema.NullOr(Branch),
  pair: Schema.optionalKey(Schema.Tuple([Schema.Int, Branch]))
})

type Filter = { readonly and: ReadonlyArray<Filter> } | { readonly not: Filter } | { readonly field: string }
const Filter: Schema.Codec<Filter> = Schema.suspend(() =>
  Schema.Union([
    Schema.Struct({ and: Schema.Array(Filter) }),
    Schema.Struct({ not: Filter }),
    Schema.Struct({ field: Schema.String })
  ])
)

type Symbolic = readonly ["add", Symbolic, Symbolic] | number
const Symbolic: Schema.Codec<Symbolic> = Schema.suspend(() =>
  Schema.Union([Schema.Tuple([Schema.Literal("add"), Symbolic, Symbolic]), Schema.Finite])
)

/** Through lists, null, optional keys, positions, maps, alternatives with tags and without, each other, and a class. */
export const recursive: ReadonlyArray<Tool.Codec> = [
  Tree,
  Chain,
  Expression,
  Folder,
  Schema.Struct({ value: Value }),
  Branch,
  Schema.Struct({ filter: Schema.optionalKey(Schema.NullOr(Filter)) }),
  Schema.Struct({ term: Symbolic })
]

/** Where dialects differ most: at the root, between look-alikes, and under names that dialects use themselves. */
export const awkward: ReadonlyArray<Tool.Codec> = [
  Schema.Union([
    Schema.Struct({ kind: Schema.Literal("a"), n: Schema.Int }),
    Schema.Struct({ kind: Schema.Literal("b"), map: Schema.Record(Schema.String, Schema.Int) })
  ]),
  Schema.Union([
    Schema.Struct({ a: Schema.optionalKey(Schema.Int) }),
    Schema.Struct({ b: Schema.optionalKey(Schema.String) })
  ]),
  Schema.Struct({
    tagged: Schema.Union([
      Schema.Struct({ v: Schema.Literal(1), a: Schema.Tuple([Schema.Int]) }),
      Schema.Struct({ v: Schema.Literal(2), a: Schema.Record(Schema.String, Schema.Int) })
    ]),
    listed: Schema.Union([Schema.Array(Schema.Int), Schema.Record(Schema.String, Schema.Int), Schema.String]),
    mapped: Schema.optional(
      Schema.Union([Schema.Record(Schema.String, Schema.String), Schema.Record(Schema.String, Schema.Int)])
    )
  }),
  Schema.Struct({
    some: Schema.Tuple([Schema.Int, Schema.optionalKey(Schema.NullOr(Schema.String)), Schema.optionalKey(Schema.Int)]),
    more: Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.NullOr(Schema.Int)]),
    either: Schema.Union([
      Schema.Tuple([Schema.Int]),
      Schema.Tuple([Schema.String, Schema.String]),
      Schema.Struct({ item_1: Schema.Int })
    ])
  }),
  Schema.Struct({
    input: Schema.Struct({ option_1: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
    null_itself: Schema.optionalKey(Schema.Union([Schema.Struct({ null_itself: Schema.Null }), Schema.Null])),
    key: Schema.optionalKey(Schema.String),
    value: Schema.NullOr(Schema.Int)
  }),
  Schema.Struct({
    open: Schema.StructWithRest(Schema.Struct({ other_properties: Schema.Int }), [
      Schema.Record(Schema.String, Schema.Int)
    ]),
    empty: Schema.Record(Schema.String, Schema.Never),
    nulls: Schema.Record(Schema.String, Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(Schema.Int))))
  })
]

export const documents: ReadonlyArray<JsonSchema.JsonSchema> = [
  {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "What to look for" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      sort: { enum: ["asc", "desc", null] },
      tags: { type: "array", items: { type: "string" }, maxItems: 3, uniqueItems: true }
    },
    required: ["query"],
    additionalProperties: false
  },
  {
    type: "object",
    properties: {
      at: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2, items: false }
    },
    required: ["at"],
    additionalProperties: false
  },
  {
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
    additionalProperties: false,
    $defs: {
      node: {
        type: "object",
        properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        required: ["label"],
        additionalProperties: false
      }
    }
  },
  {
    type: "object",
    anyOf: [
      { type: "object", properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] },
      { type: "object", properties: { kind: { const: "none" } }, required: ["kind"], additionalProperties: false }
    ]
  }
]
