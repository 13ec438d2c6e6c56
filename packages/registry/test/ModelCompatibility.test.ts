import { assert, describe, it } from "@effect/vitest"
import { ModelCompatibility } from "@haft/registry"
import { Result, Schema } from "effect"
import { defined, imported, inDialect } from "./support/definitions.ts"

const { anthropic, gemini, mcp, openai, openaiCompatible, openaiStrict } = ModelCompatibility

const search = defined(
  Schema.Struct({
    query: Schema.NonEmptyString.annotate({ description: "What to look for" }),
    limit: Schema.optionalKey(Schema.Int)
  })
)

const safeInteger = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

describe("profiles", () => {
  it("each say where their rules were read, and when", () => {
    for (const profile of [anthropic, gemini, mcp, openai, openaiCompatible, openaiStrict]) {
      assert.isNotEmpty(profile.sources)
      for (const { read, says, url } of profile.sources) {
        assert.match(url, /^https:\/\//)
        assert.match(read, /^\d{4}-\d\d-\d\d$/)
        assert.isNotEmpty(says)
      }
    }
  })

  it("are data: they can be written as text and read again", () => {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(openaiStrict)), openaiStrict)
  })
})

describe("a schema that the provider takes as it stands", () => {
  it.each([anthropic, mcp, openai, openaiCompatible])("is sent as it stands to $provider", (profile) => {
    const { definition, read } = inDialect(search, profile)
    assert.strictEqual(definition, search)
    assert.deepStrictEqual(read({ query: "a", limit: null }), { query: "a", limit: null })
  })
})

describe("strict mode", () => {
  it("requires every property, and null leaves an optional one out", () => {
    const { read, schema } = inDialect(search, openaiStrict)
    assert.deepStrictEqual(schema, {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for. (minLength: 1)" },
        limit: { anyOf: [safeInteger, { type: "null" }] }
      },
      required: ["query", "limit"],
      additionalProperties: false
    })
    assert.deepStrictEqual(read({ query: "a", limit: null }), { query: "a" })
    assert.deepStrictEqual(read({ query: "a", limit: 3 }), { query: "a", limit: 3 })
  })

  it("tells a property that is left out from one that is null", () => {
    const definition = defined(Schema.Struct({ note: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
    const { read } = inDialect(definition, openaiStrict)
    assert.deepStrictEqual(read({ note: null }), {})
    assert.deepStrictEqual(read({ note: { null_itself: null } }), { note: null })
    assert.deepStrictEqual(read({ note: "a" }), { note: "a" })
  })

  it("finds another way to say null where a value has the usual one", () => {
    const value = Schema.NullOr(Schema.Struct({ null_itself: Schema.Null }))
    const { read } = inDialect(defined(Schema.Struct({ value: Schema.optionalKey(value) })), openaiStrict)
    assert.deepStrictEqual(read({ value: { null_itself: null } }), { value: { null_itself: null } })
    assert.deepStrictEqual(read({ value: { null_itself_: null } }), { value: null })
  })

  it("closes an object that says nothing about further properties", () => {
    const { schema } = inDialect(imported({ type: "object", properties: { a: { type: "string" } } }), openaiStrict)
    assert.strictEqual(schema["additionalProperties"], false)
  })

  it("shows any JSON as text, and takes text that is none as it is", () => {
    const { read, schema } = inDialect(defined(Schema.Struct({ value: Schema.Json })), openaiStrict)
    assert.deepStrictEqual(schema["properties"], {
      value: { type: "string", description: "Any JSON value, written as JSON text." }
    })
    assert.deepStrictEqual(read({ value: '{"a":[1,null]}' }), { value: { a: [1, null] } })
    assert.deepStrictEqual(read({ value: "null" }), { value: null })
    assert.deepStrictEqual(read({ value: "not json" }), { value: "not json" })
    assert.deepStrictEqual(read({ value: '{"a":1,"a":2}' }), { value: '{"a":1,"a":2}' })
  })

  it("keeps recursion, and reads at every level", () => {
    interface Tree {
      readonly label?: string
      readonly children: ReadonlyArray<Tree>
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      label: Schema.optionalKey(Schema.String),
      children: Schema.Array(Schema.suspend(() => Tree))
    })
    const { read, schema } = inDialect(defined(Tree), openaiStrict)
    assert.deepStrictEqual(Object.keys(Object(schema["$defs"])), ["Objects__1"])
    const leaf = { label: null, children: [] }
    assert.deepStrictEqual(read({ label: "a", children: [{ label: null, children: [leaf] }] }), {
      label: "a",
      children: [{ children: [{ children: [] }] }]
    })
  })
})

describe("a union at the root", () => {
  const definition = defined(
    Schema.Union([
      Schema.Struct({ kind: Schema.Literal("file"), path: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("none"), reason: Schema.optionalKey(Schema.String) })
    ])
  )

  it.each([anthropic, gemini, mcp, openai, openaiStrict])("is put into an object for $provider", (profile) => {
    const { read, schema } = inDialect(definition, profile)
    assert.strictEqual(schema["type"], "object")
    assert.deepStrictEqual(Object.keys(Object(schema["properties"])), ["input"])
    assert.deepStrictEqual(read({ input: { kind: "file", path: "a" } }), { kind: "file", path: "a" })
  })

  it("stays where it is for a server that takes it", () => {
    assert.strictEqual(inDialect(definition, openaiCompatible).definition, definition)
  })

  it("is read by the tag of the alternative", () => {
    const { read } = inDialect(definition, openaiStrict)
    assert.deepStrictEqual(read({ input: { kind: "none", reason: null } }), { kind: "none" })
  })

  it("is understood without the object, too", () => {
    assert.deepStrictEqual(inDialect(definition, anthropic).read({ kind: "file", path: "a" }), {
      kind: "file",
      path: "a"
    })
  })
})

describe("alternatives that look alike in a dialect", () => {
  const definition = defined(
    Schema.Struct({
      choice: Schema.Union([
        Schema.Struct({ a: Schema.optionalKey(Schema.String) }),
        Schema.Struct({ a: Schema.NullOr(Schema.String) })
      ])
    })
  )

  it("get a name each, so that nothing has to be guessed", () => {
    const { read } = inDialect(definition, openaiStrict)
    assert.deepStrictEqual(read({ choice: { option_1: { a: null } } }), { choice: {} })
    assert.deepStrictEqual(read({ choice: { option_2: { a: null } } }), { choice: { a: null } })
  })

  it("get none where they are read alike", () => {
    assert.strictEqual(inDialect(definition, openai).definition, definition)
  })

  it("are told apart by their keys where that is enough", () => {
    const [left, right] = [Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.optionalKey(Schema.Int) })]
    const { read } = inDialect(defined(Schema.Struct({ choice: Schema.Union([left, right]) })), openaiStrict)
    assert.deepStrictEqual(read({ choice: { b: null } }), { choice: {} })
    assert.deepStrictEqual(read({ choice: { a: "x" } }), { choice: { a: "x" } })
  })
})

describe("an object with free keys", () => {
  const definition = defined(Schema.Struct({ counts: Schema.Record(Schema.String, Schema.Finite) }))

  it.each([gemini, openaiStrict])("is a list of entries for $provider", (profile) => {
    const { read } = inDialect(definition, profile)
    const counts = [
      { key: "a", value: 1 },
      { key: "constructor", value: 2 }
    ]
    assert.deepStrictEqual(read({ counts }), { counts: { a: 1, constructor: 2 } })
    assert.deepStrictEqual(read({ counts: [] }), { counts: {} })
  })

  it("is left as it came if a key occurs twice or something else was sent", () => {
    const { read } = inDialect(definition, openaiStrict)
    const twice = { counts: [1, 2].map((value) => ({ key: "a", value })) }
    assert.deepStrictEqual(read(twice), twice)
    assert.deepStrictEqual(read({ counts: { a: 1 } }), { counts: { a: 1 } })
    assert.deepStrictEqual(read({ counts: [{ key: "a" }] }), { counts: [{ key: "a" }] })
  })

  it("can have a key that means something to the language", () => {
    const { definitions, read } = Result.getOrThrow(ModelCompatibility.prepare([definition], openaiStrict))
    assert.lengthOf(definitions, 1)
    const counts = Object(Object(read("tool", { counts: [{ key: "__proto__", value: 1 }] }))["counts"])
    assert.deepStrictEqual(Object.keys(counts), ["__proto__"])
  })

  it("has its named properties beside the entries", () => {
    const mixed = Schema.StructWithRest(Schema.Struct({ id: Schema.Int }), [Schema.Record(Schema.String, Schema.Int)])
    const { read } = inDialect(defined(mixed), openaiStrict)
    assert.deepStrictEqual(read({ id: 1, other_properties: [{ key: "a", value: 2 }] }), { id: 1, a: 2 })
    const clash = { id: 1, other_properties: [{ key: "id", value: 2 }] }
    assert.deepStrictEqual(read(clash), clash)
  })
})

describe("a list with positions", () => {
  const point = defined(
    Schema.Struct({ at: Schema.TupleWithRest(Schema.Tuple([Schema.Finite, Schema.Boolean]), [Schema.String]) })
  )

  it.each([gemini, openaiStrict])("is an object with a key for each for $provider", (profile) => {
    const { read } = inDialect(point, profile)
    assert.deepStrictEqual(read({ at: { item_1: 1, item_2: true, rest: ["a"] } }), { at: [1, true, "a"] })
    assert.deepStrictEqual(read({ at: [1, true] }), { at: [1, true] })
  })

  it("ends where an element is left out, and has no gaps", () => {
    const pair = Schema.Tuple([Schema.optionalKey(Schema.Int), Schema.optionalKey(Schema.Int)])
    const { read } = inDialect(defined(Schema.Struct({ pair })), openaiStrict)
    assert.deepStrictEqual(read({ pair: { item_1: 1, item_2: null } }), { pair: [1] })
    const gap = { pair: { item_1: null, item_2: 2 } }
    assert.deepStrictEqual(read(gap), gap)
  })

  it("is a list of anything in it for openai, which wants one type of items", () => {
    const { schema } = inDialect(point, openai)
    assert.deepStrictEqual(schema["properties"], {
      at: {
        type: "array",
        items: { anyOf: [{ type: "number" }, { type: "boolean" }, { type: "string" }] },
        minItems: 2,
        description: "Positions 1 to 2 have the types given, in this order."
      }
    })
  })
})

describe("gemini", () => {
  it("tells alternatives apart by their tags where nothing forbids further keys", () => {
    const member = (version: number) => ({
      type: "object",
      properties: { version: { const: version } },
      required: ["version"]
    })
    const definition = imported({
      type: "object",
      properties: { x: { anyOf: [member(1), member(2)] } },
      required: ["x"],
      additionalProperties: false
    })
    const { read } = inDialect(definition, gemini)
    assert.deepStrictEqual(read({ x: { version: "2", more: true } }), { x: { version: 2, more: true } })
    assert.deepStrictEqual(read({ x: { version: "3" } }), { x: { version: "3" } })
  })

  it("takes names of tools and of properties as its source says", () => {
    const named = {
      "a-b": Schema.Int,
      "c.d": Schema.Int,
      _e: Schema.Int,
      "9f": Schema.Int,
      ["g".repeat(65)]: Schema.Int
    }
    const definition = defined(Schema.Struct(named), { name: "tool-with-dashes" })
    const { definition: lowered, schema } = inDialect(definition, gemini)
    assert.strictEqual(lowered.name, "tool-with-dashes")
    assert.deepStrictEqual(Object.keys(Object(schema["properties"])), ["a_b", "c_d", "_e", "_9f", "g".repeat(64)])
  })

  it("gets enums of text, which are read as what they stand for", () => {
    const level = Schema.Literals([3, "3", true, ""])
    const { read, schema } = inDialect(defined(Schema.Struct({ level })), gemini)
    const labels = ["3 (number)", "3", "true", '""']
    assert.deepStrictEqual(schema["properties"], { level: { type: "string", enum: labels } })
    assert.deepStrictEqual(
      labels.map((label) => read({ level: label })),
      [{ level: 3 }, { level: "3" }, { level: true }, { level: "" }]
    )
  })

  it("gets null as a flag beside the type", () => {
    const { schema } = inDialect(defined(Schema.Struct({ a: Schema.NullOr(Schema.String) })), gemini)
    assert.deepStrictEqual(schema["properties"], { a: { type: "string", nullable: true } })
  })

  it("gets a list of types as alternatives", () => {
    const definition = imported({
      type: "object",
      properties: { a: { type: ["string", "number", "null"], minLength: 2, maximum: 5 } },
      required: ["a"],
      additionalProperties: false
    })
    assert.deepStrictEqual(inDialect(definition, gemini).schema["properties"], {
      a: {
        anyOf: [
          { type: "number", maximum: 5, nullable: true },
          { type: "string", minLength: 2 }
        ]
      }
    })
  })

  it("gets a property that nobody needs where there are none", () => {
    const { read, schema } = inDialect(defined(Schema.Struct({})), gemini)
    assert.deepStrictEqual(Object.keys(Object(schema["properties"])), ["unused"])
    assert.deepStrictEqual(read({ unused: "x" }), {})
    assert.deepStrictEqual(read({}), {})
  })

  it("gets recursion as JSON text, with the schema in words", () => {
    interface Chain {
      readonly next: Chain | null
    }
    const Chain: Schema.Codec<Chain> = Schema.Struct({ next: Schema.NullOr(Schema.suspend(() => Chain)) })
    const { read, schema } = inDialect(defined(Chain), gemini)
    assert.match(Object(schema["properties"]).next.description, /^JSON text of a value of this JSON Schema: \{"\$ref"/)
    assert.deepStrictEqual(read({ next: '{"next":null}' }), { next: { next: null } })
  })
})

describe("names that a provider does not take", () => {
  const definition = defined(
    Schema.Struct({ "filter[id]": Schema.String, filter_id_: Schema.optionalKey(Schema.String), $top: Schema.Int })
  )

  it.each([anthropic, mcp])("are spelt differently for $provider and read back", (profile) => {
    const { read, schema } = inDialect(definition, profile)
    assert.deepStrictEqual(Object.keys(Object(schema["properties"])), ["filter_id__2", "filter_id_", "_top"])
    const input = { filter_id__2: "a", filter_id_: "b", _top: 1 }
    assert.deepStrictEqual(read(input), { "filter[id]": "a", filter_id_: "b", $top: 1 })
  })

  it("are left as they came if both spellings were sent", () => {
    const both = { _top: 1, $top: 2 }
    assert.deepStrictEqual(inDialect(definition, anthropic).read(both), both)
  })

  it("stay for a provider that takes them", () => {
    assert.strictEqual(inDialect(definition, openai).definition, definition)
  })
})

describe("what a dialect has no keyword for", () => {
  it("is said in the description, after what the author says", () => {
    const tags = Schema.Array(Schema.String)
      .check(Schema.isUnique())
      .annotate({ description: "Tags", default: ["a"] })
    const { schema } = inDialect(defined(Schema.Struct({ tags })), openaiStrict)
    const description = Object(schema["properties"]).tags.description
    assert.strictEqual(description, 'Tags. (default: ["a"], uniqueItems: true)')
  })

  it("includes regular expressions that look around, and no others", () => {
    const properties = {
      plain: { type: "string", pattern: "^(?:a|b)$" },
      ahead: { type: "string", pattern: "^(?!a)" }
    }
    const definition = imported({
      type: "object",
      properties,
      required: ["plain", "ahead"],
      additionalProperties: false
    })
    for (const profile of [openai, openaiStrict]) {
      assert.deepStrictEqual(inDialect(definition, profile).schema["properties"], {
        plain: { type: "string", pattern: "^(?:a|b)$" },
        ahead: { type: "string", description: '(pattern: "^(?!a)")' }
      })
    }
  })

  it("continues a long description of the tool in its schema", () => {
    const description = "word ".repeat(400)
    const { definition } = inDialect(defined(Schema.Struct({ a: Schema.String }), { description }), openai)
    assert.isAtMost(definition.description.length, 1024)
    const [shown, rest] = [definition.description, String(definition.inputSchema["description"])]
    assert.strictEqual(shown.slice(0, -1) + rest.slice(1), description)
  })
})

describe("allOf", () => {
  it("becomes one schema with the narrower bounds", () => {
    const definition = imported({
      type: "object",
      properties: {
        n: {
          allOf: [
            { type: "integer", minimum: 1 },
            { minimum: 3, maximum: 9 }
          ]
        }
      },
      required: ["n"],
      additionalProperties: false
    })
    for (const profile of [openai, openaiStrict, gemini]) {
      const { schema } = inDialect(definition, profile)
      assert.deepStrictEqual(schema["properties"], { n: { type: "integer", minimum: 3, maximum: 9 } })
    }
  })

  it("becomes one object with the properties of all", () => {
    const named = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
    const aged = { type: "object", properties: { age: { type: "number" }, name: { minLength: 2 } } }
    const definition = imported({ type: "object", allOf: [named, { $ref: "#/$defs/aged" }], $defs: { aged } })
    const { schema } = inDialect(definition, gemini)
    assert.deepStrictEqual(schema, {
      type: "object",
      properties: { name: { type: "string", minLength: 2 }, age: { type: "number" } },
      required: ["name"]
    })
  })
})
