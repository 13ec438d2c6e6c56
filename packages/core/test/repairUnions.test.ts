import { assert, describe, it } from "@effect/vitest"
import { type JsonSchema, Result, Schema } from "effect"
import { attempt, atX, codecOf, object, repaired } from "./support/repairs.ts"

const anyOf = (...members: ReadonlyArray<JsonSchema.JsonSchema>): JsonSchema.JsonSchema => ({ anyOf: members })
const oneOf = (...members: ReadonlyArray<JsonSchema.JsonSchema>): JsonSchema.JsonSchema => ({ oneOf: members })
const integer = { type: "integer" }
const number = { type: "number" }
const boolean = { type: "boolean" }
const text = { type: "string" }
const nothing = { type: "null" }
const integers = { type: "array", items: integer }
const truths = { type: "array", items: boolean }

type Case = readonly [string, JsonSchema.JsonSchema, unknown, unknown]

const run = (cases: ReadonlyArray<Case>) =>
  it.each(cases)("%s", (_, field, sent, expected) => {
    assert.deepStrictEqual(atX(field, sent), expected)
  })

describe("the cheapest reading that the whole union takes", () => {
  run([
    ["a text stays one where texts are admitted", anyOf(text, integer, boolean), "15", { kept: "15" }],
    ["also bracketed text", anyOf(text, integers), "[1]", { kept: "[1]" }],
    ["a number before a boolean", anyOf(boolean, integer), "0", [0, "number_from_string"]],
    ["a boolean where it is no number", anyOf(integer, boolean), "no", [false, "boolean_from_string"]],
    ["equal values are one", anyOf(integer, number), "5", [5, "number_from_string"]],
    ["a list from text", anyOf(integer, integers), "[1]", [[1], "array_from_string"]],
    ["a literal from text", anyOf({ enum: ["all", 1] }, boolean), "1", [1, "number_from_string"]],
    ["literals of several members are one list", anyOf({ enum: ["a"] }, { enum: ["b"] }), "B", ["b", "enum_case"]],
    ["nested unions are flat", anyOf(anyOf(integer, anyOf(boolean))), "yes", [true, "boolean_from_string"]],
    ["null from its word", anyOf(integer, boolean, nothing), "null", [null, "null_from_string"]],
    [
      "costs of parts add up",
      anyOf(truths, integers),
      ["1", "0"],
      [[1, 0], "number_from_string", "number_from_string"]
    ],
    [
      "the member that takes all of it",
      anyOf(integers, truths),
      ["1", "yes"],
      [[true, true], "boolean_from_string", "boolean_from_string"]
    ],
    [
      "an object by its own keys",
      anyOf(object({ a: integer }), object({ b: integer })),
      { b: "1" },
      [{ b: 1 }, "number_from_string"]
    ]
  ])

  it("is none where two different values cost the same, and both are named", () => {
    const field = anyOf(object({ a: integer, b: text }), object({ a: text, b: integer }))
    const result = attempt(codecOf(object({ x: field })), { x: { a: "1", b: "2" } })
    assert(Result.isFailure(result))
    assert.deepStrictEqual(result.failure.violations, [
      {
        path: "x",
        code: "ambiguous",
        expected: 'a value that can be read in one way only; this could be {"a":1,"b":"2"} or {"a":"1","b":2}',
        received: "object"
      }
    ])
  })

  it("does not depend on the order of the members", () => {
    for (const field of [anyOf(integer, boolean, integers), anyOf(integers, boolean, integer)]) {
      assert.deepStrictEqual(atX(field, "1"), [1, "number_from_string"])
      assert.deepStrictEqual(atX(field, "[1]"), [[1], "array_from_string"])
    }
  })
})

describe("of exactly one alternative", () => {
  run([
    ["a value that fits two is refused", oneOf(integer, number), 5, "x anyOf"],
    ["a reading that fits two is refused", oneOf(integer, number), "5", "x anyOf"],
    ["a reading that fits one is taken", oneOf(integer, { ...number, maximum: 3 }), "5", [5, "number_from_string"]],
    ["a value that fits none is refused", oneOf(text, { ...integer, minimum: 0 }), -1, "x anyOf"]
  ])
})

const add = object({ kind: { const: "add" }, n: integer })
const del = object({ kind: { const: "del" }, id: text })

const first = object({ v: { const: 1 }, n: integer })
const second = object({ v: { const: 2 }, id: text })
const done = object({ ok: { const: true }, n: integer })
const undone = object({ ok: { const: false }, id: text })

describe("tagged objects", () => {
  run([
    [
      "have their tag and their fields repaired",
      anyOf(add, del),
      { kind: "ADD", n: "5" },
      [{ kind: "add", n: 5 }, "enum_case", "number_from_string"]
    ],
    ["are read from text", anyOf(add, del), '{"kind":"add","n":5}', [{ kind: "add", n: 5 }, "object_from_string"]],
    ["are explained by the member that has the tag", anyOf(add, del), { kind: "del" }, "x.id missing"],
    ["also if the tag is spelt otherwise", anyOf(add, del), { kind: "Add", n: "q" }, "x.n type:integer"],
    ["also if they are text", anyOf(add, del), '{"kind":"add"}', "x.n missing"],
    ["also if the tag is a number in quotes", anyOf(first, second), { v: "1" }, "x.n missing"],
    ["also if the tag is a boolean in quotes", anyOf(done, undone), { ok: "true" }, "x.n missing"],
    ["also if the tag has brought its own quotes", anyOf(add, del), { kind: '"del"' }, "x.id missing"],
    ["also if the key of the tag is spelt otherwise", anyOf(add, del), { Kind: "add", N: "q" }, "x.n type:integer"],
    ["also if they are wrapped", anyOf(add, del), { properties: { kind: "add", n: "q" } }, "x.n type:integer"],
    ["with null for a tag lack it", anyOf(add, del), { kind: null, n: 5 }, "x.kind missing"],
    ["with a number that is no tag are sent to it", anyOf(first, second), { v: "3" }, "x.v enum"],
    ["with an unknown tag under another key are sent to it", anyOf(add, del), { Kind: "mul" }, "x.kind enum"],
    ["with an unknown tag are sent to it", anyOf(add, del), { kind: "mul", n: 1 }, "x.kind enum"],
    ["without a tag are sent to it", anyOf(add, del), { n: 1 }, "x.kind missing"],
    ["are missing their tag if they are none", anyOf(add, del), 5, "x.kind missing"],
    ["beside something else are explained if they have the tag", anyOf(add, integer), { kind: "add" }, "x.n missing"],
    ["beside something else are not explained otherwise", anyOf(add, integer), {}, "x anyOf"]
  ])

  it("are explained also inside a wrapper around all arguments", () => {
    const codec = codecOf({ type: "object", ...oneOf(add, del) })
    assert.deepStrictEqual(repaired(codec, { arguments: { kind: "add", n: "q" } }), { violations: ["n type:integer"] })
    assert.deepStrictEqual(repaired(codec, { arguments: { kind: "mul" } }), { violations: ["kind enum"] })
  })

  it("are sent to a tag in another case where nothing is repaired", () => {
    assert.strictEqual(atX(anyOf(add, del), { kind: "ADD", n: 5 }, "strict"), "x.kind enum")
  })

  it("do not multiply with the levels of a recursive schema", () => {
    interface Node {
      readonly kind: "not" | "all"
      readonly of: Node | number
    }
    const node = (kind: "not" | "all") =>
      Schema.Struct({ kind: Schema.Literal(kind), of: Schema.suspend((): Schema.Codec<Node | number> => Any) })
    const Any: Schema.Codec<Node | number> = Schema.Union([
      Schema.suspend(() => node("not")),
      Schema.suspend(() => node("all")),
      Schema.Int
    ])
    const deep = Array.from({ length: 60 }).reduce<unknown>(
      (of, _, level) => ({ kind: level % 2 ? "NOT" : "all", of }),
      "1"
    )
    const result = repaired(Schema.Struct({ x: Any }), { x: deep })
    assert.strictEqual("kinds" in result ? result.kinds.length : 0, 31)
  })
})

const unit = { enum: ["cm", "in"] }
const circle = object({ type: { const: "circle" }, unit, r: integer })
const square = object({ type: { const: "square" }, unit, w: integer })

describe("a literal that all members have in common", () => {
  run([
    [
      "is a field like any other",
      anyOf(circle, square),
      { type: "circle", unit: "mm", r: "q" },
      "x.unit enum, x.r type:integer"
    ],
    ["may be missing", anyOf(circle, square), { type: "circle", unit: null, r: 1 }, "x.unit missing"],
    ["does not choose a member", anyOf(circle, square), { unit: "cm", r: 1 }, "x.type missing"],
    [
      "leaves members untagged",
      anyOf(object({ unit, r: integer }), object({ unit, w: integer })),
      { unit: "cm", w: "q" },
      "x.w type:integer"
    ]
  ])
})

describe("what no member takes", () => {
  run([
    ["is no member of an enum", anyOf({ enum: ["a"] }, { const: "b" }, nothing), "c", "x enum"],
    ["is explained by the only member besides null", anyOf({ ...integer, minimum: 5 }, nothing), "3", "x range"],
    [
      "is explained by the only object besides null",
      anyOf(object({ a: integer }), nothing),
      { a: "q" },
      "x.a type:integer"
    ],
    [
      "is explained by the first object that was begun",
      anyOf(object({ a: integer }), object({ b: integer })),
      { b: "q" },
      "x.b type:integer"
    ],
    ["or else by the first", anyOf(object({ a: integer }), object({ b: integer }), nothing), {}, "x.a missing"],
    ["is otherwise none of them", anyOf(integer, text), true, "x anyOf"],
    ["is ambiguous if a member says so", anyOf({ enum: ["asc", "ASC"] }, integer), "Asc", "x ambiguous"]
  ])

  it("names the first group of keys where one of several groups is required", () => {
    const schema = {
      ...object({ "path?": text, "content?": text, "name?": text }),
      anyOf: [{ required: ["path"] }, { required: ["content", "name"] }]
    }
    assert.deepStrictEqual(repaired(codecOf(schema), { content: "a" }), { violations: ["path missing"] })
    assert.deepStrictEqual(repaired(codecOf(schema), { content: "a", Name: "b" }), {
      value: { content: "a", name: "b" },
      kinds: ["name key_spelling"]
    })
  })

  it("is told by a check of the union's own", () => {
    const Even = Schema.Union([Schema.Int, Schema.Array(Schema.Int)]).check(
      Schema.makeFilter((value) => typeof value !== "number" || value % 2 === 0 || "an even number")
    )
    assert.deepStrictEqual(repaired(Schema.Struct({ x: Even }), { x: "2" }), {
      value: { x: 2 },
      kinds: ["x number_from_string"]
    })
    assert.deepStrictEqual(repaired(Schema.Struct({ x: Even }), { x: "3" }), { violations: ["x check"] })
  })

  it("is told by a rule of a union inside the union", () => {
    const Item = Schema.Struct({ n: Schema.Int })
    const Small = Schema.Union([Item, Schema.Struct({ id: Schema.Int })]).check(
      Schema.makeFilter((value) => !("n" in value) || value.n < 10 || "a small number")
    )
    const Exact = Schema.Union([Item, Schema.Struct({ n: Schema.Int, id: Schema.optionalKey(Schema.Int) })], {
      mode: "oneOf"
    })
    const either = (inner: Schema.Codec<object>) => Schema.Struct({ x: Schema.Union([Schema.Boolean, inner]) })
    assert.deepInclude(repaired(either(Small), { x: { n: "9" } }), { value: { x: { n: 9 } } })
    assert.deepStrictEqual(repaired(either(Small), { x: { n: "10" } }), { violations: ["x check"] })
    assert.deepStrictEqual(repaired(either(Schema.suspend(() => Small)), { x: { n: "10" } }), {
      violations: ["x check"]
    })
    assert.deepInclude(repaired(either(Exact), { x: { n: "1", id: "2" } }), { value: { x: { n: 1, id: 2 } } })
    assert.deepStrictEqual(repaired(either(Exact), { x: { n: "1" } }), { violations: ["x anyOf"] })
  })
})

describe("a tag that was refused", () => {
  const operation = codecOf(
    object({
      op: oneOf(object({ kind: { const: "add" }, n: integer }), object({ kind: { const: "drop" }, id: text }))
    })
  )
  const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
    ['{"kind":"cut"}', ["op object_from_string"]],
    ['{"Kind":"cut"}', ["op object_from_string", "op.kind key_spelling"]],
    [{ properties: { kind: "cut" } }, ["op unwrapped"]],
    ['{"n":1}', ["op object_from_string"]],
    [{ kind: "cut" }, []]
  ]
  it.each(cases)("says what was repaired on the way to it: %j", (sent, kinds) => {
    const result = attempt(operation, { op: sent })
    assert(Result.isFailure(result))
    assert.strictEqual(result.failure.field, "op.kind")
    assert.deepStrictEqual(
      result.failure.warnings.map(({ kind, path }) => `${path} ${kind}`),
      kinds
    )
  })
})
