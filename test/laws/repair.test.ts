import { assert } from "@effect/vitest"
import { type ArgumentRepair, Tools } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { ToolRegistry } from "@haft/registry"
import * as Registry from "@haft/registry/testing"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { described, objects } from "./codecs.ts"
import { damaged, diceOf, sent } from "./damage.ts"
import { documents, recursive } from "./documents.ts"
import { admittedBy, advertised, codecOf, copy, echo, holds } from "./echo.ts"
import { law } from "./law.ts"
import { checkRepair, holdsBlank, subjectOf } from "./repairLaws.ts"

const presences = ["required", "optionalKey", "optional"] as const

const seeds = Arbitrary.schema(Schema.Int)

/** A random codec, arguments that it admits, and a seed for damage. */
const calls = Arbitrary.flatMap(objects({ leaves: described, presences, unions: true }), (codec) =>
  Arbitrary.map(Arbitrary.all({ value: admittedBy(advertised(echo(codec))), seed: seeds }), (call) => ({
    ...call,
    codec
  }))
)

const decodeJson = Schema.decodeUnknownSync(Schema.Json)

law(
  "repair-identity",
  "arguments that a random schema admits come back as they are, unless a text in them is blank",
  () =>
    holds(calls, ({ codec, value }) =>
      Effect.sync(() => {
        const result = Result.getOrThrow(checkRepair(subjectOf(codec), value))
        if (holdsBlank(value)) return
        assert.strictEqual(JSON.stringify(result.value), JSON.stringify(value))
        assert.deepStrictEqual(result.warnings, [])
      })
    )
)

law("repair-identity", "at level strict they come back as they are even then", () =>
  holds(
    calls,
    ({ codec, value }) =>
      Effect.sync(() => {
        const result = Result.getOrThrow(checkRepair(subjectOf(codec, "strict"), value))
        assert.strictEqual(JSON.stringify(result.value), JSON.stringify(value))
        assert.deepStrictEqual(result.warnings, [])
      }),
    150
  )
)

law("repair-identity", "a field that is valid stays as it is, whatever is wrong with the others", () => {
  const fields = { a: Schema.Int, b: Schema.String, c: Schema.Array(Schema.Union([Schema.Int, Schema.String])) }
  const codec = Schema.Struct({ ...fields, d: Schema.optionalKey(Schema.Int) })
  const values = Arbitrary.all({ value: Arbitrary.schema(codec), seed: seeds })
  return holds(values, ({ seed, value }) =>
    Effect.sync(() => {
      const hurt = damaged(decodeJson(copy(value)), diceOf(seed))
      const result = checkRepair(subjectOf(codec), hurt)
      if (Result.isFailure(result) || typeof hurt !== "object" || hurt === null) return
      for (const [name, field] of Object.entries(fields)) {
        const before: unknown = Reflect.get(hurt, name)
        if (Object.hasOwn(hurt, name) && Schema.is(field as Schema.Schema<unknown>)(before)) {
          assert.deepStrictEqual(copy(result.success.value[name]), copy(before))
        }
      }
    })
  )
})

law(
  "repair-is-reported",
  "every change to damaged arguments of a random schema is reported, and the result is valid",
  () => {
    const kinds = new Map<string, number>()
    const count = (repaired: ArgumentRepair.Repaired) =>
      repaired.warnings.forEach(({ kind }) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1))
    const repaired = holds(
      calls,
      ({ codec, seed, value }) =>
        Effect.sync(() => {
          const dice = diceOf(seed)
          const result = checkRepair(subjectOf(codec), sent(damaged(decodeJson(copy(value)), dice), dice))
          if (Result.isSuccess(result)) count(result.success)
        }),
      600
    )
    return Effect.andThen(
      repaired,
      Effect.sync(() => {
        const total = [...kinds.values()].reduce((sum, each) => sum + each, 0)
        assert.isAtLeast(total, 100, "a run in which nothing was repaired proves nothing")
        assert.isAtLeast(kinds.size, 8, [...kinds.keys()].join())
      })
    )
  }
)

law("repair-is-reported", "also for recursive schemas and for documents of strangers", () =>
  Effect.gen(function* () {
    const tools = [
      ...recursive.map((codec) => ({ codec, schema: advertised(echo(codec)) })),
      ...documents.map((schema) => ({ codec: codecOf(schema), schema }))
    ]
    for (const { codec, schema } of tools) {
      const subject = subjectOf(codec)
      yield* holds(
        Arbitrary.all({ value: admittedBy(schema), seed: seeds }),
        ({ seed, value }) =>
          Effect.sync(() => {
            const dice = diceOf(seed)
            checkRepair(subject, sent(damaged(decodeJson(value), dice), dice))
          }),
        50
      )
    }
  })
)

law("repair-is-reported", "a settlement tells what was repaired before anyone could be asked about the call", () =>
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    const registry = yield* ToolRegistry.Service
    yield* tools.register({ count: echo(Schema.Struct({ n: Schema.Int, note: Schema.optionalKey(Schema.String) })) })
    const turn = yield* registry.materialize()
    const settlement = yield* turn.settle(Registry.request("count", '{"N": "1", "note": "",}'))
    assert(settlement._tag === "Succeeded")
    assert.deepStrictEqual(copy(settlement.output.structured), { n: 1 })
    assert.deepStrictEqual(
      settlement.warnings.map(({ code, from, path, to }) => [code, path, from, to]),
      [
        ["trailing_comma", "", '"{\\"N\\": \\"1\\", \\"note\\": \\"\\",}"', '{"N":"1","note":""}'],
        ["key_spelling", "n", "N", "n"],
        ["number_from_string", "n", '"1"', "1"],
        ["blank_dropped", "note", '""', null]
      ]
    )
  }).pipe(Effect.provide(Registry.layer))
)

law("advertised-is-accepted", "what a random schema admits is never refused for what repair makes of it", () =>
  holds(calls, ({ codec, value }) => Effect.asVoid(Testing.call(echo(codec), value)), 150)
)
