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

/** Through lists, null, optional keys, tagged alternatives and a class. */
export const recursive: ReadonlyArray<Tool.Codec> = [Tree, Chain, Expression, Folder]

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
