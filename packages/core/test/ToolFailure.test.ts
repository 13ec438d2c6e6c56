import { assert, describe, it } from "@effect/vitest"
import { Permission, ToolFailure } from "@haft/core"
import { Effect, Schema } from "effect"

const samples = [
  ToolFailure.invalidArguments({ message: "m", violations: [{ path: "a", message: "not today" }] }),
  ToolFailure.notFound({ message: "m", resource: "a", candidates: ["b"] }),
  ToolFailure.precondition({ message: "m", condition: "clean" }),
  ToolFailure.authInvalid({ message: "m", profile: "work" }),
  ToolFailure.authExpired({ message: "m", secretRef: "TOKEN" }),
  ToolFailure.authForbidden({ message: "m", missingScopes: ["write"] }),
  ToolFailure.rateLimited({ message: "m", retryAfterMs: 10 }),
  ToolFailure.upstream({ message: "m", status: 503, cause: "RESET" }),
  ToolFailure.unavailable({ message: "m" }),
  ToolFailure.dataInvalid({ message: "m", subject: "a.json" }),
  ToolFailure.executionFailed({ message: "m", exitCode: 2, retry: { runtime: true } }),
  ToolFailure.denied({ message: "m", by: "user", feedback: "use b" }),
  ToolFailure.timedOut({ message: "m", boundBy: "idle", limitMs: 5, partial: "so far" })
]

describe("ToolFailure", () => {
  it("has a constructor for each of the thirteen kinds", () => {
    const kinds = samples.map(({ reason }) => reason._tag)
    assert.deepStrictEqual(kinds, Object.keys(ToolFailure.Reason.cases) as typeof kinds)
    assert.strictEqual(kinds.length, 13)
  })

  it.effect("is the same after it was stored as JSON", () =>
    Effect.gen(function* () {
      for (const failure of samples) {
        const stored = JSON.stringify(yield* Schema.encodeEffect(ToolFailure.ToolFailure)(failure))
        const loaded = yield* Schema.decodeUnknownEffect(ToolFailure.ToolFailure)(JSON.parse(stored))
        assert.deepStrictEqual([loaded.message, { ...loaded }], [failure.message, { ...failure }])
      }
    })
  )

  it.effect("is caught by its kind", () =>
    Effect.gen(function* () {
      const candidates = yield* ToolFailure.notFound({ message: "m", candidates: ["b"] }).pipe(
        Effect.catchReason("ToolFailure", "NotFound", ({ candidates }) => Effect.succeed(candidates))
      )
      assert.deepStrictEqual(candidates, ["b"])
    })
  )

  it("takes a refused permission as it is, and nothing of it but what a failure has", () => {
    const denied = new Permission.DeniedError({ message: "No", by: "user", feedback: "Use b", rule: "edit *" })
    const failure = ToolFailure.denied(denied)
    assert.deepStrictEqual(failure.reason, { _tag: "Denied", by: "user", feedback: "Use b", rule: "edit *" })
    assert.deepStrictEqual([failure.message, Object.keys(failure).toSorted()], ["No", ["_tag", "reason"]])
  })

  it("refuses fields that could not be stored", () => {
    // @ts-expect-error a date is not JSON
    assert.throws(() => ToolFailure.unavailable({ message: "m", details: { at: new Date(0) } }))
    assert.throws(() => ToolFailure.rateLimited({ message: "m", retryAfterMs: -1 }))
  })
})
