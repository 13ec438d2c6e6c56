import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import { ModelCompatibility } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Ref, Result, Schema } from "effect"
import { defined, imported, inDialect, offered, refusal } from "./support/definitions.ts"
import { executing, offering } from "./support/tools.ts"

const { anthropic, gemini, openai, openaiStrict } = ModelCompatibility

const nested = (levels: number): Schema.Codec<unknown, unknown> =>
  levels === 1 ? Schema.Struct({ end: Schema.String }) : Schema.Struct({ next: nested(levels - 1) })

const enumOf = (count: number, length: number) =>
  defined(
    Schema.Struct({
      a: Schema.Literals(Array.from({ length: count }, (_, index) => String(index).padStart(length, "x")))
    })
  )

const properties = (count: number) =>
  offered({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]))
  })

const tree = { type: "object", properties: { next: { $ref: "#/$defs/tree" } } }

describe("what a provider does not take", () => {
  it("names the tool, the provider, the place and the reason", () => {
    const long = { ...tree, description: "d".repeat(5_000) }
    const definition = imported({
      type: "object",
      properties: { root: { $ref: "#/$defs/tree" } },
      $defs: { tree: long }
    })
    const error = refusal(definition, gemini)
    assert.deepInclude(error, {
      _tag: "ModelCompatibilityError",
      tool: "tool",
      provider: "gemini",
      path: "root",
      reason: "RecursiveSchemaTooLarge"
    })
    assert.match(error.message, /4000 characters at most, and this has 5\d{3}\. Use a smaller schema/)
  })

  it.each([
    ["TooDeep", Array.from({ length: 10 }, () => "next").join("."), defined(nested(11)), defined(nested(10))],
    ["TooManyProperties", "", properties(5_001), properties(5_000)],
    ["TooManyEnumMembers", "", enumOf(1_001, 4), enumOf(1_000, 4)],
    ["EnumTooLong", "a", enumOf(251, 60), enumOf(250, 60)],
    ["TooMuchText", "", enumOf(200, 601), enumOf(200, 599)]
  ] as const)("is refused as %s, and one less is not", (reason, path, tooMuch, enough) => {
    assert.deepInclude(refusal(tooMuch, openaiStrict), { reason, path })
    assert.isDefined(inDialect(enough, openaiStrict))
  })

  it("is a name that a host's own profile finds too long", () => {
    const profile = { ...anthropic, limits: { name: 3 } }
    assert.strictEqual(refusal(defined(Schema.Struct({}), { name: "four" }), profile).reason, "NameTooLong")
    assert.isDefined(inDialect(defined(Schema.Struct({}), { name: "one" }), profile))
  })

  it("is a schema of a stranger that grows without end when it is written out", () => {
    const doubled = (name: string) => ({ type: "object", properties: { a: { $ref: name }, b: { $ref: name } } })
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        index === 39 ? { type: "string" } : doubled(`#/$defs/d${index + 1}`)
      ])
    )
    assert.strictEqual(refusal(offered({ ...doubled("#/$defs/d0"), $defs }), gemini).reason, "TooLarge")
    const anyOf = Array.from({ length: 10 }, (_, index) => ({ properties: { [`p${index}`]: { type: "string" } } }))
    const allOf = Array.from({ length: 10 }, () => ({ anyOf }))
    assert.strictEqual(refusal(offered({ type: "object", allOf }), gemini).reason, "TooLarge")
  })

  it("is a schema of a stranger that refers to nothing but itself", () => {
    const a = { $ref: "#/$defs/a" }
    const definition = offered({ type: "object", properties: { a }, $defs: { a } })
    assert.strictEqual(refusal(definition, openaiStrict).reason, "Endless")
  })

  it("is allOf around two schemas that refer to themselves", () => {
    const both = { allOf: [{ $ref: "#/$defs/tree" }, { $ref: "#/$defs/other" }] }
    const other = { type: "object", properties: { next: { $ref: "#/$defs/other" } } }
    const definition = offered({ type: "object", properties: { both }, $defs: { tree, other } })
    assert.strictEqual(refusal(definition, openaiStrict).reason, "TwoReferences")
  })
})

describe("tools that cannot be offered", () => {
  const definitions = [
    defined(Schema.Struct({ a: Schema.String }), { name: "first" }),
    defined(nested(11), { name: "second" }),
    defined(Schema.Struct({ b: Schema.String }), { name: "third" })
  ]

  it("stop the turn unless the host says otherwise", () => {
    const stopped = ModelCompatibility.prepare(definitions, openaiStrict)
    assert.strictEqual(Result.getOrThrow(Result.flip(stopped)).tool, "second")
  })

  it("are left out where the host says so, and the rest goes on", () => {
    const prepared = Result.getOrThrow(
      ModelCompatibility.prepare(definitions, openaiStrict, { onIncompatible: "leaveOut" })
    )
    assert.deepStrictEqual(
      prepared.definitions.map(({ name }) => String(name)),
      ["first", "third"]
    )
    assert.deepStrictEqual(
      prepared.omitted.map(({ reason, tool }) => [tool, reason]),
      [["second", "TooDeep"]]
    )
  })

  it("include those beyond the number that a request may have", () => {
    const profile = { ...openai, limits: { tools: 2 } }
    const { definitions: shown, omitted } = Result.getOrThrow(
      ModelCompatibility.prepare(definitions, profile, { onIncompatible: "leaveOut" })
    )
    assert.strictEqual(shown.length, 2)
    assert.deepStrictEqual(
      omitted.map(({ reason, tool }) => [tool, reason]),
      [["third", "TooManyTools"]]
    )
  })
})

describe("preparing again", () => {
  it("gives the same objects, also within another set of tools", () => {
    const [one, two] = ["one", "two"].map((name) => defined(Schema.Struct({ a: Schema.Json }), { name }))
    assert(one !== undefined && two !== undefined)
    const set = [one, two]
    const prepared = Result.getOrThrow(ModelCompatibility.prepare(set, openaiStrict))
    assert.strictEqual(Result.getOrThrow(ModelCompatibility.prepare(set, openaiStrict)), prepared)
    const others = Result.getOrThrow(ModelCompatibility.prepare([two], openaiStrict))
    assert.strictEqual(others.definitions[0], prepared.definitions[1])
  })

  it("gives what nobody can change for all others", () => {
    const { schema } = inDialect(defined(Schema.Struct({ a: Schema.Json })), openaiStrict)
    assert.isFrozen(schema)
    assert.isFrozen(Object(schema["properties"]).a)
  })

  it("gives the same text for the same schema, whoever made it", () => {
    const schemas = [1, 2].map(() => inDialect(defined(Schema.Struct({ a: Schema.Json })), gemini).schema)
    assert.strictEqual(JSON.stringify(schemas[0]), JSON.stringify(schemas[1]))
  })
})

describe("arguments that are no arguments", () => {
  const { definitions, read } = Result.getOrThrow(
    ModelCompatibility.prepare([defined(Schema.Struct({ a: Schema.optionalKey(Schema.Json) }))], openaiStrict)
  )

  it("go on as they came", () => {
    assert.lengthOf(definitions, 1)
    const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ a: inner }), null)
    const unreadable = Object.defineProperty({}, "a", { enumerable: true, get: () => assert.fail("read") })
    for (const input of [deep, unreadable, undefined, null, 3, [], "[]", "{", new Date(0), { a: Number.NaN }]) {
      assert.strictEqual(read("tool", input), input)
    }
  })

  it("are read where they are text of an object", () => {
    assert.deepStrictEqual(structuredClone(read("tool", '{"a":null}')), {})
    assert.deepStrictEqual(structuredClone(read("tool", '{"a":"[1]"}')), { a: [1] })
  })

  it("are not looked at for a name that was not offered", () => {
    const input = { a: null }
    assert.strictEqual(read("other", input), input)
  })
})

const greet = Tool.make({
  description: "Greet",
  input: Schema.Struct({ name: Schema.String, title: Schema.optionalKey(Schema.String) }),
  output: Schema.String,
  execute: ({ name, title }) => Effect.succeed(title === undefined ? name : `${title} ${name}`)
})

const strictTurn = Effect.fnUntraced(function* (record: Readonly<Record<string, Tool.Any>>) {
  const turn = yield* offering(record)
  return yield* Effect.fromResult(ModelCompatibility.adapt(turn, openaiStrict, { onIncompatible: "leaveOut" }))
})

describe("an adapted turn", () => {
  it.effect("settles calls in the dialect", () =>
    Effect.gen(function* () {
      const turn = yield* strictTurn({ greet })
      assert.deepStrictEqual(turn.definitions[0]?.inputSchema["required"], ["name", "title"])
      const settlement = yield* turn.settle(Testing.request("greet", { name: "Ada", title: null }))
      assert(settlement._tag === "Succeeded")
      assert.strictEqual(settlement.output.structured, "Ada")
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("rejects what does not fit, by the tool's own schema", () =>
    Effect.gen(function* () {
      const turn = yield* strictTurn({ greet })
      const settlement = yield* turn.settle(Testing.request("greet", { name: null, title: null }))
      assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
      assert.deepStrictEqual(
        settlement.rejection.violations.map(({ path }) => path),
        ["name"]
      )
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("knows a call again by what it asked for, and not by its dialect", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const count = Tool.make({
        description: "Count",
        input: Schema.Struct({ by: Schema.optionalKey(Schema.Int) }),
        output: Schema.Int,
        execute: ({ by = 1 }) => Ref.updateAndGet(runs, (before) => before + by)
      })
      const plain = yield* offering({ count })
      const strict = yield* Effect.fromResult(ModelCompatibility.adapt(plain, openaiStrict))
      const first = yield* strict.settle(Testing.request("count", { by: null }))
      assert.strictEqual(yield* strict.settle(Testing.request("count", { by: null })), first)
      assert.strictEqual(yield* plain.settle(Testing.request("count", {})), first)
      const other = yield* strict.settle(Testing.request("count", { by: 2 }))
      assert(other._tag === "Rejected" && other.rejection._tag === "DuplicateCall")
      assert.strictEqual(yield* Ref.get(runs), 1)
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("treats a tool that was left out as unknown", () =>
    Effect.gen(function* () {
      const deep = Tool.make({
        description: "Deep",
        input: nested(11),
        output: Schema.String,
        execute: () => Effect.die("must not run")
      })
      const turn = yield* strictTurn({ deep, plain: executing(Effect.succeed("ran")) })
      assert.deepStrictEqual(
        turn.omitted.map(({ tool }) => tool),
        ["deep"]
      )
      const missing = yield* turn.settle(Testing.request("deep", {}, { id: "1" }))
      assert(missing._tag === "Rejected")
      assert.deepStrictEqual(missing.rejection, { _tag: "UnknownTool" })
      assert.strictEqual(missing.effect._tag, "NotStarted")
      const offered = yield* turn.settle(Testing.request("plain", {}, { id: "2" }))
      assert.strictEqual(offered._tag, "Succeeded")
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("is the turn itself for a tool that the provider takes as it stands", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ greet })
      const adapted = yield* Effect.fromResult(ModelCompatibility.adapt(turn, anthropic))
      assert.strictEqual(adapted.definitions[0], turn.definitions[0])
    }).pipe(Effect.provide(Testing.layer))
  )
})
