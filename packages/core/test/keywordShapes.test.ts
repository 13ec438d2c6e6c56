import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Effect, type JsonSchema, Result } from "effect"

const open = (inputSchema: JsonSchema.JsonSchema) =>
  Runtime.open("tool", Tool.fromJsonSchema({ description: "", inputSchema, execute: (input) => Effect.succeed(input) }))

const messageOf = (document: JsonSchema.JsonSchema): string => {
  const opened = open(document)
  assert(Result.isFailure(opened))
  assert.strictEqual(opened.failure.reason, "UnsupportedSchema")
  return opened.failure.message
}

const propertyOf = (a: unknown) => ({ type: "object", properties: { a } })
const sentence = (rest: string) => `The JSON Schema cannot be honoured: ${rest}`

describe("a keyword that importing would skip", () => {
  const count = "an integer of at least 0"
  const names = "a list of different strings"
  const schemas = "a list of schemas that is not empty"
  const type = "one of null, boolean, integer, number, string, array, object, or a list of these"
  const ill: ReadonlyArray<readonly [keyword: string, value: unknown, expected: string]> = [
    ["type", "file", type],
    ["type", [], type],
    ["type", ["string", "string"], type],
    ["enum", [], "a list that is not empty"],
    ["enum", "a", "a list that is not empty"],
    ["minimum", "1", "a number"],
    ["exclusiveMinimum", true, "a number"],
    ["exclusiveMaximum", true, "a number"],
    ["multipleOf", 0, "a number above 0"],
    ["minLength", -1, count],
    ["maxItems", 1.5, count],
    ["uniqueItems", "yes", "true or false"],
    ["nullable", "yes", "true or false"],
    ["pattern", 5, "a string"],
    ["$ref", 5, "a string"],
    ["required", "b", names],
    ["required", true, names],
    ["required", ["b", 5], names],
    ["properties", 5, "an object of schemas"],
    ["properties", { b: 5 }, "an object of schemas"],
    ["patternProperties", [], "an object of schemas"],
    ["$defs", { b: null }, "an object of schemas"],
    ["dependentRequired", { b: "c" }, "an object of lists of different strings"],
    ["additionalProperties", "no", "a schema"],
    ["items", 5, "a schema"],
    ["not", "string", "a schema"],
    ["allOf", [], schemas],
    ["anyOf", [], schemas],
    ["oneOf", [5], schemas],
    ["prefixItems", {}, schemas],
    ["title", 5, "a string"],
    ["divisibleBy", 2, "left out, because the draft does not know it"]
  ]

  it.each(ill)("is refused with its place and what it has to be: %s %j", (keyword, value, expected) => {
    const message = sentence(`"${keyword}" at properties.a has to be ${expected}`)
    assert.strictEqual(messageOf(propertyOf({ [keyword]: value })), message)
  })

  const wrong = { type: "file" }
  const places: ReadonlyArray<readonly [place: string, document: JsonSchema.JsonSchema]> = [
    ["", { type: "objects" }],
    ["$defs.b", { type: "object", $defs: { b: wrong } }],
    ["definitions.b", { type: "object", definitions: { b: wrong } }],
    ['patternProperties["^b"]', { type: "object", patternProperties: { "^b": wrong } }],
    ["dependentSchemas.b", { type: "object", dependentSchemas: { b: wrong } }],
    ["dependencies.b", { type: "object", dependencies: { b: wrong } }],
    ["properties.a.items", propertyOf({ items: wrong })],
    ["properties.a.items[1]", propertyOf({ items: [true, wrong] })],
    ["properties.a.additionalItems", propertyOf({ items: [true], additionalItems: wrong })],
    ["properties.a.prefixItems[0]", propertyOf({ prefixItems: [wrong] })],
    ["properties.a.anyOf[1].oneOf[0].allOf[0]", propertyOf({ anyOf: [false, { oneOf: [{ allOf: [wrong] }] }] })],
    ...["contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"].map(
      (keyword) => [`properties.a.${keyword}`, propertyOf({ [keyword]: wrong })] as const
    ),
    ...["not", "if", "then", "else"].map(
      (keyword) => [`properties.a.${keyword}`, propertyOf({ [keyword]: wrong })] as const
    )
  ]

  it.each(places)("is found wherever a schema can be: %s", (place, document) => {
    assert.include(messageOf(document), `"type"${place === "" ? "" : ` at ${place}`} has to be one of null`)
  })

  it("is not looked for in what is no schema", () => {
    const data = { type: "file", required: true, anyOf: [] }
    const document = propertyOf({ default: data, examples: [data], "x-extension": data })
    assert.isTrue(Result.isSuccess(open({ ...document, required: ["a"] })))
    assert.isTrue(Result.isSuccess(open({ type: "object", properties: { type: {}, enum: true, properties: {} } })))
  })
})

describe("a keyword of another draft", () => {
  const declared = (document: JsonSchema.JsonSchema) => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...document
  })
  const unknown = "has to be left out, because the draft does not know it"
  const cases: ReadonlyArray<readonly [string, JsonSchema.JsonSchema, string]> = [
    ["a list of items", propertyOf({ items: [{}] }), '"items" at properties.a has to be a schema'],
    ["additionalItems", propertyOf({ additionalItems: false }), `"additionalItems" at properties.a ${unknown}`],
    ["dependencies", { type: "object", dependencies: { a: ["b"] } }, `"dependencies" ${unknown}`]
  ]

  it.each(cases)("is refused where the document says that it is of draft 2020-12: %s", (_title, document, message) => {
    assert.strictEqual(messageOf(declared(document)), sentence(message))
  })

  it("is refused where it would be hidden by a reference, and kept where it demands nothing", () => {
    const b = { type: "object" }
    const hidden = "in an allOf together with $ref, next to which draft-07 ignores it"
    const document = (rest: object) => ({
      ...propertyOf({ $ref: "#/definitions/b", description: "Said", ...rest }),
      definitions: { b }
    })
    assert.strictEqual(
      messageOf(document({ required: ["c"] })),
      sentence(`"required" at properties.a has to be ${hidden}`)
    )
    assert.isTrue(Result.isSuccess(open(document({}))))
  })
})
