import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Effect, type JsonSchema, Result, Schema } from "effect"

const reasonOf = (tool: Tool.Any): string => {
  const opened = Runtime.open("tool", tool)
  return Result.isFailure(opened) ? opened.failure.reason : "accepted"
}

const known = (inputSchema: JsonSchema.JsonSchema) =>
  Tool.fromJsonSchema({ description: "", inputSchema, execute: (input) => Effect.succeed(input) })

const typed = (input: Tool.Codec) =>
  Tool.make({ description: "", input, output: Schema.String, execute: () => Effect.succeed("done") })

const keys = <A>(length: number, value: A): Record<string, A> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value]))

const names = (length: number): ReadonlyArray<string> => Object.keys(keys(length, 0))

const wrap = (length: number, codec: Tool.Codec, level: (inner: Tool.Codec) => Tool.Codec): Tool.Codec =>
  Array.from({ length }).reduce<Tool.Codec>(level, codec)

describe("a schema that no model could make use of", () => {
  const documents: ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> = [
    ["33,000 properties", { type: "object", properties: keys(33_000, { type: "string" }) }],
    ["30,000 required keys", { type: "object", required: names(30_000) }]
  ]
  it.each(documents)("is refused as a document: %s", (_title, document) => {
    assert.strictEqual(reasonOf(known(document)), "TooLarge")
  })

  const Leaf = Schema.Struct({ text: Schema.String })
  const twice = (inner: Tool.Codec) => Schema.Struct({ a: inner, b: Schema.optional(inner) })
  const twiceLater = (inner: Tool.Codec) => {
    const later = Schema.suspend(() => inner)
    return Schema.Struct({ a: later, b: later })
  }
  const twiceAsText = (inner: Tool.Codec) => {
    const text = Schema.fromJsonString(inner)
    return Schema.Struct({ a: text, b: text })
  }
  const codecs: ReadonlyArray<readonly [string, Tool.Codec]> = [
    ["10,000 properties", Schema.Struct(keys(10_000, Schema.String))],
    ["a part that is used twice on each of 200 levels", wrap(200, Leaf, twice)],
    ["the same behind suspensions", wrap(200, Leaf, twiceLater)],
    ["the same inside text", wrap(60, Leaf, twiceAsText)]
  ]
  it.each(codecs)("is refused as a codec, and soon: %s", (_title, codec) => {
    assert.strictEqual(reasonOf(typed(codec)), "TooLarge")
  })

  it("says how large it may be", () => {
    const opened = Runtime.open("tool", known({ type: "object", properties: keys(10_000, {}) }))
    assert(Result.isFailure(opened))
    assert.include(opened.failure.message, "more than 10000 values")
  })
})

describe("a schema of a size that people do write", () => {
  interface Tree {
    readonly labels: typeof Labels.Type
    readonly left?: Tree
    readonly right?: Tree
  }
  const Labels = Schema.Struct(keys(500, Schema.String))
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    labels: Labels,
    left: Schema.optionalKey(Schema.suspend(() => Tree)),
    right: Schema.optionalKey(Schema.suspend(() => Tree))
  })

  it("is accepted when parts are used a few times, or a recursive one often", () => {
    assert.strictEqual(reasonOf(typed(Schema.Struct({ a: Labels, b: Labels, c: Labels }))), "accepted")
    assert.strictEqual(reasonOf(typed(Schema.Struct(keys(100, Tree)))), "accepted")
    const shared = keys(300, { $ref: "#/$defs/large" })
    const $defs = { large: { type: "object", properties: keys(300, { type: "string" }) } }
    assert.strictEqual(reasonOf(known({ type: "object", properties: shared, $defs })), "accepted")
  })
})

describe("a small document that could take for ever", () => {
  const first = { type: "object", properties: { z: { type: "string", minLength: 2 } } }
  const chain = (level: (previous: JsonSchema.JsonSchema) => JsonSchema.JsonSchema, prefix = "#/$defs") =>
    Object.fromEntries(
      Array.from({ length: 41 }, (_, n) => [`d${n}`, n === 0 ? first : level({ $ref: `${prefix}/d${n - 1}` })])
    )
  const last = { $ref: "#/$defs/d40" }
  const object = (a: JsonSchema.JsonSchema, b = a) => ({ type: "object", properties: { a, b } })
  const either = (one: JsonSchema.JsonSchema, type: string) => ({ anyOf: [{ type }, one] })
  const tree = { $ref: "#/$defs/tree" }

  const documents: ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> = [
    ["the same twice", { ...last, $defs: chain((one) => ({ allOf: [one, one] })) }],
    ["the same twice at each key", { ...last, $defs: chain((one) => object({ allOf: [one, one] })) }],
    ["the same twice at each index", { ...last, $defs: chain((one) => object({ items: { allOf: [one, one] } })) }],
    ["a reference and its siblings", { ...last, $defs: chain((one) => object({ ...one, ...object(one) })) }],
    ["two of them at the root", { allOf: [last, last], $defs: chain((one) => object(one)) }],
    ["one of them or nothing", { allOf: [last], anyOf: [{ title: "a" }, {}], $defs: chain((one) => object(one)) }],
    ["alternatives of alternatives", { ...object(last), $defs: chain((one) => ({ anyOf: [one, one] })) }],
    [
      "two unions at each key",
      { ...last, $defs: chain((one) => object({ allOf: [either(one, "string"), either(one, "null")] })) }
    ],
    [
      "below another definition",
      {
        ...object({ $ref: "#/$defs/x/$defs/d40" }),
        $defs: { x: { $defs: chain((one) => object({ allOf: [one, one] }), "#/$defs/x/$defs") } }
      }
    ],
    ["a tree merged with itself", { allOf: [tree, tree], $defs: { tree: object(tree) } }],
    ["hundreds of parts", { allOf: names(1_000).map((title) => object({}, { title })) }],
    ["many alternatives", { properties: keys(60, {}), anyOf: names(3_000).map((key) => ({ required: [key] })) }]
  ]
  it.each(documents)("is refused, and soon: %s", (_title, document) => {
    const opened = Runtime.open("tool", known({ ...document, type: "object" }))
    assert(Result.isFailure(opened))
    assert.strictEqual(opened.failure.reason, "UnsupportedSchema")
    assert.include(opened.failure.message, "combines in too many ways")
  })

  it("is accepted in the forms that people do write", () => {
    const base = { type: "object", properties: keys(40, { type: "string" }), required: ["k0"] }
    const kinds = names(60).map((kind) => object({ const: kind }, { type: "string" }))
    const $defs = { base, mixin: object({ type: "integer" }) }
    const [one, other] = [{ $ref: "#/$defs/base" }, { $ref: "#/$defs/mixin" }]
    for (const rest of [
      { allOf: [one, other, object({}, { minimum: 1 })] },
      { properties: keys(300, { allOf: [one], description: "Described" }) },
      { properties: keys(300, { anyOf: [one, { type: "null" }] }) },
      { properties: { a: true }, required: ["a"], oneOf: kinds }
    ]) {
      assert.strictEqual(reasonOf(known({ type: "object", $defs, ...rest })), "accepted")
    }
  })
})
