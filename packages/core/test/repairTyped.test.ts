import { assert, describe, it } from "@effect/vitest"
import { type ArgumentRepair, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Schema } from "effect"
import { repaired } from "./support/repairs.ts"

const marked = Schema.String.annotate({ allowEmpty: true })

describe("optional strings of a typed tool", () => {
  const dropped: ReadonlyArray<readonly [string, Readonly<Record<string, Tool.Codec>>]> = [
    ["optionalKey", { x: Schema.optionalKey(Schema.String) }],
    ["optional, where null stands for nothing", { x: Schema.optional(Schema.String) }],
    ["optionalKey of a literal", { x: Schema.optionalKey(Schema.Literals(["a", "b"])) }],
    ["optional literals", { x: Schema.optional(Schema.Literals(["a", "b"])) }],
    ["a default", { x: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("d"))) }],
    ["a date", { x: Schema.optionalKey(Schema.DateFromString) }],
    ["a brand", { x: Schema.optionalKey(Schema.String.pipe(Schema.brand("B"))) }],
    ["a template", { x: Schema.optionalKey(Schema.TemplateLiteral(["a-", Schema.String])) }],
    ["a suspended string", { x: Schema.optionalKey(Schema.suspend(() => Schema.String)) }]
  ]
  it.each(dropped)("are left out if they are blank: %s", (_, fields) => {
    assert.deepStrictEqual(repaired(Schema.Struct(fields), { x: " " }), { value: {}, kinds: ["x blank_dropped"] })
  })

  const kept: ReadonlyArray<readonly [string, Readonly<Record<string, Tool.Codec>>]> = [
    ["required", { x: Schema.String }],
    ["null is truly admitted", { x: Schema.optionalKey(Schema.NullOr(Schema.String)) }],
    ["marked on the value", { x: Schema.optionalKey(marked) }],
    ["marked after optionalKey", { x: Schema.optionalKey(Schema.String).annotate({ allowEmpty: true }) }],
    ["marked on the key", { x: Schema.optionalKey(Schema.String).pipe(Schema.annotateKey({ allowEmpty: true })) }],
    ["marked before a check", { x: Schema.optionalKey(marked.check(Schema.isMaxLength(9))) }],
    [
      "marked after a check",
      { x: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(9)).annotate({ allowEmpty: true })) }
    ],
    ["marked in an optional", { x: Schema.optional(marked) }],
    ["marked on an optional", { x: Schema.optional(Schema.String).annotate({ allowEmpty: true }) }],
    ["marked on a transformation", { x: Schema.optionalKey(Schema.Trim.annotate({ allowEmpty: true })) }],
    ["marked behind a default", { x: marked.pipe(Schema.withDecodingDefaultKey(Effect.succeed("d"))) }],
    ["marked and suspended", { x: Schema.optionalKey(Schema.suspend(() => marked)) }]
  ]
  it.each(kept)("are kept if they are blank: %s", (_, fields) => {
    assert.deepStrictEqual(repaired(Schema.Struct(fields), { x: "" }), { value: { x: "" }, kinds: [] })
  })

  it("that stand for nothing as null keep a null", () => {
    const codec = Schema.Struct({ x: Schema.optional(Schema.String), n: Schema.optional(Schema.Int) })
    assert.deepStrictEqual(repaired(codec, { x: null, n: "null" }), {
      value: { x: null, n: null },
      kinds: ["n null_from_string"]
    })
  })
})

describe("marks on a typed schema", () => {
  it("are found before and after a transformation", () => {
    const codec = Schema.Struct({
      at: Schema.DateFromString.annotate({ aliases: ["when"] }),
      ids: Schema.Array(Schema.Int).annotate({ wrapSingle: true }),
      body: Schema.optional(Schema.String).annotate({ stringify: true })
    })
    assert.deepStrictEqual(repaired(codec, { when: "2026-01-01T00:00:00.000Z", ids: 1, body: { a: 1 } }), {
      value: { at: "2026-01-01T00:00:00.000Z", ids: [1], body: '{"a":1}' },
      kinds: ["at alias", "ids wrapped_single", "body stringified"]
    })
  })
})

class Point extends Schema.Class<Point>("Point")({ x: Schema.Int, label: Schema.optionalKey(Schema.String) }) {}

interface Tree {
  readonly value: number
  readonly note?: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  value: Schema.Finite,
  note: Schema.optionalKey(Schema.String),
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const taking = <Input extends Tool.Codec>(input: Input, repair?: "strict" | "contract") =>
  Tool.make({
    description: "Takes its input",
    input,
    output: Schema.Null,
    execute: () => Effect.succeed(null),
    ...(repair === undefined ? {} : { repair })
  })

describe("a typed tool", () => {
  it.effect("gets decoded values of repaired arguments", () =>
    Effect.gen(function* () {
      const codec = Schema.Struct({
        at: Schema.DateFromString,
        point: Point,
        big: Schema.BigInt,
        limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(10)))
      })
      const sent = { at: "2026-01-01T00:00:00.000Z", point: '{"x":"1","label":""}', big: "12", limit: null }
      const { input, warnings } = yield* Testing.call(taking(codec), sent)
      assert.deepStrictEqual(input, {
        at: new Date("2026-01-01T00:00:00.000Z"),
        point: new Point({ x: 1 }),
        big: 12n,
        limit: 10
      })
      assert.deepStrictEqual(
        warnings.map(({ kind, path }) => `${path} ${kind}`),
        ["point object_from_string", "point.x number_from_string", "point.label blank_dropped", "limit null_dropped"]
      )
    })
  )

  it.effect("is repaired at every level of a recursive schema", () =>
    Effect.gen(function* () {
      const sent = { value: "1", children: [{ value: "2", note: "", children: "[]" }] }
      const { input } = yield* Testing.call(taking(Tree), sent)
      assert.deepStrictEqual(input, { value: 1, children: [{ value: 2, children: [] }] })
    })
  )

  it.effect("refuses what its decoded side refuses, with all that is wrong there", () =>
    Effect.gen(function* () {
      const codec = Schema.Struct({ from: Schema.DateFromString, to: Schema.DateFromString, n: Schema.Int })
      const error = yield* Effect.flip(Testing.call(taking(codec), { from: "x", to: "y", n: "1" }))
      assert(error._tag === "InvalidInput")
      assert.deepStrictEqual(
        error.violations.map(({ code, path }) => [path, code]),
        [
          ["from", "check"],
          ["to", "check"]
        ]
      )
      assert.deepStrictEqual(
        error.warnings.map(({ kind }) => kind),
        ["number_from_string"]
      )
    })
  )

  it.effect("is given a blank text after all where its decoded side needs it", () =>
    Effect.gen(function* () {
      const codec = Schema.Struct({ at: Schema.DateFromString, note: Schema.optionalKey(Schema.String) }).check(
        Schema.makeFilter(({ note }) => note !== undefined || "note must be there, even if it is empty")
      )
      const sent = { at: "2026-01-01T00:00:00.000Z", note: "" }
      const { input, warnings } = yield* Testing.call(taking(codec), sent)
      assert.deepStrictEqual([input.note, warnings], ["", []])
    })
  )

  it.effect("without arguments takes nothing for no arguments", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* Testing.call(taking(Schema.Struct({})), "")).input, {})
    })
  )
})

describe("levels", () => {
  const codec = Schema.Struct({
    n: Schema.Int,
    list: Schema.optionalKey(Schema.Array(Schema.Int)),
    note: Schema.optionalKey(Schema.String),
    mode: Schema.optionalKey(Schema.Literals(["a", "b"]).annotate({ aliases: ["m"] }))
  })
  type Row = readonly [string, unknown, Record<ArgumentRepair.Level, unknown>]
  const table: ReadonlyArray<Row> = [
    ["a number in quotes", { n: "1" }, { strict: "n type:integer", contract: 1, default: 1 }],
    ["a list as text", { n: 1, list: "[1]" }, { strict: "list type:array", contract: 1, default: 1 }],
    [
      "a list as Python writes it",
      { n: 1, list: "[1,]" },
      { strict: "list type:array", contract: "list type:array", default: 2 }
    ],
    ["an enum in another case", { n: 1, mode: "A" }, { strict: "mode enum", contract: 1, default: 1 }],
    ["an enum in quotes", { n: 1, mode: '"a"' }, { strict: "mode enum", contract: "mode enum", default: 1 }],
    ["a blank text", { n: 1, note: "" }, { strict: 0, contract: 1, default: 1 }],
    ["a null", { n: 1, note: null }, { strict: "note type:string", contract: "note type:string", default: 1 }],
    [
      "a properties wrapper",
      { properties: { n: 1 } },
      { strict: "n missing, properties unknown_key", contract: 1, default: 1 }
    ],
    [
      "another wrapper",
      { args: { n: 1 } },
      { strict: "n missing, args unknown_key", contract: "n missing, args unknown_key", default: 1 }
    ],
    [
      "a key in another case",
      { N: 1 },
      { strict: "n missing, N unknown_key", contract: "n missing, N unknown_key", default: 1 }
    ],
    ["an alias", { n: 1, m: "a" }, { strict: "m unknown_key", contract: 1, default: 1 }],
    ["text of an object", '{"n":1}', { strict: 0, contract: 0, default: 0 }],
    ["text with a comma too many", '{"n":1,}', { strict: "unparseable", contract: "unparseable", default: 1 }],
    ["text in a fence", '```\n{"n":1}\n```', { strict: "unparseable", contract: "unparseable", default: 1 }],
    ["text with something after it", '{"n":1}}', { strict: "unparseable", contract: "unparseable", default: 1 }],
    ["text twice", '{"n":1}{"n":1}', { strict: "unparseable", contract: "unparseable", default: 1 }],
    ["text in text", '"{\\"n\\":1}"', { strict: "not_object", contract: "not_object", default: 1 }],
    ["text that is cut", '{"n":1', { strict: "truncated", contract: "truncated", default: "truncated" }],
    ["no text", "", { strict: "unparseable", contract: "unparseable", default: "n missing" }],
    ["nothing", undefined, { strict: "not_object", contract: "not_object", default: "n missing" }]
  ]
  it.each(table)("%s", (_, sent, expected) => {
    for (const level of ["strict", "contract", "default"] as const) {
      const result = repaired(codec, sent, level)
      const shown = "violations" in result ? result.violations.join(", ") : result.kinds.length
      assert.strictEqual(shown, expected[level], level)
    }
  })

  it.effect("a tool can lower what the host repairs and not raise it", () =>
    Effect.gen(function* () {
      const sent = { N: "1" }
      const outcome = (tool: Tool.Any, repair?: ArgumentRepair.Level) =>
        Testing.call(tool, sent, repair === undefined ? {} : { repair }).pipe(
          Effect.result,
          Effect.map(({ _tag }) => _tag)
        )
      const Count = Schema.Struct({ n: Schema.Int })
      assert.strictEqual(yield* outcome(taking(Count)), "Success")
      assert.strictEqual(yield* outcome(taking(Count), "contract"), "Failure")
      assert.strictEqual(yield* outcome(taking(Count, "contract")), "Failure")
      assert.strictEqual(yield* outcome(taking(Count, "contract"), "default"), "Failure")
      assert.strictEqual(yield* outcome(taking(Count, "strict"), "contract"), "Failure")
    })
  )

  it.effect("a level that nobody knows is a reason not to register the tool", () =>
    Effect.gen(function* () {
      const options = {
        description: "",
        input: Schema.Struct({}),
        output: Schema.Null,
        execute: () => Effect.succeed(null)
      }
      for (const repair of ["default", "none", 1]) {
        const unchecked: typeof options = Object.assign({}, options, { repair })
        const error = yield* Effect.flip(Testing.call(Tool.make(unchecked), {}))
        assert.deepInclude(error, { reason: "InvalidOptions" })
        assert.include(error.message, 'repair must be "strict" or "contract"')
      }
    })
  )

  it.effect("a strict tool is given the blank text that was sent", () =>
    Effect.gen(function* () {
      const Note = Schema.Struct({ note: Schema.optionalKey(Schema.String) })
      assert.deepStrictEqual((yield* Testing.call(taking(Note, "strict"), { note: "" })).input, { note: "" })
      assert.deepStrictEqual((yield* Testing.call(taking(Note), { note: "" })).input, {})
    })
  )
})

describe("a map beside declared fields", () => {
  it("also holds for these", () => {
    const Deep = (value: Schema.Codec<unknown>) => Schema.Struct({ v: value })
    const Mixed = Schema.StructWithRest(Schema.Struct({ a: Deep(Schema.Finite) }), [
      Schema.Record(Schema.String, Deep(Schema.Int))
    ])
    assert.deepStrictEqual(repaired(Mixed, { a: { v: "1" }, b: { v: "2" } }), {
      value: { a: { v: 1 }, b: { v: 2 } },
      kinds: ["a.v number_from_string", "b.v number_from_string"]
    })
    assert.deepStrictEqual(repaired(Mixed, { a: { v: "1.5" }, b: { v: 2 } }), { violations: ["a.v type:integer"] })
  })
})

describe("two maps", () => {
  it("both hold for a key that is in both", () => {
    const small = Schema.Record(Schema.String, Schema.Struct({ n: Schema.Int }))
    const large = Schema.Record(
      Schema.TemplateLiteral(["large_", Schema.String]),
      Schema.Struct({ n: Schema.Int.check(Schema.isGreaterThan(10)) })
    )
    const both = Schema.Struct({ x: Schema.StructWithRest(Schema.Struct({}), [small, large]) })
    assert.deepInclude(repaired(both, { x: { a: { n: "5" }, large_a: { n: "50" } } }), {
      value: { x: { a: { n: 5 }, large_a: { n: 50 } } }
    })
    assert.deepStrictEqual(repaired(both, { x: { large_a: { n: "5" } } }), { violations: ["x.large_a.n range"] })
  })
})
