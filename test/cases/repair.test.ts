import { assert, describe, it } from "@effect/vitest"
import { ArgumentRepair, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, JsonSchema, Option, Result, Schema, SchemaRepresentation } from "effect"
import { type Repair, repairs } from "./corpus.ts"

const titled = (entries: ReadonlyArray<Repair>) => entries.map((entry) => [entry.name, entry] as const)

const nameOf = ({ tool }: Repair): string => tool ?? "tool"

/** As a host would that knows the tool by its schema alone and trusts its patterns. */
const codecOf = ({ schema }: Repair): Tool.Codec =>
  SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema), {
    patterns: "apply",
    includeAnnotationKey: (keyword) => keyword.startsWith("x-"),
    onEnter: ({ nullable, ...rest }) => (nullable === true ? { anyOf: [rest, { type: "null" }] } : rest)
  }) as Schema.Schema<unknown> as Tool.Codec

const planOf = (entry: Repair): ArgumentRepair.Plan => ArgumentRepair.plan(codecOf(entry))

/** Without the special objects that arguments are read into. */
const plain = (value: unknown): Schema.Json => Schema.decodeUnknownSync(Schema.Json)(JSON.parse(JSON.stringify(value)))

/** What `JSON.parse` makes of the input, if it is text. */
const asSent = ({ input }: Repair): unknown =>
  typeof input === "string"
    ? Option.getOrUndefined(Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))(input))
    : input

const isSame = (left: unknown, right: unknown): boolean => {
  try {
    assert.deepStrictEqual(left, right)
    return true
  } catch {
    return false
  }
}

/** What comes back, in the words of the corpus. */
const outcomeOf = (result: ReturnType<typeof ArgumentRepair.repair>): Repair["expect"] =>
  Result.match(result, {
    onSuccess: ({ value }) => ({ ok: plain(value) }),
    onFailure: ({ field, violations }) => ({ error: { field, reason: violations[0]?.code ?? "" } })
  })

describe("the corpus of repairs", () => {
  it.each(titled(repairs))("%s", (_, entry) => {
    const plan = planOf(entry)
    const result = ArgumentRepair.repair(plan, nameOf(entry), entry.input)
    assert.deepStrictEqual(outcomeOf(result), entry.expect)
    assert.deepStrictEqual(ArgumentRepair.repair(plan, nameOf(entry), entry.input), result)
    if (Result.isFailure(result)) return
    assert.strictEqual(result.success.warnings.length === 0, isSame(asSent(entry), plain(result.success.value)))
    const again = Result.getOrThrow(ArgumentRepair.repair(plan, nameOf(entry), result.success.value))
    assert.deepStrictEqual([plain(again.value), again.warnings], [plain(result.success.value), []])
  })

  it.effect.each(titled(repairs))("is the same through a tool that is called: %s", ([, entry]) =>
    Effect.gen(function* () {
      const tool = Tool.fromJsonSchema({
        description: "",
        inputSchema: entry.schema,
        patterns: "apply",
        execute: Effect.succeed
      })
      const called = yield* Effect.result(Testing.call(tool, entry.input, { name: nameOf(entry) }))
      if (Result.isSuccess(called)) {
        assert.deepStrictEqual({ ok: plain(called.success.output.structured) }, entry.expect)
        return
      }
      assert(called.failure._tag === "InvalidInput")
      assert.deepStrictEqual(outcomeOf(Result.fail(called.failure)), entry.expect)
    })
  )

  it("names every entry once", () => {
    assert.strictEqual(new Set(repairs.map(({ name }) => name)).size, repairs.length)
  })
})
