import { assert, describe, it } from "@effect/vitest"
import { Fetch, LocationFetch } from "@haft/builtins"
import { Permission } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Exit, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { type BadInput, badInputs, isWebCase } from "./corpus.ts"
import { expand } from "./expand.ts"
import { makeWeb } from "./site.ts"
import { substituted } from "./workspace.ts"

const layerPermission = Layer.succeed(Permission.Service, {
  assert: () => Effect.void,
  stops: () => Effect.succeed(false)
})

/** Pages that never come to an end. The clock of the test has to move before anything happens. */
const isEndless = ({ id }: BadInput): boolean => id === "urls-087" || id === "urls-088"

/** What a call came to, with everything that it can have touched. */
const settled = Effect.fnUntraced(function* (entry: BadInput) {
  const web = yield* makeWeb
  const tool = yield* Effect.provide(Fetch.make, [LocationFetch.layer(web.options), layerPermission])
  const call = Testing.call(tool, expand(substituted(entry.input, web.variables)), { name: "fetch" })
  const fiber = yield* Effect.forkChild(Effect.exit(Effect.result(call)))
  if (isEndless(entry)) yield* Effect.andThen(web.asked, TestClock.adjust("30 seconds"))
  const exit = yield* Fiber.join(fiber)
  assert(Exit.isSuccess(exit), "a refusal is typed")
  return { result: exit.value, intrusions: web.intrusions() }
})

/** What is told of an entry that may go either way. */
const outcomes: Readonly<Record<string, string>> = {
  "urls-081": "Upstream",
  "urls-083": "DataInvalid",
  "urls-085": "DataInvalid",
  "urls-087": "TimedOut",
  "urls-088": "TimedOut",
  "urls-089": "Upstream",
  "urls-090": "Upstream",
  "urls-091": "Upstream",
  "urls-093": "DataInvalid",
  "urls-096": "Zürich",
  "urls-098": "DataInvalid",
  "unicode-032": "Upstream"
}

type Called = Effect.Success<ReturnType<typeof Testing.call<typeof Fetch.Input, typeof Fetch.Output>>>

const outcomeOf = (result: Result.Result<Called, Testing.CallError>): string => {
  if (Result.isFailure(result)) {
    return result.failure._tag === "ToolFailure" ? result.failure.reason._tag : result.failure._tag
  }
  const { returned } = result.success
  return returned.kind === "page" ? returned.text : returned.to
}

const entries = badInputs.filter(isWebCase)

/** Whether a model is told so, before or by the tool. */
const isRefusedBy = (result: Result.Result<Called, Testing.CallError>): boolean =>
  Result.isFailure(result) && ["ToolFailure", "InvalidInput"].includes(result.failure._tag)

/** For a busy machine. */
const longTime = 60_000

describe("entries of the corpus for fetch", { timeout: longTime }, () => {
  it.effect.each(entries.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , entry]) =>
    Effect.gen(function* () {
      const { intrusions, result } = yield* settled(entry)
      assert.strictEqual(intrusions, 0, "the internal site is not reached")
      assert.notInclude(JSON.stringify(result), "CANARY")
      if (entry.must === "reject") assert.isTrue(isRefusedBy(result))
      if (entry.must === "accept") assert.strictEqual(outcomeOf(result), "an ordinary page")
      if (entry.must === "bounded") assert.strictEqual(outcomeOf(result), outcomes[entry.id])
    }).pipe(Effect.scoped)
  )

  it("cover every entry that may go either way", () => {
    const bounded = entries.filter(({ must }: BadInput) => must === "bounded").map(({ id }) => id)
    assert.deepStrictEqual(bounded.toSorted(), Object.keys(outcomes).toSorted())
  })

  it.effect("would reach the internal site if it were public", () =>
    Effect.gen(function* () {
      const web = yield* makeWeb
      const open = LocationFetch.layer({ ...web.options, admits: () => true })
      const tool = yield* Effect.provide(Fetch.make, [open, layerPermission])
      const reaching = ["urls-001", "urls-005", "urls-017", "urls-051", "urls-056"]
      for (const { input } of entries.filter(({ id }) => reaching.includes(id))) {
        const call = Testing.call(tool, expand(substituted(input, web.variables)), { name: "fetch" })
        assert.strictEqual(outcomeOf(yield* Effect.result(call)), "CANARY")
      }
      assert.strictEqual(web.intrusions(), reaching.length)
    }).pipe(Effect.scoped)
  )
})
