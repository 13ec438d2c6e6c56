import { assert, describe, it } from "@effect/vitest"
import { ArgumentRepair, InvalidInput, Settlement, ToolName } from "@haft/core"
import { Result, Schema } from "effect"
import { attempt, codecOf, object } from "./support/repairs.ts"

const warningsOf = (codec: Parameters<typeof attempt>[0], input: unknown) =>
  Result.getOrThrow(attempt(codec, input)).warnings

const errorOf = (codec: Parameters<typeof attempt>[0], input: unknown) => {
  const result = attempt(codec, input)
  assert(Result.isFailure(result))
  return result.failure
}

describe("warnings", () => {
  it("show what was sent and what it was read as", () => {
    const codec = Schema.Struct({
      n: Schema.Int,
      list: Schema.Array(Schema.Int),
      note: Schema.optionalKey(Schema.String),
      limit: Schema.optionalKey(Schema.Int)
    })
    assert.deepStrictEqual(warningsOf(codec, { N: " 1", list: "[2]", note: " ", limit: null }), [
      { path: "n", kind: "key_spelling", from: "N", to: "n" },
      { path: "n", kind: "number_from_string", from: '" 1"', to: "1" },
      { path: "list", kind: "array_from_string", from: '"[2]"', to: "[2]" },
      { path: "note", kind: "blank_dropped", from: '" "', to: null },
      { path: "limit", kind: "null_dropped", from: "null", to: null }
    ])
    assert.deepStrictEqual(warningsOf(Schema.Struct({}), undefined), [
      { path: "", kind: "empty_arguments", from: null, to: "{}" }
    ])
  })

  it("come in a fixed order: text, wrappers, keys as sent, fields of the schema, map entries as sent", () => {
    const codec = codecOf(
      object({
        a: { type: "integer" },
        "b?": { type: "integer" },
        m: { type: "object", additionalProperties: { type: "integer" } }
      })
    )
    const text = `{'args': {"m": {"z":"1","y":"2"}, "B": "2", "a": "1"},}`
    assert.deepStrictEqual(
      warningsOf(codec, text).map(({ kind, path }) => `${path} ${kind}`),
      [
        " single_quotes",
        " trailing_comma",
        " unwrapped",
        "b key_spelling",
        "a number_from_string",
        "b number_from_string",
        "m.z number_from_string",
        "m.y number_from_string"
      ]
    )
  })

  it("cut what is long, between characters", () => {
    const list = JSON.stringify(Array.from({ length: 10_000 }, () => "\u{1f600}"))
    const [warning] = warningsOf(Schema.Struct({ x: Schema.Array(Schema.String) }), { x: list })
    for (const side of [warning?.from, warning?.to]) {
      assert.isAtMost(side?.length ?? 99, 80)
      assert.isTrue(side?.isWellFormed())
    }
  })

  it("are at most 64, and the rest is counted", () => {
    const sent = { x: Array.from({ length: 1000 }, () => "1") }
    const { warnings, warningsOmitted } = Result.getOrThrow(
      attempt(Schema.Struct({ x: Schema.Array(Schema.Int) }), sent)
    )
    assert.deepStrictEqual([warnings.length, warningsOmitted], [64, 936])
    assert.strictEqual(warnings[63]?.path, "x[63]")
    const settled = Settlement.repairWarnings({ warnings, warningsOmitted })
    assert.deepStrictEqual(settled.at(-1), { code: "warnings_omitted", message: "And 936 more remarks like these." })
    const lines = Settlement.warningLines(settled)
    assert.deepStrictEqual([lines.length, lines.at(-1)], [9, "And 57 more remarks like these."])
  })

  it("are told to a model in one sentence each", () => {
    const warnings = warningsOf(Schema.Struct({ limit: Schema.Int }), { limit: "20" })
    const [settled] = Settlement.repairWarnings({ warnings, warningsOmitted: 0 })
    assert.deepStrictEqual(settled, {
      code: "number_from_string",
      message: 'Argument `limit`: the text "20" was read as the number 20; send a JSON number.',
      path: "limit",
      from: '"20"',
      to: "20"
    })
  })

  it.each(ArgumentRepair.Kind.literals)("have a sentence for %s", (kind) => {
    const [told] = Settlement.repairWarnings({
      warnings: [{ path: "", kind, from: "F", to: null }],
      warningsOmitted: 0
    })
    assert.match(told?.message ?? "", /^The arguments: .+\.$/)
    assert.notInclude(told?.message ?? "undefined", "undefined")
  })
})

describe("what may be secret", () => {
  const secret = "hunter2-hunter2"
  const sensitive: ReadonlyArray<readonly [string, Parameters<typeof attempt>[0]]> = [
    ["annotated", Schema.Struct({ x: Schema.Array(Schema.String).annotate({ sensitive: true }) })],
    ["redacted", Schema.Struct({ x: Schema.Array(Schema.Redacted(Schema.String)) })],
    ["annotated inside", Schema.Struct({ x: Schema.Array(Schema.String.annotate({ sensitive: true })) })],
    ["write-only", codecOf(object({ x: { type: "array", items: { type: "string" }, writeOnly: true } }))],
    ["a password", codecOf(object({ x: { type: "array", items: { type: "string", format: "password" } } }))],
    ["marked in JSON Schema", codecOf(object({ x: { type: "array", items: { type: "string" }, "x-sensitive": true } }))]
  ]
  it.each(sensitive)("is not shown in a warning: %s", (_, codec) => {
    const text = JSON.stringify([secret])
    const values = warningsOf(codec, { X: text })
    assert.deepStrictEqual(values.at(-1), {
      path: "x",
      kind: "array_from_string",
      from: "<redacted>",
      to: "<redacted>"
    })
    const texts = warningsOf(codec, `{'x': ${text},}`)
    assert.deepStrictEqual(
      texts.map(({ from, to }) => [from, to]),
      [
        ["<redacted>", "<redacted>"],
        ["<redacted>", "<redacted>"]
      ]
    )
    assert.notInclude(JSON.stringify([values, texts]), secret)
  })

  it("is shown where nothing is secret", () => {
    const open = Schema.Struct({ x: Schema.Array(Schema.String) })
    assert.include(JSON.stringify(warningsOf(open, { x: JSON.stringify([secret]) })), secret)
  })

  it("is not shown in a refusal either", () => {
    const codec = Schema.Struct({
      x: Schema.Union([
        Schema.Struct({ a: Schema.Int, b: Schema.String }),
        Schema.Struct({ a: Schema.String, b: Schema.Int })
      ]).annotate({
        sensitive: true
      }),
      y: Schema.optionalKey(Schema.Int)
    })
    const error = errorOf(codec, { x: { a: "123456789", b: "987654321" }, y: secret })
    assert.deepStrictEqual(
      error.violations.map(({ code, path }) => [path, code]),
      [
        ["x", "ambiguous"],
        ["y", "type:integer"]
      ]
    )
    assert.notMatch(JSON.stringify(error) + error.message, /123456789|987654321|hunter2/)
  })
})

describe("violations", () => {
  it("name the first field and what was expected there", () => {
    const codec = Schema.Struct({ a: Schema.Int, b: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })) })
    const error = errorOf(codec, { a: 1, b: "61" })
    assert.deepStrictEqual([error.field, error.expected], ["b", "integer from 1 to 60"])
    assert.deepStrictEqual([errorOf(codec, "x").field, errorOf(codec, "x").expected], [null, "one JSON object"])
  })

  it("say what the schema expects, with the beginning of the description", () => {
    const codec = codecOf(
      object({
        n: { type: "integer", minimum: 1, description: "How many results to give" },
        r: { type: "number", exclusiveMinimum: 0, maximum: 1 },
        l: { type: "array", items: { type: "string" }, description: "x".repeat(500) },
        e: { enum: Array.from({ length: 30 }, (_, index) => `m${index}`) }
      })
    )
    const [n, r, l, e] = errorOf(codec, { n: "a", r: 2, l: 5, e: 5 }).violations.map(({ expected }) => expected)
    assert.strictEqual(n, "integer of at least 1 (How many results to give)")
    assert.strictEqual(r, "number above 0 and of at most 1")
    assert.strictEqual(l, `list of string (${"x".repeat(119)}…)`)
    assert.include(e, "one of: m0, m1, m2")
    assert.include(e, "m19 and 10 more")
  })

  it("suggest a key or a member that is only a slip away, and do not act on it", () => {
    const codec = Schema.Struct({ pattern: Schema.String, scope: Schema.Literals(["pinned", "episodes"]) })
    const error = errorOf(codec, { patern: "a", scope: "pined" })
    assert.deepStrictEqual(
      error.violations.map(({ hint }) => hint),
      ['The key "patern" was sent. Was it meant?', "Did you mean pattern?", "Did you mean pinned?"]
    )
    assert.isUndefined(errorOf(codec, { pattern: "a", scope: "graph" }).violations[0]?.hint)
  })

  it("tell a model about identifiers that are too long for a number", () => {
    const error = errorOf(Schema.Struct({ id: Schema.Int }), { id: "1497549923779084388" })
    assert.include(error.message, "send longer identifiers as text")
  })

  it("come with an example that fits, drawn from the schema", () => {
    const codec = Schema.Struct({
      path: Schema.String.annotate({ examples: ["src/main.ts"] }),
      mode: Schema.Literals(["read", "write"]),
      range: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int])),
      limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 9 })))
    })
    const { message } = errorOf(codec, { path: 1, mode: "read", limit: "100" })
    const example = message.split("\n").at(-1) ?? ""
    assert.strictEqual(example, 'Arguments that fit, for example: {"path":"src/main.ts","mode":"read","limit":5}')
    assert.isTrue(Result.isSuccess(attempt(codec, example.slice(example.indexOf("{")))))
  })

  it("come without an example where none is known to fit", () => {
    const codec = Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^[0-9]{7}$/)) })
    assert.notInclude(errorOf(codec, {}).message, "for example")
  })

  it("and warnings together stay within a bounded message", () => {
    const codec = Schema.Struct({
      x: Schema.Array(Schema.Int),
      y: Schema.Array(Schema.Int),
      z: Schema.String.annotate({ description: "d".repeat(10_000) })
    })
    const long = "k".repeat(100_000)
    const sent = {
      x: Array.from({ length: 5000 }, () => "1"),
      y: Array.from({ length: 5000 }, () => "a"),
      [long]: long
    }
    const error = errorOf(codec, sent)
    assert.strictEqual(error.violations.length + error.violationsOmitted, 5002)
    assert.strictEqual(error.warnings.length + error.warningsOmitted, 5000)
    assert.isAtMost(Buffer.byteLength(JSON.stringify(error.violations)), InvalidInput.maxBytes)
    assert.isAtMost(error.message.length, 16 * 1024)
    assert.isTrue(error.violations.every(({ expected, path }) => Math.max(expected.length, path.length) <= 200))
  })
})

describe("the closest name", () => {
  const names = ["read", "read_output", "write", "grep"]
  it("is the one that is a slip away", () => {
    for (const [sent, meant] of [
      ["raed", "read"],
      ["Read", "read"],
      ["wirte", "write"],
      ["readOutput", "read_output"],
      ["greb", "grep"]
    ] as const) {
      assert.strictEqual(ToolName.closest(sent, names), meant)
    }
  })

  it("is none where none is near, or two are equally near", () => {
    assert.isUndefined(ToolName.closest("search", names))
    assert.isUndefined(ToolName.closest("x", ["a", "b"]))
    assert.isUndefined(ToolName.closest("reae", ["read", "reap"]))
    assert.isUndefined(ToolName.closest("r".repeat(10_000), ["r".repeat(10_000)]))
    assert.isUndefined(ToolName.closest("", names))
  })
})
