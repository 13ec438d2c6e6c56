import { assert, describe, it } from "@effect/vitest"
import { type Tool, ToolContent } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { StandardSchemaTool } from "@haft/interop"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { Effect, Result, Schema } from "effect"
import * as v from "valibot"
import { z } from "zod"

const failureOf = Effect.fnUntraced(function* (tool: Tool.Any, input: unknown) {
  const error = yield* Effect.flip(Testing.call(tool, input))
  assert(error._tag === "ToolFailure" && error.reason._tag === "InvalidArguments")
  return error.reason.violations
})

const refusalOf = (tool: Tool.Any) => Result.getOrThrow(Result.flip(Runtime.open("tool", tool)))

describe("a tool made with zod", () => {
  const search = StandardSchemaTool.make({
    description: "Search",
    input: z.object({
      query: z.string().min(1).describe("What to look for"),
      limit: z.number().int().max(100).default(10),
      tags: z.array(z.string()).optional()
    }),
    output: z.object({ shown: z.string() }),
    execute: ({ limit, query, tags = [] }) => Effect.succeed({ shown: `${query} ${limit} ${tags.length}` })
  })

  it.effect("shows the model what goes in, before defaults", () =>
    Effect.gen(function* () {
      const { definition } = yield* Testing.call(search, { query: "a" })
      assert.deepStrictEqual(definition.inputSchema["required"], ["query"])
      assert.deepInclude(Object(definition.inputSchema["properties"]).query, { description: "What to look for" })
      assert.deepStrictEqual(definition.outputSchema["required"], ["shown"])
    })
  )

  it.effect("gives its executor what the validator made of the arguments", () =>
    Effect.gen(function* () {
      const { output } = yield* Testing.call(search, { query: "a", tags: ["x"] })
      assert.deepStrictEqual(output.structured, { shown: "a 10 1" })
    })
  )

  it.effect("rejects arguments that do not fit the JSON Schema", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Testing.call(search, { query: "", limit: 1000 }))
      assert(error._tag === "InvalidInput")
      assert.sameMembers(
        error.violations.map(({ path }) => path),
        ["query", "limit"]
      )
    })
  )

  it.effect("transforms, and holds arguments to what JSON Schema cannot say", () =>
    Effect.gen(function* () {
      const input = z
        .object({ from: z.iso.datetime().transform((text) => new Date(text)), to: z.iso.datetime(), email: z.email() })
        .refine(({ from, to }) => from < new Date(to), { path: ["to"], error: "must be later" })
      const tool = StandardSchemaTool.make({
        description: "Range",
        input,
        execute: ({ from }) => Effect.succeed(from.getUTCFullYear())
      })
      const range = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", email: "a@example.com" }
      assert.strictEqual((yield* Testing.call(tool, range)).output.structured, 2026)
      assert.deepStrictEqual(yield* failureOf(tool, { ...range, to: range.from }), [
        { path: "to", message: "must be later" }
      ])
      const [violation] = yield* failureOf(tool, { ...range, email: "nobody" })
      assert.strictEqual(violation?.path, "email")
    })
  )

  it.effect("waits for a validator that is asynchronous", () =>
    Effect.gen(function* () {
      const free = async (name: string) => name !== "taken"
      const tool = StandardSchemaTool.make({
        description: "Register",
        input: z.object({ names: z.array(z.string().refine(free, { error: "is taken" })) }),
        execute: ({ names }) => Effect.succeed(names.length)
      })
      assert.strictEqual((yield* Testing.call(tool, { names: ["a", "b"] })).output.structured, 2)
      assert.deepStrictEqual(yield* failureOf(tool, { names: ["a", "taken"] }), [
        { path: "names[1]", message: "is taken" }
      ])
    })
  )

  it.effect("takes records, tuples, tagged unions, recursion and unknown keys as zod does", () =>
    Effect.gen(function* () {
      const Tree = z.object({
        label: z.string(),
        get children() {
          return z.array(Tree)
        }
      })
      const input = z.object({
        counts: z.record(z.string(), z.number()),
        at: z.tuple([z.number(), z.boolean()]),
        what: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("file"), path: z.string() }),
          z.object({ kind: z.literal("none") })
        ]),
        tree: Tree
      })
      const tool = StandardSchemaTool.make({ description: "All", input, execute: (value) => Effect.succeed(value) })
      const json = {
        counts: { a: 1 },
        at: [1, true],
        what: { kind: "file", path: "p" },
        tree: { label: "a", children: [{ label: "b", children: [] }] }
      }
      const { output } = yield* Testing.call(tool, { ...json, unknown: 1 })
      assert.deepStrictEqual(structuredClone(output.structured), json)
    })
  )

  it.effect("holds its output to the JSON Schema of what comes out", () =>
    Effect.gen(function* () {
      const tool = StandardSchemaTool.make({
        description: "Bad",
        input: z.object({}),
        output: z.object({ n: z.number().max(3) }),
        execute: () => Effect.succeed({ n: 4 })
      })
      assert.strictEqual((yield* Effect.flip(Testing.call(tool, {})))._tag, "InvalidOutput")
    })
  )

  it("is refused if zod has no JSON Schema for it, with zod's reason", () => {
    const tool = StandardSchemaTool.make({
      description: "Date",
      input: z.object({ at: z.date() }),
      execute: () => Effect.succeed(null)
    })
    const error = refusalOf(tool)
    assert.strictEqual(error.reason, "UnsupportedSchema")
    assert.include(error.message, "Date cannot be represented in JSON Schema")
  })

  it("is refused if its arguments are no object", () => {
    const tool = StandardSchemaTool.make({ description: "Text", input: z.string(), execute: Effect.succeed })
    assert.strictEqual(refusalOf(tool).reason, "InputNotObject")
  })
})

describe("a tool made with valibot", () => {
  const Input = v.object({ city: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.number(), 3) })

  it.effect("works with the JSON Schema that valibot's converter attaches", () =>
    Effect.gen(function* () {
      const tool = StandardSchemaTool.make({
        description: "Weather",
        input: toStandardJsonSchema(Input),
        execute: ({ city, days }) => Effect.succeed(`${city} ${days}`),
        toModelOutput: ({ output }) => [ToolContent.text(`It rains: ${String(output)}`)]
      })
      const { output } = yield* Testing.call(tool, { city: "Oslo" })
      assert.deepStrictEqual(output, {
        structured: "Oslo 3",
        content: [{ _tag: "Text", text: "It rains: Oslo 3" }]
      })
      assert.strictEqual((yield* Effect.flip(Testing.call(tool, { city: "O" })))._tag, "InvalidInput")
    })
  )

  it.effect("works with a JSON Schema that its author wrote", () =>
    Effect.gen(function* () {
      const tool = StandardSchemaTool.make({
        description: "Weather",
        input: Input,
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        execute: ({ city }) => Effect.succeed(city)
      })
      assert.strictEqual((yield* Testing.call(tool, { city: "Oslo" })).output.structured, "Oslo")
      const [violation] = yield* failureOf(tool, { city: "O" })
      assert.strictEqual(violation?.path, "city")
    })
  )

  it("is refused without one, and told what to pass", () => {
    const tool = StandardSchemaTool.make({ description: "Weather", input: Input, execute: () => Effect.succeed(null) })
    assert.include(refusalOf(tool).message, "of valibot, gives no JSON Schema. Pass one as inputSchema.")
  })
})

describe("any other Standard Schema", () => {
  it.effect("works if it follows both standards, Effect's own for one", () =>
    Effect.gen(function* () {
      const Input = Schema.Struct({ a: Schema.FiniteFromString })
      const input = {
        "~standard": {
          ...Schema.toStandardSchemaV1(Input)["~standard"],
          ...Schema.toStandardJSONSchemaV1(Input)["~standard"]
        }
      }
      const tool = StandardSchemaTool.make({ description: "Half", input, execute: ({ a }) => Effect.succeed(a / 2) })
      assert.strictEqual((yield* Testing.call(tool, { a: "3" })).output.structured, 1.5)
    })
  )

  it.effect("shows a bounded number of issues, each cut to its limit", () =>
    Effect.gen(function* () {
      const issues = Array.from({ length: 100 }, () => ({ message: "x".repeat(1_000) }))
      const standard = { version: 1, vendor: "test", validate: () => ({ issues }) } as const
      const tool = StandardSchemaTool.make({
        description: "Never",
        input: { "~standard": standard },
        inputSchema: { type: "object" },
        execute: () => Effect.succeed(null)
      })
      const violations = yield* failureOf(tool, {})
      assert.strictEqual(violations.length, 32)
      assert.isTrue(violations.every(({ message }) => message.length === 200))
    })
  )

  it.effect("makes a defect of a validator that breaks", () =>
    Effect.gen(function* () {
      const validate = () => Promise.reject(new Error("broken"))
      const tool = StandardSchemaTool.make({
        description: "Broken",
        input: { "~standard": { version: 1, vendor: "test", validate } },
        inputSchema: { type: "object" },
        execute: () => Effect.succeed(null)
      })
      const { exit } = yield* Testing.observe(tool, {})
      assert(exit._tag === "Failure")
      assert.deepStrictEqual(
        exit.cause.reasons.map(({ _tag }) => _tag),
        ["Die"]
      )
    })
  )
})
