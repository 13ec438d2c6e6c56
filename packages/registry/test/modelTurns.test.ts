import { assert, describe, it } from "@effect/vitest"
import { ArgumentRepair, Tool } from "@haft/core"
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
    for (const input of [deep, unreadable, undefined, null, 3, [], new Date(0), { a: Number.NaN }]) {
      assert.strictEqual(read("tool", input), input)
    }
  })

  it("go on with the way to read them where they are text that a repair may still make sense of", () => {
    for (const input of ["[]", "{", '{"a":null,}']) {
      const passed = read("tool", input)
      assert(passed instanceof ArgumentRepair.Foreign)
      assert.strictEqual(passed.input, input)
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

describe("text in a dialect that is not plain JSON", () => {
  const measure = Tool.make({
    description: "Measure",
    input: Schema.Struct({
      at: Schema.Tuple([Schema.Int, Schema.Int]),
      counts: Schema.Record(Schema.String, Schema.Int),
      note: Schema.optionalKey(Schema.String)
    }),
    output: Schema.Json,
    execute: (input) => Effect.succeed(input)
  })
  const plain = { at: [1, 2], counts: { a: 3 } }
  const json = '{"at":{"item_1":1,"item_2":"2"},"counts":[{"key":"a","value":3}],"note":null}'

  const texts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [json, []],
    [json.replace(/}$/, ",}"), ["trailing_comma"]],
    [`\`\`\`json\n${json}\n\`\`\``, ["code_fence"]],
    [json.replaceAll('"', "'").replace("null", "None"), ["single_quotes", "python_constant"]],
    [JSON.stringify(json), ["double_encoded"]],
    [`{}${json}`, ["leading_empty_object"]]
  ]
  it.effect.each(texts)("is read first, then out of the dialect, then repaired: %s", ([text, kinds]) =>
    Effect.gen(function* () {
      const turn = yield* strictTurn({ measure })
      const settlement = yield* turn.settle(Testing.request("measure", text))
      assert(settlement._tag === "Succeeded")
      assert.deepStrictEqual(settlement.output.structured, plain)
      assert.deepStrictEqual(
        settlement.warnings.map(({ code }) => code),
        [...kinds, "number_from_string"]
      )
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("is spoken of as it was sent: places are those that the model knows", () =>
    Effect.gen(function* () {
      const turn = yield* strictTurn({ measure })
      const wrong = {
        at: { item_1: "1", item_2: "two" },
        counts: [
          { key: "a", value: 1 },
          { key: "b", value: "few" }
        ],
        note: 5
      }
      for (const [id, input] of [
        ["1", wrong],
        ["2", `${JSON.stringify(wrong)} done`]
      ] as const) {
        const settlement = yield* turn.settle(Testing.request("measure", input, { id }))
        assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
        assert.deepStrictEqual(
          settlement.rejection.violations.map(({ code, path }) => `${path} ${code}`),
          ["at.item_2 type:integer", "counts[1].value type:integer", "note type:string"]
        )
        assert.include(
          settlement.warnings.map(({ path }) => path),
          "at.item_1"
        )
        assert.notInclude(settlement.message, "for example")
      }
      const own = { at: [1, "two"], counts: { b: "few" } }
      const settlement = yield* turn.settle(Testing.request("measure", own, { id: "3" }))
      assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
      assert.deepStrictEqual(
        settlement.rejection.violations.map(({ path }) => path),
        ["at[1]", "counts.b"]
      )
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("is spoken of as it was sent: under an option, in a renamed key and among free keys", () =>
    Effect.gen(function* () {
      const odd = Tool.make({
        description: "Odd",
        input: Schema.Struct({
          "a b": Schema.StructWithRest(Schema.Struct({ n: Schema.Int }), [Schema.Record(Schema.String, Schema.Int)]),
          either: Schema.Union([Schema.Tuple([Schema.Int]), Schema.Tuple([Schema.Boolean, Schema.Int])])
        }),
        output: Schema.String,
        execute: () => Effect.die("must not run")
      })
      const turn = yield* Effect.fromResult(ModelCompatibility.adapt(yield* offering({ odd }), gemini))
      const settlement = yield* turn.settle(
        Testing.request("odd", {
          a_b: { n: 1, other_properties: [{ key: "z", value: "few" }] },
          either: { item_1: true, item_2: "two" }
        })
      )
      assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
      assert.deepStrictEqual(
        settlement.rejection.violations.map(({ path }) => path),
        ["a_b.other_properties[0].value", "either"]
      )
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("is refused where the level does not allow it, and where it is cut off", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ measure: Tool.make({ ...strictly, repair: "contract" }) })
      const adapted = yield* Effect.fromResult(ModelCompatibility.adapt(turn, openaiStrict))
      for (const [id, text, code] of [
        ["1", json.replace(/}$/, ",}"), "unparseable"],
        ["2", json.slice(0, -1), "truncated"]
      ] as const) {
        const settlement = yield* adapted.settle(Testing.request("measure", text, { id }))
        assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
        assert.strictEqual(settlement.rejection.violations[0]?.code, code)
      }
    }).pipe(Effect.provide(Testing.layer))
  )

  const strictly = {
    description: "Measure",
    input: Schema.Struct({ at: Schema.Tuple([Schema.Int, Schema.Int]) }),
    output: Schema.Json,
    execute: () => Effect.die("must not run")
  } as const

  it.effect("is guarded once more after it was read: a text in it may hold too much", () =>
    Effect.gen(function* () {
      const any = Tool.make({
        description: "Any",
        input: Schema.Struct({ data: Schema.Json }),
        output: Schema.String,
        execute: () => Effect.die("must not run")
      })
      const turn = yield* strictTurn({ any })
      const deep = JSON.stringify({ data: "[".repeat(128) + "]".repeat(128) })
      for (const [id, text] of [
        ["1", deep],
        ["2", deep.replace(/}$/, ",}")]
      ] as const) {
        const settlement = yield* turn.settle(Testing.request("any", text, { id }))
        assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
        assert.strictEqual(settlement.rejection.violations[0]?.code, "too_deep")
      }
    }).pipe(Effect.provide(Testing.layer))
  )
})

describe("entities of HTML in the text of arguments", () => {
  const settled = Effect.fnUntraced(function* (
    input: unknown,
    htmlEntities: boolean,
    profile = anthropic,
    id = "call"
  ) {
    const turn = yield* offering({ greet })
    const adapted = yield* Effect.fromResult(ModelCompatibility.adapt(turn, profile, { htmlEntities }))
    return yield* adapted.settle(Testing.request("greet", input, { id }))
  })

  const cases: ReadonlyArray<readonly [string, string]> = [
    ["{&quot;name&quot;:&quot;a &amp;&amp; b&quot;}", "a && b"],
    ['{"name":"a &lt; b &#38; c &#x3e; d"}', "a < b & c > d"],
    ['{"name":"say &quot;hi&quot; &#10;"}', 'say "hi" \n'],
    ['{"name":"&amp;lt;"}', "&lt;"],
    ['{"name":"&lt;&bogus;&#xD800;&#0;"}', "<&bogus;&#xD800;&#0;"]
  ]
  it.effect.each(cases)("are decoded once where the adapter is asked to: %s", ([text, name]) =>
    Effect.gen(function* () {
      for (const profile of [anthropic, openaiStrict]) {
        const settlement = yield* settled(text, true, profile, profile.provider)
        assert(settlement._tag === "Succeeded")
        assert.strictEqual(settlement.output.structured, name)
        assert.deepStrictEqual(
          settlement.warnings.map(({ code, path }) => [code, path]),
          [["entities_decoded", ""]]
        )
      }
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("are text like any other without that, in a value that is parsed already, and where there are none", () =>
    Effect.gen(function* () {
      for (const [input, htmlEntities] of [
        ['{"name":"&lt;"}', false],
        [{ name: "&lt;" }, true],
        ['{"name":"&;"}', true]
      ] as const) {
        const settlement = yield* settled(input, htmlEntities, anthropic, JSON.stringify(input).replace(/\W/g, "_"))
        assert(settlement._tag === "Succeeded")
        assert.strictEqual(
          settlement.output.structured,
          typeof input === "string" ? JSON.parse(input).name : input.name
        )
        assert.deepStrictEqual(settlement.warnings, [])
      }
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("do not make whole what was cut off", () =>
    Effect.gen(function* () {
      const settlement = yield* settled("{&quot;name&quot;:&quot;a", true)
      assert(settlement._tag === "Rejected" && settlement.rejection._tag === "InvalidInput")
      assert.strictEqual(settlement.rejection.violations[0]?.code, "truncated")
      assert.deepStrictEqual(
        settlement.warnings.map(({ code }) => code),
        ["entities_decoded"]
      )
    }).pipe(Effect.provide(Testing.layer))
  )
})
