import { assert, describe, it } from "@effect/vitest"
import { type Settlement, ToolFailure } from "@haft/core"
import { Effect, Schema } from "effect"
import * as Bounds from "./support/bounds.ts"
import { failed, rejected } from "./support/settlements.ts"

const long = "x".repeat(100_000)
const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}`)

const boundFailure = Effect.fnUntraced(function* (failure: ToolFailure.ToolFailure, bytes?: number) {
  const shown = yield* Bounds.bound(failed(failure), bytes === undefined ? {} : { bytes })
  assert(shown._tag === "Failed")
  return { failure: shown.failure, managed: shown.managed }
})

describe("a failure that is too long", () => {
  it.effect("still says what happened, what to do, and where all of it is", () =>
    Effect.gen(function* () {
      const retry = { runtime: false, model: true }
      const failure = ToolFailure.unavailable({
        message: `The server is away. ${long}`,
        hint: "Wait a minute.",
        field: "server",
        retry,
        retryAfterMs: 60_000
      })
      const { failure: shown, managed } = yield* boundFailure(failure, 1_000)
      assert.match(shown.message, /^The server is away\. x+… \[\d+ characters left out\] …x+\n\[This is shortened/)
      assert.isTrue(shown.message.endsWith(` bytes. All of it was kept as ${managed[0]}.]`))
      assert.deepInclude(shown, { hint: "Wait a minute.", field: "server", retry })
      assert.deepStrictEqual(shown.reason, failure.reason)
      assert.deepStrictEqual(yield* Bounds.keptTexts, [
        ["application/json", JSON.stringify(Schema.encodeSync(ToolFailure.ToolFailure)(failure), keys)]
      ])
    }).pipe(Effect.provide(Bounds.layer))
  )

  /** In the order in which a failure is written down. */
  const keys = ["_tag", "reason", "retryAfterMs", "message", "hint", "field", "details", "retry", "runtime", "model"]

  const message = "It failed."
  const kinds: ReadonlyArray<readonly [string, ToolFailure.ToolFailure, (shown: ToolFailure.ToolFailure) => unknown]> =
    [
      ["its hint", ToolFailure.unavailable({ message, hint: long }), ({ hint }) => hint],
      ["its field", ToolFailure.unavailable({ message, field: long }), ({ field }) => field],
      ["its details", ToolFailure.unavailable({ message, details: { names } }), ({ details }) => details],
      ["its partial output", ToolFailure.unavailable({ message, partial: { names } }), ({ partial }) => partial],
      ["near misses", ToolFailure.notFound({ message, candidates: names }), ({ reason }) => reason],
      [
        "violations",
        ToolFailure.invalidArguments({ message, violations: names.slice(-9).map((path) => ({ path, message: long })) }),
        ({ reason }) => reason
      ],
      ["a person's feedback", ToolFailure.denied({ message, by: "user", feedback: long }), ({ reason }) => reason]
    ]

  it.effect.each(kinds)("because of %s keeps its message, and some of what is too long", ([, failure, of]) =>
    Effect.gen(function* () {
      const { failure: shown, managed } = yield* boundFailure(failure)
      assert.match(
        shown.message,
        /^It failed\.\n\[This is shortened from \d+ bytes\. All of it was kept as out_\d+\.\]$/
      )
      assert.strictEqual(shown.reason._tag, failure.reason._tag)
      assert.isAbove(JSON.stringify(of(shown)).length, 10_000)
      assert.strictEqual(managed.length, 1)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("because of a text that it had produced keeps that as text", () =>
    Effect.gen(function* () {
      const partial = names.join("\n")
      const failure = ToolFailure.timedOut({ message, boundBy: "idle", limitMs: 10, partial })
      const { failure: shown, managed } = yield* boundFailure(failure)
      assert.deepInclude(shown, { message, reason: failure.reason })
      assert.match(
        String(shown.partial),
        /^name-0\n[^]+\n\[\d+ lines, \d+ bytes left out here\. The complete output was kept as out_\d+\.\]\n[^]+\nname-9999$/
      )
      assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", partial]])
      assert.strictEqual(managed.length, 1)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("of a person's refusal begins with the feedback", () =>
    Effect.gen(function* () {
      const refusal = ToolFailure.denied({ message, by: "user", feedback: `Use the other file. ${long}` })
      const { reason } = (yield* boundFailure(refusal, 700)).failure
      assert(reason._tag === "Denied")
      assert.isTrue(reason.feedback?.startsWith("Use the other file."))
      assert.strictEqual(reason.by, "user")
    }).pipe(Effect.provide(Bounds.layer))
  )
})

describe("a rejection that is too long", () => {
  const violations = names.map((path) => ({ path, code: "missing", expected: "text", received: "nothing" }) as const)
  const rejection: Settlement.Rejection = { _tag: "InvalidInput", violations, violationsOmitted: 5 }

  it.effect("has as many violations as fit, and counts the others", () =>
    Effect.gen(function* () {
      const shown = yield* Bounds.bound(rejected(rejection, "The arguments do not fit."), { bytes: 1_000 })
      assert(shown._tag === "Rejected" && shown.rejection._tag === "InvalidInput")
      const { violations: some, violationsOmitted } = shown.rejection
      assert.isAbove(some.length, 5)
      assert.deepStrictEqual(some, violations.slice(0, some.length))
      assert.strictEqual(some.length + violationsOmitted, violations.length + 5)
      assert.match(shown.message, /^The arguments do not fit\.\n\[This is shortened from \d+ bytes\./)
      assert.deepStrictEqual(yield* Bounds.keptTexts, [
        ["application/json", JSON.stringify({ message: "The arguments do not fit.", rejection })]
      ])
    }).pipe(Effect.provide(Bounds.layer))
  )
})
