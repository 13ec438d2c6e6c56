import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { codecOf, object, repaired } from "./support/repairs.ts"

const text = { type: "string" }
const integer = { type: "integer" }

describe("a blank text in an optional field", () => {
  const cases: ReadonlyArray<readonly [string, Parameters<typeof object>[0], unknown, unknown]> = [
    ["is left out of a string", { "x?": text }, "", { value: {}, kinds: ["x blank_dropped"] }],
    ["may be any white space", { "x?": text }, " \n\u00a0", { value: {}, kinds: ["x blank_dropped"] }],
    ["is left out of an enum", { "x?": { enum: ["a"] } }, " ", { value: {}, kinds: ["x blank_dropped"] }],
    [
      "is left out of a string of a form",
      { "x?": { ...text, minLength: 2 } },
      "",
      { value: {}, kinds: ["x blank_dropped"] }
    ],
    [
      "is kept where the author says so",
      { "x?": { ...text, "x-allow-empty": true } },
      "",
      { value: { x: "" }, kinds: [] }
    ],
    [
      "is kept where null is admitted, too",
      { "x?": { type: ["string", "null"] } },
      "",
      { value: { x: "" }, kinds: [] }
    ],
    ["is dropped from a nullable enum", { "x?": { enum: ["a", null] } }, "", { value: {}, kinds: ["x blank_dropped"] }],
    ["is refused for an integer", { "x?": integer }, "", { violations: ["x type:integer"] }],
    ["is refused for a boolean", { "x?": { type: "boolean" } }, "", { violations: ["x type:boolean"] }],
    ["is refused for a list", { "x?": { type: "array" } }, "", { violations: ["x type:array"] }],
    ["is refused for an object", { "x?": object({}) }, "", { violations: ["x type:object"] }],
    ["is refused for mixed literals", { "x?": { enum: ["a", 1] } }, "", { violations: ["x enum"] }],
    ["is kept in a required string", { x: text }, "", { value: { x: "" }, kinds: [] }],
    ["is refused for a required string of a form", { x: { ...text, minLength: 1 } }, "", { violations: ["x check"] }]
  ]
  it.each(cases)("%s", (_, fields, sent, expected) => {
    assert.deepStrictEqual(repaired(codecOf(object(fields)), { x: sent }), expected)
  })

  it("is left out at every depth, and behind a reference", () => {
    const item = object({ a: text, "note?": { $ref: "#/$defs/Note" } })
    const schema = { ...object({ list: { type: "array", items: item } }), $defs: { Note: text } }
    assert.deepStrictEqual(repaired(codecOf(schema), { list: [{ a: "", note: "" }] }), {
      value: { list: [{ a: "" }] },
      kinds: ["list[0].note blank_dropped"]
    })
  })

  it("is used as it was sent where leaving it out would break a check on the whole", () => {
    const schema = { ...object({ "a?": text, "b?": text }), minProperties: 1 }
    assert.deepStrictEqual(repaired(codecOf(schema), { a: "" }), { value: { a: "" }, kinds: [] })
    assert.deepStrictEqual(repaired(codecOf(schema), { a: "", b: "x" }), {
      value: { b: "x" },
      kinds: ["a blank_dropped"]
    })
  })
})

describe("violations of an object", () => {
  it("come in a fixed order: missing, unknown, wrong values in the order of the schema", () => {
    const schema = object({ a: integer, b: object({ c: text }), d: text })
    assert.deepStrictEqual(repaired(codecOf(schema), { z: 1, b: {}, a: "x" }), {
      violations: ["d missing", "z unknown_key", "a type:integer", "b.c missing"]
    })
  })

  it("do not depend on the order in which wrong values were sent", () => {
    const schema = codecOf(object({ a: integer, b: integer }))
    assert.deepStrictEqual(repaired(schema, { b: "x", a: "x" }), { violations: ["a type:integer", "b type:integer"] })
    assert.deepStrictEqual(repaired(schema, { y: 1, a: 1, x: 1, b: 1 }), {
      violations: ["y unknown_key", "x unknown_key"]
    })
  })

  it("blame no field for a check on the whole", () => {
    const schema = { ...object({ "a?": integer, "b?": integer }), minProperties: 1 }
    assert.deepStrictEqual(repaired(codecOf(schema), {}), { violations: ["check"] })
    assert.deepStrictEqual(repaired(codecOf(object({ x: schema })), { x: {} }), { violations: ["x check"] })
  })

  it("treat names of Object.prototype as any others", () => {
    const schema = codecOf(object({ "constructor?": text, toString: text }))
    assert.deepStrictEqual(repaired(schema, {}), { violations: ["toString missing"] })
    assert.deepStrictEqual(repaired(schema, '{"toString":"a","__proto__":{"x":1}}'), {
      violations: ["__proto__ unknown_key"]
    })
    assert.deepStrictEqual(repaired(codecOf(object({ __proto: integer })), '{"__proto__":"1"}'), {
      violations: ["__proto missing", "__proto__ unknown_key"]
    })
    assert.isFalse("x" in {})
  })
})

describe("keys in another spelling", () => {
  const schema = codecOf(object({ pattern: text, "max_results?": integer, "ignoreCase?": { type: "boolean" } }))
  it("take the declared name and keep their place", () => {
    const sent = '{"ignore-case":"yes","Pattern":"a","maxResults":"5"}'
    const result = repaired(schema, sent)
    assert.deepStrictEqual(result, {
      value: { ignoreCase: true, pattern: "a", max_results: 5 },
      kinds: [
        "ignoreCase key_spelling",
        "pattern key_spelling",
        "max_results key_spelling",
        "max_results number_from_string",
        "ignoreCase boolean_from_string"
      ]
    })
    assert.strictEqual(
      JSON.stringify("value" in result ? result.value : undefined),
      '{"ignoreCase":true,"pattern":"a","max_results":5}'
    )
  })

  it("stay unknown where the declared key is there, too", () => {
    assert.deepStrictEqual(repaired(schema, { pattern: "a", Pattern: "b" }), { violations: ["Pattern unknown_key"] })
  })

  it("stay unknown where two compete", () => {
    assert.deepStrictEqual(repaired(schema, { Pattern: "a", PATTERN: "b" }), {
      violations: ["pattern missing", "Pattern unknown_key", "PATTERN unknown_key"]
    })
  })

  it("stay unknown where two declared keys are spelt alike", () => {
    const alike = codecOf(object({ "a_b?": text, "aB?": text }))
    assert.deepStrictEqual(repaired(alike, { "a-b": "x" }), { violations: ["a-b unknown_key"] })
  })

  it("stay unknown where nothing but punctuation is left of them, or they are not ASCII", () => {
    const odd = codecOf(object({ "_?": text, "größe?": text, "k?": text }))
    for (const key of ["-", "Größe", "\u212a"]) {
      const result = repaired(odd, { [key]: "x" })
      assert.include("violations" in result ? result.violations.join() : "", "unknown_key")
    }
    assert.deepStrictEqual(repaired(odd, { K: "x" }), { value: { k: "x" }, kinds: ["k key_spelling"] })
  })

  it("stay as they are in an open object", () => {
    const open = codecOf({ type: "object", properties: { max_results: integer } })
    assert.deepStrictEqual(repaired(open, { maxResults: "5" }), { value: { maxResults: "5" }, kinds: [] })
  })

  it("are not guessed from a resemblance", () => {
    assert.deepStrictEqual(repaired(schema, { patern: "a" }), {
      violations: ["pattern missing", "patern unknown_key"]
    })
  })
})

describe("aliases", () => {
  const schema = codecOf(object({ path: { ...text, "x-aliases": ["file", "filename"] }, "limit?": integer }))
  it("take the declared name where the author declared them", () => {
    assert.deepStrictEqual(repaired(schema, { file: "a" }), { value: { path: "a" }, kinds: ["path alias"] })
    assert.deepStrictEqual(repaired(schema, { File: "a" }), { violations: ["path missing", "File unknown_key"] })
  })

  it("stay unknown beside the declared key, or beside another alias", () => {
    assert.deepStrictEqual(repaired(schema, { path: "a", file: "b" }), { violations: ["file unknown_key"] })
    assert.deepStrictEqual(repaired(schema, { file: "a", filename: "b" }), {
      violations: ["path missing", "file unknown_key", "filename unknown_key"]
    })
  })

  it("of two keys at once are two readings", () => {
    const shared = codecOf(object({ "a?": { ...text, "x-aliases": ["c"] }, "b?": { ...text, "x-aliases": ["c"] } }))
    assert.deepStrictEqual(repaired(shared, { c: "x" }), { violations: ["c unknown_key"] })
  })
})

describe("wrappers", () => {
  const schema = codecOf(object({ city: text, "unit?": { enum: ["c", "f"] } }))
  const unwrapped = (value: unknown) => ({ value, kinds: ["unwrapped"] })
  const done: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["properties", { properties: { city: "Paris" } }, unwrapped({ city: "Paris" })],
    ["properties beside a key", { unit: "c", properties: { city: "Paris" } }, unwrapped({ unit: "c", city: "Paris" })],
    [
      "properties with a key that is outside, too",
      { city: "Rome", properties: { city: "Paris", unit: "c" } },
      unwrapped({ city: "Rome", unit: "c" })
    ],
    [
      "an echoed schema",
      { type: "object", title: "T", $schema: "s", properties: { city: "Paris" }, required: ["city"] },
      unwrapped({ city: "Paris" })
    ],
    ...["arguments", "args", "parameters", "params", "input"].map(
      (key) => [key, { [key]: { city: "Paris" } }, unwrapped({ city: "Paris" })] as const
    ),
    ["a call with this tool's name", { name: "tool", arguments: { city: "Paris" } }, unwrapped({ city: "Paris" })],
    ["a call that says tool", { input: { city: "Paris" }, tool: "tool" }, unwrapped({ city: "Paris" })],
    [
      "two of them",
      { arguments: { properties: { city: "Paris" } } },
      { value: { city: "Paris" }, kinds: ["unwrapped", "unwrapped"] }
    ],
    [
      "one that holds text",
      { arguments: "{'city': 'Paris'}" },
      { value: { city: "Paris" }, kinds: ["single_quotes", "object_from_string", "unwrapped"] }
    ],
    [
      "one with values to repair",
      { args: { City: "Paris", unit: "C", city: "Rome" } },
      { violations: ["City unknown_key"] }
    ],
    [
      "one with more to repair inside",
      { args: { city: "Paris", unit: "C" } },
      { value: { city: "Paris", unit: "c" }, kinds: ["unwrapped", "unit enum_case"] }
    ],
    ["an empty one", { arguments: {} }, { violations: ["city missing"] }],
    ["undeclared keys come along", { properties: { city: "Paris", zip: 1 } }, { violations: ["zip unknown_key"] }],
    ["an echo of the schema itself", { properties: { city: { type: "string" } } }, { violations: ["city type:string"] }]
  ]
  it.each(done)("are undone: %s", (_, sent, expected) => {
    assert.deepStrictEqual(repaired(schema, sent), expected)
  })

  const left: ReadonlyArray<readonly [string, unknown, ReadonlyArray<string>]> = [
    ["bare text", { arguments: "Paris" }, ["city missing", "arguments unknown_key"]],
    [
      "another tool's name",
      { name: "other", arguments: { city: "P" } },
      ["city missing", "name unknown_key", "arguments unknown_key"]
    ],
    ["another key beside it", { arguments: { city: "P" }, unit: "c" }, ["city missing", "arguments unknown_key"]],
    ["nothing declared inside", { arguments: { town: "P" } }, ["city missing", "arguments unknown_key"]],
    ["properties without a declared key", { city: "P", properties: { zip: 1 } }, ["properties unknown_key"]],
    ["a list", { arguments: [{ city: "P" }] }, ["city missing", "arguments unknown_key"]],
    ["three of them", { args: { args: { args: { city: "P" } } } }, ["city missing", "args unknown_key"]],
    [
      "a name and a tool",
      { name: "tool", tool: "tool", input: { city: "P" } },
      ["city missing", "name unknown_key", "tool unknown_key", "input unknown_key"]
    ]
  ]
  it.each(left)("stay where they are: %s", (_, sent, violations) => {
    assert.deepStrictEqual(repaired(schema, sent), { violations })
  })

  it("called properties are undone at any depth, the others at the root only", () => {
    const nested = codecOf(object({ at: object({ city: text }) }))
    assert.deepStrictEqual(repaired(nested, { at: { properties: { city: "P" } } }), {
      value: { at: { city: "P" } },
      kinds: ["at unwrapped"]
    })
    assert.deepStrictEqual(repaired(nested, { at: { arguments: { city: "P" } } }), {
      violations: ["at.city missing", "at.arguments unknown_key"]
    })
  })

  it("that are declared are data, and so are those in open objects", () => {
    const declared = codecOf(object({ "properties?": object({ "city?": text }), "city?": integer }))
    assert.deepStrictEqual(repaired(declared, { properties: { city: "P" }, city: "x" }), {
      violations: ["city type:integer"]
    })
    const open = codecOf({ type: "object", properties: { city: text }, required: ["city"] })
    assert.deepStrictEqual(repaired(open, { arguments: { city: "P" } }), { violations: ["city missing"] })
  })
})

describe("a fault in one field", () => {
  it("changes nothing in another", () => {
    const schema = codecOf(object({ "note?": { type: ["string", "null"] }, n: integer, "s?": text }))
    assert.deepStrictEqual(repaired(schema, { note: "null", n: "1", s: "1" }), {
      value: { note: "null", n: 1, s: "1" },
      kinds: ["n number_from_string"]
    })
  })
})

describe("renamed keys", () => {
  it("are reported in the order in which they were sent, whatever gave them their name", () => {
    const Search = Schema.Struct({
      path: Schema.String.pipe(Schema.annotate({ aliases: ["file"] })),
      maxResults: Schema.Int
    })
    assert.deepStrictEqual(repaired(Search, { max_results: 1, file: "a" }), {
      value: { maxResults: 1, path: "a" },
      kinds: ["maxResults key_spelling", "path alias"]
    })
  })
})
