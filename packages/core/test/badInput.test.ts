import { assert, describe, it } from "@effect/vitest"
import { InvalidInput, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Schema } from "effect"

/** Counts its executions, so that every test can show that there was none. */
const counted = <Input extends Tool.Codec>(input: Input) => {
  let runs = 0
  const tool = Tool.make({
    description: "Test",
    input,
    output: Schema.Int,
    execute: () => Effect.sync(() => ++runs)
  })
  return { tool, runs: () => runs }
}

const rejected = Effect.fnUntraced(function* (codec: Tool.Codec, input: unknown, options?: Testing.Options) {
  const { runs, tool } = counted(codec)
  const error = yield* Effect.flip(Testing.call(tool, input, options))
  assert(error._tag === "InvalidInput")
  assert.strictEqual(runs(), 0)
  return error
})

const summary = ({ violations }: InvalidInput.InvalidInput) => violations.map(({ code, path }) => [path, code])

const nest = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + "1" + "}".repeat(depth))

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const tree = (depth: number): Tree => {
  let node: Tree = { children: [] }
  for (let level = 0; level < depth; level++) node = { children: [node] }
  return node
}

describe("arguments that are no object", () => {
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["null", null, "null"],
    ["a list", [], "list"],
    ["a list of arguments", [{ path: "a" }], "list"],
    ["text of a list", "[]", "list"],
    ["text of a text", '"{}"', "string"],
    ["a number", 5, "number"],
    ["a boolean", true, "boolean"],
    ["nothing", undefined, "nothing"]
  ]
  it.effect.each(cases)("%s is rejected as a whole where nothing is repaired", ([, input, received]) =>
    Effect.gen(function* () {
      const error = yield* rejected(Schema.Struct({ path: Schema.String }), input, { repair: "strict" })
      assert.deepStrictEqual(error.violations, [{ path: "", code: "not_object", expected: "object", received }])
    })
  )
})

describe("arguments beyond the limits", () => {
  it.effect("100,000 levels are too deep, whether the schema is open, closed or recursive", () =>
    Effect.gen(function* () {
      for (const [codec, input] of [
        [Schema.JsonObject, nest(100_000)],
        [Schema.Struct({ path: Schema.String }), nest(100_000)],
        [Tree, tree(100_000)]
      ] as const) {
        assert.deepStrictEqual(summary(yield* rejected(codec, input)), [["", "too_deep"]])
      }
    })
  )

  it.effect("128 levels are accepted and 129 are not", () =>
    Effect.gen(function* () {
      const { tool } = counted(Schema.JsonObject)
      yield* Testing.call(tool, nest(128))
      assert.deepStrictEqual(summary(yield* rejected(Schema.JsonObject, nest(129))), [["", "too_deep"]])
    })
  )

  it.effect("a 10 MB text, a 10 MB key and a million values are too large", () =>
    Effect.gen(function* () {
      const long = "x".repeat(10_000_000)
      for (const input of [{ text: long }, { [long]: 1 }, { list: Array.from({ length: 1_000_000 }, () => 0) }]) {
        assert.deepStrictEqual(summary(yield* rejected(Schema.JsonObject, input)), [["", "too_large"]])
      }
    })
  )

  it.effect("a value that holds itself is too deep", () =>
    Effect.gen(function* () {
      const loop: { self?: unknown } = {}
      loop.self = loop
      assert.deepStrictEqual(summary(yield* rejected(Schema.JsonObject, loop)), [["", "too_deep"]])
    })
  )

  const foreign: ReadonlyArray<readonly [string, unknown]> = [
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["bigint", 1n],
    ["function", () => {}],
    ["symbol", Symbol("a")],
    ["Date", new Date(0)],
    ["Map", new Map()],
    [
      "class instance",
      new (class {
        readonly a = 1
      })()
    ]
  ]
  it.effect.each(foreign)("%s is not JSON", ([received, value]) =>
    Effect.gen(function* () {
      const error = yield* rejected(Schema.JsonObject, { list: [value] })
      assert.deepStrictEqual(error.violations, [{ path: "", code: "not_json", expected: "JSON", received }])
    })
  )
})

describe("arguments with wrong values", () => {
  const Input = Schema.Struct({
    a: Schema.Int,
    b: Schema.Struct({ c: Schema.String }),
    d: Schema.Literals(["x", "y"]),
    e: Schema.optionalKey(Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 3 })))),
    f: Schema.optionalKey(Schema.Date)
  })

  it.effect("every violation is listed: missing keys, unknown keys, wrong values in schema order", () =>
    Effect.gen(function* () {
      const error = yield* rejected(Input, { z: 1, a: "one", b: { q: 1 }, e: [0, "two", 2], f: "yesterday" })
      assert.deepStrictEqual(error.violations, [
        { path: "d", code: "missing", expected: "one of: x, y", received: "nothing" },
        { path: "z", code: "unknown_key", expected: "one of the keys a, b, d, e, f", received: "number" },
        { path: "a", code: "type:integer", expected: "integer", received: "string" },
        { path: "b.c", code: "missing", expected: "string", received: "nothing" },
        { path: "b.q", code: "unknown_key", expected: "one of the keys c", received: "number" },
        { path: "e[0]", code: "range", expected: "number from 1 to 3", received: "number" },
        { path: "e[1]", code: "type:number", expected: "number from 1 to 3", received: "string" },
        { path: "f", code: "check", expected: "a valid Date", received: "string" }
      ])
    })
  )

  it.effect("what a text does not hold is found after what was sent has been repaired", () =>
    Effect.gen(function* () {
      const error = yield* rejected(Input, { a: "1", b: { c: "" }, d: "X", f: "yesterday" })
      assert.deepStrictEqual(error.violations, [
        { path: "f", code: "check", expected: "a valid Date", received: "string" }
      ])
      assert.deepStrictEqual(
        error.warnings.map(({ kind, path }) => [path, kind]),
        [
          ["a", "number_from_string"],
          ["d", "enum_case"]
        ]
      )
    })
  )

  it.effect("what dates do not hold takes its place among what was sent wrongly", () =>
    Effect.gen(function* () {
      const Times = Schema.Struct({
        from: Schema.Date,
        "odd.key": Schema.Int,
        between: Schema.Struct({ at: Schema.Date, n: Schema.Int }),
        to: Schema.Date,
        n: Schema.Int
      })
      const sent = { z: 1, to: "x", n: "x", between: { at: "x" }, from: "x" }
      assert.deepStrictEqual(summary(yield* rejected(Times, sent)), [
        ['["odd.key"]', "missing"],
        ["z", "unknown_key"],
        ["from", "check"],
        ["between.n", "missing"],
        ["to", "check"],
        ["n", "type:integer"]
      ])
    })
  )

  it.effect("the message names each of them and quotes none of what was sent", () =>
    Effect.gen(function* () {
      const error = yield* rejected(Input, { a: "s3cret", b: { c: "s3cret" }, d: "s3cret" })
      assert.strictEqual(
        error.message,
        [
          "The arguments do not fit this tool, so it did not run. Mend them and call again:",
          "- a: expected integer; received string",
          "- d: expected one of: x, y; received string",
          'Arguments that fit, for example: {"a":1,"b":{"c":"text"},"d":"x"}'
        ].join("\n")
      )
      assert.notInclude(JSON.stringify(error), "s3cret")
    })
  )

  it.effect("a fraction is no integer, and an integer beyond 2^53 may not be the one that was meant", () =>
    Effect.gen(function* () {
      const Count = Schema.Struct({ a: Schema.Int })
      assert.deepStrictEqual(summary(yield* rejected(Count, { a: 1.5 })), [["a", "type:integer"]])
      assert.deepStrictEqual(summary(yield* rejected(Count, { a: 2 ** 53 })), [["a", "unsafe_integer"]])
    })
  )

  it.effect("names of Object.prototype are unknown keys, and are not found where they were not sent", () =>
    Effect.gen(function* () {
      const Named = Schema.Struct({ constructor: Schema.optionalKey(Schema.String), toString: Schema.String })
      assert.deepStrictEqual(summary(yield* rejected(Named, {})), [["toString", "missing"]])
      const polluted: unknown = JSON.parse('{"a":"x","__proto__":{"isAdmin":true}}')
      assert.deepStrictEqual(summary(yield* rejected(Schema.Struct({ a: Schema.String }), polluted)), [
        ["__proto__", "unknown_key"]
      ])
      assert.isUndefined(Reflect.get({}, "isAdmin"))
    })
  )

  it.effect("a tool without arguments refuses any", () =>
    Effect.gen(function* () {
      const error = yield* rejected(Schema.Struct({}), { path: "a" })
      assert.deepStrictEqual(error.violations, [
        { path: "path", code: "unknown_key", expected: "no keys", received: "string" }
      ])
    })
  )

  it.effect("of several kinds of object the one that was begun is explained", () =>
    Effect.gen(function* () {
      const Shape = Schema.Struct({
        shape: Schema.Union([Schema.Struct({ radius: Schema.Int }), Schema.Struct({ side: Schema.Int })])
      })
      const error = yield* rejected(Shape, { shape: { side: "one" } })
      assert.deepStrictEqual(summary(error), [["shape.side", "type:integer"]])
    })
  )

  it.effect("odd keys are quoted in paths, and long ones are cut", () =>
    Effect.gen(function* () {
      const error = yield* rejected(Schema.Struct({}), { "a.b": 1, "": 1, ["k".repeat(1000)]: 1 })
      const [odd, empty, long] = error.violations.map(({ path }) => path)
      assert.deepStrictEqual([odd, empty, long?.length], ['["a.b"]', '[""]', InvalidInput.maxTextLength])
    })
  )
})

describe("the list of violations", () => {
  it.effect("keeps the first 32 and counts the rest", () =>
    Effect.gen(function* () {
      const list = Array.from({ length: 50_000 }, () => "x")
      const error = yield* rejected(Schema.Struct({ list: Schema.Array(Schema.Int) }), { list })
      assert.strictEqual(error.violations.length, InvalidInput.maxViolations)
      assert.strictEqual(error.violationsOmitted, 50_000 - InvalidInput.maxViolations)
      assert.deepStrictEqual(error.violations[1]?.path, "list[1]")
      assert.include(error.message, `- and ${error.violationsOmitted} more`)
    })
  )

  it.effect("stays within 8 KiB of JSON, whatever the keys are", () =>
    Effect.gen(function* () {
      const entries = Array.from({ length: 100 }, (_, index) => [`${"\u4e2d".repeat(300)}${index}`, 1])
      const error = yield* rejected(Schema.Struct({}), Object.fromEntries(entries))
      assert.isAtMost(Buffer.byteLength(JSON.stringify(error.violations)), InvalidInput.maxBytes)
      assert.strictEqual(error.violations.length + error.violationsOmitted, 100)
      assert.isAbove(error.violations.length, 5)
    })
  )
})
