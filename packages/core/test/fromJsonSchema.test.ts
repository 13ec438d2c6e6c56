import { assert, describe, it } from "@effect/vitest"
import { JsonGuard, Tool, ToolContent } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { Effect, type JsonSchema, Result } from "effect"

const echo = (inputSchema: JsonSchema.JsonSchema, options?: Partial<Tool.JsonSchemaOptions>) =>
  Tool.fromJsonSchema({ description: "Echo", inputSchema, execute: (input) => Effect.succeed(input), ...options })

const codesOf = Effect.fnUntraced(function* (tool: Tool.Any, input: unknown) {
  const error = yield* Effect.flip(Testing.call(tool, input))
  assert(error._tag === "InvalidInput")
  return error.violations.map(({ code, path }) => [path, code])
})

const refusalOf = (tool: Tool.Any) => {
  const opened = Runtime.open("tool", tool)
  assert(Result.isFailure(opened))
  return [opened.failure.reason, opened.failure.message]
}

const Search = {
  type: "object",
  description: "A search",
  properties: {
    query: { type: "string", minLength: 2, description: "What to look for" },
    limit: { $ref: "#/$defs/limit" },
    sort: { enum: ["name", "size"] }
  },
  required: ["query"],
  additionalProperties: false,
  $defs: { limit: { type: "integer", minimum: 1 } }
}

describe("a tool known by JSON Schema", () => {
  it.effect("holds arguments to the schema, all of them at once", () =>
    Effect.gen(function* () {
      const tool = echo(Search)
      const input = { query: "ab", limit: 1, sort: "name" }
      assert.deepStrictEqual((yield* Testing.call(tool, input)).output.structured, input)
      assert.deepStrictEqual(yield* codesOf(tool, { limit: 0, sort: "colour", page: 1 }), [
        ["query", "missing"],
        ["page", "unknown_key"],
        ["limit", "range"],
        ["sort", "enum"]
      ])
    })
  )

  it.effect("shows the model the document as it was written", () =>
    Effect.gen(function* () {
      const { definition } = yield* Testing.call(echo(Search), { query: "ab" })
      assert.deepStrictEqual(definition.inputSchema, Search)
      assert.deepStrictEqual(definition.outputSchema, {})
    })
  )

  it.effect("keeps unknown keys where the document is open", () =>
    Effect.gen(function* () {
      const open = echo({ type: "object", properties: { a: { type: "string" } } })
      const called = yield* Testing.call(open, { a: "x", b: [1] })
      assert.deepStrictEqual(called.output.structured, { a: "x", b: [1] })
    })
  )

  it.effect("holds outputs to their schema", () =>
    Effect.gen(function* () {
      const tool = echo({ type: "object" }, { outputSchema: { type: "object", required: ["n"] } })
      assert.strictEqual((yield* Effect.flip(Testing.call(tool, {})))._tag, "InvalidOutput")
      assert.deepStrictEqual((yield* Testing.call(tool, { n: 1 })).output.structured, { n: 1 })
    })
  )

  it.effect("projects like any other tool", () =>
    Effect.gen(function* () {
      const tool = echo({ type: "object" }, { toModelOutput: ({ input }) => [ToolContent.text(JSON.stringify(input))] })
      const { output } = yield* Testing.call(tool, { a: 1 })
      assert.deepStrictEqual(output.content, [ToolContent.text('{"a":1}')])
    })
  )

  it.effect("understands draft-07 and OpenAPI's nullable", () =>
    Effect.gen(function* () {
      const old = echo({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { pair: { type: "array", items: [{ $ref: "#/definitions/n" }, { type: "string" }] } },
        definitions: { n: { type: "integer", nullable: true } }
      })
      yield* Testing.call(old, { pair: [null, "a"] })
      assert.deepStrictEqual(yield* codesOf(old, { pair: ["a", "a"] }), [["pair[0]", "type:integer"]])
    })
  )

  it.effect("takes a document for draft-07 when only that draft knows its keywords", () =>
    Effect.gen(function* () {
      const pair = { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false }
      const tool = echo({ type: "object", properties: { pair } })
      assert.deepStrictEqual(yield* codesOf(tool, { pair: ["a", "a"] }), [["pair[0]", "type:integer"]])
      assert.deepStrictEqual(yield* codesOf(tool, { pair: [1, "a", 2] }), [["pair[2]", "check"]])
      const { definition } = yield* Testing.call(tool, { pair: [1, "a"] })
      const { additionalItems: items, items: prefixItems, ...list } = pair
      assert.deepStrictEqual(definition.inputSchema["properties"], { pair: { ...list, prefixItems, items } })
    })
  )

  it.effect.each([
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#"
  ])("is recognised with or without TLS and an empty fragment, and advertised as draft 2020-12: %s", ($schema) =>
    Effect.gen(function* () {
      const { definition } = yield* Testing.call(echo({ $schema, type: "object" }), {})
      const canonical = "https://json-schema.org/draft/2020-12/schema"
      assert.deepStrictEqual(definition.inputSchema, { $schema: canonical, type: "object" })
    })
  )

  it.effect("does not find a name of Object.prototype that was not sent", () =>
    Effect.gen(function* () {
      const tool = echo({ type: "object", properties: { constructor: { type: "string" } } })
      assert.deepStrictEqual(Object.keys((yield* Testing.call(tool, {})).input), [])
    })
  )

  it.effect("does not change when the document is changed afterwards", () =>
    Effect.gen(function* () {
      const document = { type: "object", properties: { a: { type: "string" } } }
      const tool = echo(document)
      document.properties.a.type = "integer"
      assert.deepStrictEqual(yield* codesOf(tool, { a: 1 }), [["a", "type:string"]])
    })
  )

  it.effect("applies or ignores patterns as told, and refuses to guess", () =>
    Effect.gen(function* () {
      const document = { type: "object", properties: { id: { type: "string", pattern: "^a+$" } } }
      assert.deepStrictEqual(yield* codesOf(echo(document, { patterns: "apply" }), { id: "b" }), [["id", "check"]])
      yield* Testing.call(echo(document, { patterns: "ignore" }), { id: "b" })
      const [reason, message] = refusalOf(echo(document))
      assert.strictEqual(reason, "UnsupportedSchema")
      assert.include(message, 'patterns: "apply"')
    })
  )
})

describe("a reference at the root", () => {
  const a = { $id: "https://a.example/a", type: "object", properties: { a: { type: "string" } }, required: ["a"] }
  const { $id: _, ...inlined } = a

  it.effect("is replaced by its definition, and what is said next to it is kept", () =>
    Effect.gen(function* () {
      const said = { title: "A", description: "Said here", "x-order": 1 }
      const { definition } = yield* Testing.call(echo({ $ref: "#/$defs/a", ...said, $defs: { a } }), { a: "x" })
      assert.deepStrictEqual(definition.inputSchema, { ...inlined, ...said, $defs: { a } })
    })
  )

  it.effect("demands what its definition demands and what stands next to it", () =>
    Effect.gen(function* () {
      const siblings = { required: ["b"], properties: { a: { minLength: 2 } } }
      const tool = echo({ $ref: "#/$defs/a", title: "A", ...siblings, $defs: { a } })
      assert.deepStrictEqual(yield* codesOf(tool, {}), [
        ["a", "missing"],
        ["b", "missing"]
      ])
      assert.deepStrictEqual(yield* codesOf(tool, { a: "x", b: 1 }), [["a", "check"]])
      const { definition } = yield* Testing.call(tool, { a: "xy", b: 1 })
      const advertised = { type: "object", title: "A", allOf: [inlined, siblings], $defs: { a } }
      assert.deepStrictEqual(definition.inputSchema, advertised)
    })
  )

  it("does not make an object of what is none", () => {
    const [reason] = refusalOf(echo({ $ref: "#/$defs/b", required: ["b"], $defs: { b: { type: ["object", "null"] } } }))
    assert.strictEqual(reason, "InputNotObject")
  })
})

describe("a document that cannot be honoured", () => {
  const object = (rest: JsonSchema.JsonSchema) => ({ type: "object", ...rest })
  const deep: JsonSchema.JsonSchema = JSON.parse('{"items":'.repeat(100_000) + "{}" + "}".repeat(100_000))
  const cases: ReadonlyArray<readonly [string, JsonSchema.JsonSchema, string, string]> = [
    ["a string at the root", { type: "string" }, "InputNotObject", "not an object at its root"],
    ["no type at the root", {}, "InputNotObject", "not an object at its root"],
    ["if", object({ if: {}, then: {} }), "UnsupportedSchema", '"if"'],
    ["not", object({ properties: { a: { not: { type: "string" } } } }), "UnsupportedSchema", "not"],
    ["dependentRequired", object({ dependentRequired: { a: ["b"] } }), "UnsupportedSchema", "dependentRequired"],
    ["an object as a constant", object({ properties: { a: { const: { b: 1 } } } }), "UnsupportedSchema", "const"],
    ["another document", object({ properties: { a: { $ref: "https://a.example/b" } } }), "UnsupportedSchema", "$ref"],
    ["a missing definition", object({ properties: { a: { $ref: "#/$defs/b" } } }), "UnsupportedSchema", "b"],
    ["a string at the root, with advice", { type: "string" }, "InputNotObject", 'Give it the type "object" there'],
    ["both kinds of definitions", object({ $defs: {}, definitions: {} }), "UnsupportedSchema", '"$defs"'],
    [
      "keywords of a later draft",
      object({ $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { prefixItems: [{}] } } }),
      "UnsupportedSchema",
      '"prefixItems"'
    ],
    ["draft 2019-09", object({ $schema: "https://json-schema.org/draft/2019-09/schema" }), "UnsupportedSchema", "2019"],
    ["another draft", object({ $schema: "http://json-schema.org/draft-03/schema#" }), "UnsupportedSchema", "draft-03"],
    [
      "a required key that is not declared",
      object({ required: ["a"], additionalProperties: false }),
      "UnsupportedSchema",
      "required key"
    ],
    [
      "a reference that leads back to itself",
      { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } } },
      "EndlessSchema",
      "refers to itself"
    ],
    ["100,000 levels", object({ properties: { a: deep } }), "UnsupportedSchema", `${JsonGuard.maxDepth} levels`]
  ]

  it.each(cases)("is refused with the reason: %s", (_title, document, reason, part) => {
    const [refused, message] = refusalOf(echo(document))
    assert.strictEqual(refused, reason)
    assert.include(message, part)
  })

  const unreadable = new Proxy({}, { ownKeys: () => assert.fail("no keys") })
  it.each([
    ["null", null],
    ["nothing", undefined],
    ["a boolean", true],
    ["text", "{}"],
    ["a list", []],
    ["a function", () => {}],
    ["a map", new Map()],
    ["what cannot be read", unreadable]
  ])("is refused and not thrown: %s", (_title, value) => {
    const outputSchema = value === undefined ? null : value
    // @ts-expect-error none of these is a schema, and a JavaScript caller can still pass them
    for (const tool of [echo(value), echo({ type: "object" }, { outputSchema })]) {
      assert.strictEqual(refusalOf(tool)[0], "UnsupportedSchema")
    }
  })

  it.effect("is accepted when a tag, other keys or other types tell the alternatives apart", () =>
    Effect.gen(function* () {
      const T = { $ref: "#/$defs/T" }
      const tagged = (kind: string) => ({
        ...node("k"),
        properties: { kind: { const: kind }, a: T },
        required: ["kind"]
      })
      const only = (key: string) => ({ type: "object", properties: { [key]: T }, additionalProperties: false })
      const list = { type: "array", items: T }
      for (const anyOf of [
        [tagged("a"), tagged("b")],
        [only("and"), only("or"), list, { type: "string" }]
      ]) {
        const document = { type: "object", properties: { t: T }, $defs: { T: { anyOf } } }
        yield* Testing.call(echo(document), {})
      }
    })
  )
})

const node = (key: string) => ({
  type: "object",
  properties: { a: { $ref: "#/$defs/T" }, [key]: { type: "string" } }
})
