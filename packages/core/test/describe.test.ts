import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Effect, type JsonSchema, Result, Schema } from "effect"

const advertised = (input: Tool.Codec): JsonSchema.JsonSchema => {
  const tool = Tool.make({ description: "", input, output: Schema.String, execute: () => Effect.succeed("") })
  return Result.getOrThrow(Runtime.open("tool", tool)).definition.inputSchema
}

const propertyOf = (field: Tool.Codec) => {
  const { properties } = advertised(Schema.Struct({ field }))
  return (properties as JsonSchema.JsonSchema)["field"]
}

const When = Schema.Date.annotate({ description: "When" })
const when = { type: "string", description: "When" }
const none = { type: "null" }

interface Event {
  readonly at: Date
  readonly next: Event | null
}
const Event: Schema.Codec<Event, unknown> = Schema.Struct({
  at: When,
  next: Schema.NullOr(Schema.suspend(() => Event))
})

class Person extends Schema.Class<Person>("test/Person")(
  { born: When, parent: Schema.NullOr(Schema.suspend((): Schema.Codec<Person, unknown> => Person)) },
  { description: "A person" }
) {}

describe("the description of a transformed schema is said", () => {
  const places: ReadonlyArray<readonly [string, Tool.Codec, unknown]> = [
    ["of a value that may be null", Schema.NullOr(When), { anyOf: [when, none] }],
    ["of an alternative", Schema.Union([When, Schema.Null]), { anyOf: [when, none] }],
    [
      "of an alternative inside another",
      Schema.Union([Schema.NullOr(When), Schema.Boolean]),
      { anyOf: [when, none, { type: "boolean" }] }
    ],
    [
      "of an exclusive alternative",
      Schema.Union([Schema.Array(When), Schema.Null], { mode: "oneOf" }),
      { oneOf: [{ type: "array", items: when }, none] }
    ],
    ["of an item of a list", Schema.Array(When), { type: "array", items: when }],
    [
      "of the elements of a tuple and of what may follow them",
      Schema.TupleWithRest(Schema.Tuple([When]), [When]),
      { type: "array", prefixItems: [when], minItems: 1, items: when }
    ],
    ["of the values of a record", Schema.Record(Schema.String, When), { type: "object", additionalProperties: when }],
    [
      "of the values under keys of a form",
      Schema.Record(Schema.TemplateLiteral(["at-", Schema.String]), When),
      { type: "object", patternProperties: { "^at-[\\s\\S]*?$": when }, additionalProperties: false }
    ],
    [
      "of keys beyond the declared ones",
      Schema.StructWithRest(Schema.Struct({ a: When }), [Schema.Record(Schema.String, When)]),
      {
        type: "object",
        properties: { a: when },
        required: ["a"],
        allOf: [{ type: "object", additionalProperties: when }]
      }
    ],
    [
      "of text that holds JSON",
      Schema.fromJsonString(Schema.Struct({ a: Schema.Int })).annotate({ description: "Settings" }),
      {
        type: "string",
        description: "Settings",
        contentMediaType: "application/json",
        contentSchema: {
          type: "object",
          description: "Settings",
          properties: { a: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } },
          required: ["a"],
          additionalProperties: false
        }
      }
    ]
  ]

  it.each(places)("%s", (_, field, expected) => {
    assert.deepStrictEqual(propertyOf(field), expected)
  })

  it("of a key that may be left out, with and without null", () => {
    const { properties } = advertised(Schema.Struct({ a: Schema.optional(When), b: Schema.optionalKey(When) }))
    assert.deepStrictEqual(properties, { a: { anyOf: [when, none] }, b: when })
  })

  it("in every alternative of the arguments", () => {
    const Either = Schema.Union([Schema.Struct({ a: When }), Schema.Struct({ b: When })])
    const member = (key: string) => ({
      type: "object",
      properties: { [key]: when },
      required: [key],
      additionalProperties: false
    })
    assert.deepStrictEqual(advertised(Either), { type: "object", anyOf: [member("a"), member("b")] })
  })

  it("in a recursive schema, at its root and in its definition", () => {
    const event = {
      type: "object",
      properties: { at: when, next: { anyOf: [{ $ref: "#/$defs/Objects_" }, none] } },
      required: ["at", "next"],
      additionalProperties: false
    }
    assert.deepStrictEqual(advertised(Event), { ...event, $defs: { Objects_: event } })
  })

  it("of a recursive class wherever it is referred to", () => {
    const reference = { $ref: "#/$defs/Objects_", description: "A person" }
    const person = {
      type: "object",
      properties: { born: when, parent: { anyOf: [reference, none] } },
      required: ["born", "parent"],
      additionalProperties: false
    }
    assert.deepStrictEqual(advertised(Person), { ...person, description: "A person", $defs: { Objects_: person } })
  })

  it("in each place as it was said there, where two places share a definition", () => {
    const Couple = Schema.Struct({ one: Person, other: Person.annotate({ description: "The other" }) })
    assert.deepStrictEqual(advertised(Couple)["properties"], {
      one: { $ref: "#/$defs/Objects_", description: "A person" },
      other: { $ref: "#/$defs/Objects_", description: "The other" }
    })
  })
})

describe("a description stands beside the type", () => {
  const short = { type: "string", minLength: 1, description: "The name" }
  const described = { description: "The name" }
  const places: ReadonlyArray<readonly [string, Schema.Codec<string>, unknown]> = [
    ["before a check", Schema.String.annotate(described).check(Schema.isMinLength(1)), short],
    ["after a check", Schema.String.check(Schema.isMinLength(1)).annotate(described), short],
    [
      "after a check that JSON Schema cannot express",
      Schema.String.check(Schema.makeFilter((text) => text !== "x")).annotate(described),
      { type: "string", description: "The name" }
    ],
    [
      "after several checks at once",
      Schema.String.check(Schema.makeFilterGroup([Schema.isMinLength(1), Schema.isMaxLength(3)])).annotate(described),
      { type: "string", description: "The name", allOf: [{ minLength: 1 }, { maxLength: 3 }] }
    ]
  ]

  it.each(places)("that was given %s", (_, field, expected) => {
    assert.deepStrictEqual(propertyOf(field), expected)
  })

  it("of a key, unless the value has its own", () => {
    const key = { description: "The key", examples: [] }
    const { properties } = advertised(
      Schema.Struct({
        plain: Schema.String.pipe(Schema.annotateKey(key)),
        optional: Schema.optional(When).pipe(Schema.annotateKey(key)),
        valued: When.pipe(Schema.annotateKey(key)),
        event: Event.pipe(Schema.annotateKey(key))
      })
    )
    assert.deepStrictEqual(properties, {
      plain: { type: "string", ...key },
      optional: { anyOf: [when, none], ...key },
      valued: { ...when, examples: [] },
      event: { $ref: "#/$defs/Objects_", ...key }
    })
  })

  it("of an element of a tuple", () => {
    const Pair = Schema.Tuple([Schema.String.pipe(Schema.annotateKey({ description: "First" })), Schema.String])
    assert.deepStrictEqual(propertyOf(Pair), {
      type: "array",
      prefixItems: [{ type: "string", description: "First" }, { type: "string" }],
      minItems: 2,
      maxItems: 2
    })
  })

  it("while what a key demands stays a demand", () => {
    const Email = Schema.String.pipe(Schema.annotateKey({ description: "The key", format: "email" }))
    assert.deepStrictEqual(propertyOf(Email), {
      type: "string",
      description: "The key",
      allOf: [{ format: "email" }]
    })
  })
})
