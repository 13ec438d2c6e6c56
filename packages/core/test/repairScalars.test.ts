import { assert, describe, it } from "@effect/vitest"
import type { ArgumentRepair } from "@haft/core"
import { type JsonSchema, Result, Schema } from "effect"
import { attempt, atX, codecOf, object, repaired } from "./support/repairs.ts"

type Case = readonly [sent: unknown, becomes: unknown]

const run = (field: JsonSchema.JsonSchema, cases: ReadonlyArray<Case>, level?: ArgumentRepair.Level) =>
  it.each(cases.map(([sent, becomes]) => [JSON.stringify(sent), sent, becomes] as const))("%s", (_, sent, becomes) => {
    assert.deepStrictEqual(atX(field, sent, level), becomes)
  })

describe("text for an integer is read if it is exactly what JSON would have carried", () => {
  run({ type: "integer" }, [
    ["15", [15, "number_from_string"]],
    ["-3", [-3, "number_from_string"]],
    ["0", [0, "number_from_string"]],
    ["-0", [0, "number_from_string"]],
    ["2.0", [2, "number_from_string"]],
    ["4e2", [400, "number_from_string"]],
    ["4E+2", [400, "number_from_string"]],
    ["150e-1", [15, "number_from_string"]],
    [" 15\n", [15, "number_from_string"]],
    ["\u00a015", [15, "number_from_string"]],
    ["9007199254740991", [9007199254740991, "number_from_string"]],
    ["9007199254740992", "x unsafe_integer"],
    ["-9007199254740993", "x unsafe_integer"],
    ["1e300", "x unsafe_integer"],
    ["1e400", "x type:integer"],
    ["1.5", "x type:integer"],
    ...["", " ", "+1", "01", "-01", "1.", ".5", "1e", "0x1F", "1_000", "1,000", "5 apples", "5%", "NaN", "inf"].map(
      (text): Case => [text, "x type:integer"]
    ),
    ["Infinity", "x type:integer"],
    ["１５", "x type:integer"],
    ["١٥", "x type:integer"],
    ["1 5", "x type:integer"],
    ["--1", "x type:integer"],
    ["one", "x type:integer"],
    ["null", "x type:integer"],
    [1.5, "x type:integer"],
    [2 ** 53, "x unsafe_integer"],
    [true, "x type:integer"],
    [["1"], "x type:integer"],
    [{}, "x type:integer"],
    [null, "x missing"]
  ])
})

describe("text for a number", () => {
  run({ type: "number" }, [
    ["3.14", [3.14, "number_from_string"]],
    ["-1.5e-3", [-0.0015, "number_from_string"]],
    ["9007199254740993", "x unsafe_integer"],
    ["12345678901234567890.5", "x unsafe_integer"],
    ["1e400", "x type:number"],
    ["$5", "x type:number"],
    [1e300, { kept: 1e300 }],
    [false, "x type:number"]
  ])
})

describe("bounds hold after a text was read", () => {
  run({ type: "integer", minimum: 1, maximum: 10 }, [
    ["1", [1, "number_from_string"]],
    ["0", "x range"],
    ["11", "x range"],
    [0, "x range"],
    [2 ** 60, "x unsafe_integer"]
  ])
  run({ type: "number", exclusiveMinimum: 0, multipleOf: 0.5 }, [
    ["0.5", [0.5, "number_from_string"]],
    ["0", "x range"],
    [0.7, "x range"]
  ])
})

describe("minus zero", () => {
  it("is valid and stays where it was sent as a number, and is zero where it was text", () => {
    const codec = codecOf(object({ x: { type: "integer" } }))
    const [native, text] = [-0, "-0"].map((x) => Result.getOrThrow(attempt(codec, { x })))
    assert.isTrue(Object.is(native?.value["x"], -0))
    assert.deepStrictEqual(native?.warnings, [])
    assert.isTrue(Object.is(text?.value["x"], 0))
  })
})

describe("words for a boolean are those of a closed list", () => {
  const truths = ["true", "TRUE", "True", " true ", "yes", "Yes", "1"]
  const lies = ["false", "FALSE", "no", "NO\t", "0"]
  run({ type: "boolean" }, [
    ...truths.map((text): Case => [text, [true, "boolean_from_string"]]),
    ...lies.map((text): Case => [text, [false, "boolean_from_string"]]),
    ...["on", "off", "y", "n", "t", "f", "", "constructor", "__proto__", "toString", "ｔrue", "null", "1.0", "2"].map(
      (text): Case => [text, "x type:boolean"]
    ),
    [0, "x type:boolean"],
    [1, "x type:boolean"],
    [[true], "x type:boolean"],
    [null, "x missing"]
  ])
})

describe("null", () => {
  const nullable: ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> = [
    ["a list of types", { type: ["integer", "null"] }],
    ["alternatives", { anyOf: [{ type: "integer" }, { type: "null" }] }],
    ["oneOf", { oneOf: [{ type: "integer" }, { type: "null" }] }]
  ]
  it.each(nullable)("is kept, and read from its word, where %s admits it", (_, field) => {
    assert.deepStrictEqual(atX(field, null), { kept: null })
    for (const word of ["null", "NULL", " Null "]) {
      assert.deepStrictEqual(atX(field, word), [null, "null_from_string"])
    }
    assert.strictEqual(atX(field, "None"), "x type:integer")
    assert.deepStrictEqual(atX(field, "15"), [15, "number_from_string"])
  })

  it("among the members of an enum counts, too", () => {
    const field = { enum: ["a", "b", null] }
    assert.deepStrictEqual(atX(field, null), { kept: null })
    assert.deepStrictEqual(atX(field, "null"), [null, "null_from_string"])
    assert.deepStrictEqual(atX(field, "A"), ["a", "enum_case"])
    assert.strictEqual(atX(field, ""), "x enum")
  })

  it("as a word stays a word where strings are admitted", () => {
    assert.deepStrictEqual(atX({ type: ["string", "null"] }, "null"), { kept: "null" })
    assert.deepStrictEqual(atX({ type: "string" }, "null"), { kept: "null" })
  })

  it("in place of a required value is a value that is missing", () => {
    for (const field of [{ type: "string" }, { enum: ["a"] }, { type: "array" }, { type: "object" }]) {
      assert.strictEqual(atX(field, null), "x missing")
    }
  })

  it("is never left out of a list, nor out of a map", () => {
    assert.strictEqual(atX({ type: "array", items: { type: "integer" } }, [1, null]), "x[1] type:integer")
    assert.strictEqual(
      atX({ type: "object", additionalProperties: { type: "string" } }, { a: null }),
      "x.a type:string"
    )
  })

  const optional: ReadonlyArray<readonly [string, JsonSchema.JsonSchema, unknown, unknown]> = [
    ["an integer", { type: "integer" }, null, { value: {}, kinds: ["x null_dropped"] }],
    ["a string", { type: "string" }, null, { value: {}, kinds: ["x null_dropped"] }],
    ["the word for an integer", { type: "integer" }, "null", { value: {}, kinds: ["x null_dropped"] }],
    ["the word for a list", { type: "array", items: {} }, " NULL", { value: {}, kinds: ["x null_dropped"] }],
    ["the word for an enum", { enum: ["a"] }, "null", { value: {}, kinds: ["x null_dropped"] }],
    ["the word for a string", { type: "string" }, "null", { value: { x: "null" }, kinds: [] }],
    ["the word for a string of a form", { type: "string", pattern: "^a" }, "null", { violations: ["x check"] }],
    ["a nullable", { type: ["integer", "null"] }, null, { value: { x: null }, kinds: [] }],
    [
      "the word for a nullable",
      { type: ["integer", "null"] },
      "null",
      { value: { x: null }, kinds: ["x null_from_string"] }
    ],
    ["another word", { type: "integer" }, "None", { violations: ["x type:integer"] }]
  ]
  it.each(optional)("in an optional field: %s", (_, field, sent, expected) => {
    assert.deepStrictEqual(repaired(codecOf(object({ "x?": field })), { x: sent }), expected)
  })
})

describe("a literal takes its declared spelling", () => {
  run({ enum: ["pinned", "In Progress", "GET"] }, [
    ["Pinned", ["pinned", "enum_case"]],
    [" pinned ", ["pinned", "enum_case"]],
    ["in progress", ["In Progress", "enum_case"]],
    ["get", ["GET", "enum_case"]],
    ['"pinned"', ["pinned", "enum_unquoted"]],
    ['" PINNED "', ["pinned", "enum_unquoted"]],
    ["'pinned'", "x enum"],
    ["in_progress", "x enum"],
    ["pin", "x enum"],
    [["pinned"], "x enum"],
    [1, "x enum"],
    [true, "x enum"],
    ["", "x enum"]
  ])
  run({ enum: ["asc", "ASC", "desc"] }, [
    ["asc", { kept: "asc" }],
    [" ASC ", ["ASC", "enum_case"]],
    ["Asc", "x ambiguous"],
    ['"Asc"', "x ambiguous"],
    ["DESC", ["desc", "enum_case"]]
  ])
  run({ enum: ["k", "ss", "i"] }, [
    ["\u212a", "x enum"],
    ["ß", "x enum"],
    ["İ", "x enum"]
  ])
  run({ enum: [1, 2.5, true, "x"] }, [
    ["1", [1, "number_from_string"]],
    ["2.50", [2.5, "number_from_string"]],
    ["yes", [true, "boolean_from_string"]],
    ["false", "x enum"],
    ["3", "x enum"],
    ["X", ["x", "enum_case"]]
  ])
  run({ const: "list" }, [["LIST", ["list", "enum_case"]]])
})

describe("an enumeration of TypeScript", () => {
  it("is handled as literals are", () => {
    const Mode = { Fast: "fast", Slow: "slow" } as const
    const codec = Schema.Struct({ x: Schema.Enum(Mode) })
    assert.deepStrictEqual(repaired(codec, { x: "FAST" }), { value: { x: "fast" }, kinds: ["x enum_case"] })
    assert.deepStrictEqual(repaired(codec, { x: "quick" }), { violations: ["x enum"] })
  })
})

describe("strings are content", () => {
  const texts = ["15", " 15 ", "true", "null", "[1]", '{"a":1}', '"a"', "", " \n", "```json\n{}\n```", "\u0000", "&lt;"]
  it.each(texts.map((text) => [JSON.stringify(text), text]))("%s is kept as it is", (_, text) => {
    assert.deepStrictEqual(atX({ type: "string" }, text), { kept: text })
  })

  it.each([42, true, ["a"], { a: 1 }, 1.5].map((value) => [JSON.stringify(value), value]))(
    "%s does not become one",
    (_, value) => {
      assert.strictEqual(atX({ type: "string" }, value), "x type:string")
    }
  )

  it("and a form that is not met is a check", () => {
    assert.strictEqual(atX({ type: "string", minLength: 2 }, "a"), "x check")
    assert.strictEqual(atX({ type: "string", pattern: "^a+$" }, "b"), "x check")
  })
})
