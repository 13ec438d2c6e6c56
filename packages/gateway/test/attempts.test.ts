import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, Tool, ToolFailure } from "@haft/core"
import { Backoff, Gateway } from "@haft/gateway"
import * as ContextOs from "@haft/wire/ContextOs"
import * as Orloj from "@haft/wire/Orloj"
import * as Osaurus from "@haft/wire/Osaurus"
import * as Uicp from "@haft/wire/Uicp"
import { Clock, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { counted, governing, passing, request, run, chain } from "./support/governing.ts"

const policy = (maxAttempts: number, baseMs = 1000, jitter: "none" | "full" = "none") => ({
  maxAttempts,
  baseMs,
  capMs: 10_000,
  jitter
})

const upstream = ToolFailure.upstream({ message: "down", status: 503 })

describe("deadlines", () => {
  it.effect("M3: a call ends at the smallest of its limits, which is named, and its handler is interrupted", () => {
    const state = { finalised: false }
    const { tool } = counted({ determinism: "pure" }, () =>
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => (state.finalised = true)))
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const outcome = yield* passing(gateway.call(request({ timeoutMs: 1000, deadlineUnixMs: now + 300 })), 300)
        assert.deepInclude(outcome.leaf, { _tag: "TimedOut.EffectNone", boundBy: "call", timeoutMs: 300 })
        assert.strictEqual(outcome.timing.durationMs, 300)
        assert.deepInclude(outcome.limits, { timeoutMs: 300, boundBy: "call" })
        assert.isTrue(state.finalised)
      })
    )
  })

  it.effect("M3: a handler that ignores interruption does not delay the outcome, and its late value is discarded", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const { tool } = counted({ determinism: "pure" }, () => Effect.uninterruptible(Deferred.await(gate)))
      yield* governing(tool, ({ audit, gateway }) =>
        Effect.gen(function* () {
          const outcome = yield* passing(gateway.call(request({ timeoutMs: 300 })), 300)
          assert.strictEqual(outcome.leaf._tag, "TimedOut.EffectNone")
          yield* Deferred.succeed(gate, "late")
          assert.deepStrictEqual(yield* audit.counts, { requested: 1, settled: 1, skipped: 0 })
        })
      )
    })
  )

  it.effect("the limit of one attempt is named when it is the smallest", () => {
    const { tool } = counted({ determinism: "pure" }, () => Effect.never)
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* passing(gateway.call(request({ timeoutMs: 200 })), 200)
        assert.deepInclude(outcome.leaf, { boundBy: "attempt", timeoutMs: 200 })
      })
    )
  })

  it.effect("a deadline that is too far away keeps nothing longer than the longest call", () => {
    const { tool } = counted({ determinism: "side_effectful" }, () => Effect.never)
    return governing(tool, ({ audit, gateway, keys }) =>
      Effect.gen(function* () {
        const { claim } = keys
        const leases: Array<number> = []
        Object.assign(keys, {
          claim: (given: Parameters<typeof claim>[0]) => {
            leases.push(given.leaseUntil)
            return claim(given)
          }
        })
        const far = { deadlineUnixMs: 4_102_444_800_000, timeoutMs: 4_000_000_000, idempotencyKey: "k" }
        const fiber = yield* Effect.forkChild(gateway.call(request(far)))
        yield* TestClock.adjust(Gateway.defaultMaxCallTimeoutMs)
        const outcome = yield* Fiber.join(fiber)
        assert.deepInclude(outcome.leaf, { boundBy: "call", timeoutMs: Gateway.defaultMaxCallTimeoutMs })
        const [entry] = yield* audit.find("call")
        const graceMs = 30_000
        const latest = Gateway.defaultMaxCallTimeoutMs + graceMs
        assert.deepStrictEqual([leases, entry?.requested.leaseUntil], [[latest], latest])
      })
    )
  })

  it.effect("a policy that asks for more attempts than anybody can mean gets some", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.fail(upstream))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request({ retryPolicy: policy(1_000_000, 0) }))
        assert.deepStrictEqual([outcome.leaf._tag, calls()], ["Failure.Upstream", Backoff.maxAttempts])
      })
    )
  })

  it.effect("M4: a call whose deadline has passed is not made", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.succeed("x"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const outcome = yield* gateway.call(request({ deadlineUnixMs: 1000 }))
        assert.strictEqual(outcome.leaf._tag, "TimedOut.EffectNone")
        assert.strictEqual(outcome.effect._tag, "NotStarted")
        assert.deepStrictEqual([calls(), outcome.attempts], [0, []])
      })
    )
  })

  it.effect("M32: what is left of a run's time shortens the deadline of its calls", () => {
    const { tool } = counted({ determinism: "pure" }, ({ text }) =>
      text === "x" ? Effect.never : Effect.succeed(text)
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const options = { run: run({ wall_clock_ms: 1000 }) }
        yield* gateway.call(request({ input: { text: "y" }, principalChain: chain }), options)
        yield* TestClock.adjust(400)
        const outcome = yield* passing(gateway.call(request({ principalChain: chain }), options), 600)
        assert.deepInclude(outcome.leaf, { boundBy: "run", timeoutMs: 600 })
        const next = yield* gateway.call(request({ principalChain: chain }), options)
        assert.deepInclude(next.leaf, {
          _tag: "Denied.Budget",
          budget: { name: "wall_clock_ms", limit: 1000, used: 1000 }
        })
      })
    )
  })
})

describe("retries", () => {
  it.effect("M5: starts at 0, 1, 3, 7 and 15 seconds, under one call id and one key", () => {
    const starts: Array<number> = []
    const { calls, ids, tool } = counted({ determinism: "idempotent" }, () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return Effect.fail(upstream)
      })
    )
    return governing(tool, ({ gateway, keys }) =>
      Effect.gen(function* () {
        const { claim } = keys
        const claims: Array<string> = []
        Object.assign(keys, {
          claim: (given: Parameters<typeof claim>[0]) => {
            claims.push(given.storeKey)
            return claim(given)
          }
        })
        const outcome = yield* passing(gateway.call(request({ retryPolicy: policy(5) })), 15_000)
        assert.deepStrictEqual(starts, [0, 1000, 3000, 7000, 15_000])
        assert.deepStrictEqual([calls(), outcome.attempts.length], [5, 5])
        assert.deepStrictEqual(new Set(ids), new Set(["call"]))
        assert.strictEqual(claims.length, 1, "claimed once, for all of them")
        assert.deepStrictEqual(
          outcome.attempts.map(({ n, tag, waitedMs }) => [n, tag, waitedMs]),
          [0, 1000, 2000, 4000, 8000].map((waited, index) => [index + 1, "Failure.Upstream", waited])
        )
      })
    )
  })

  it.effect("M6: waits between attempts as the function of the tool and the attempt says", () => {
    const { tool } = counted({ determinism: "pure" }, () => Effect.fail(upstream))
    return governing(Tool.annotate(tool, { determinism: "pure" }), ({ gateway, tools }) =>
      Effect.gen(function* () {
        yield* tools.register({ web_search: tool })
        const given = request({ toolName: "web_search", retryPolicy: policy(5, 1000, "full") })
        const outcome = yield* passing(gateway.call(given), 15_000)
        const waits = outcome.attempts.map(({ waitedMs }) => waitedMs)
        for (const [index, expected] of [0, 692.3, 908.4, 864.4, 7824].entries()) {
          assert.approximately(waits[index] ?? Number.NaN, expected, 1e-6)
        }
      })
    )
  })

  it.effect("M5: does not begin a wait that would reach the deadline", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.fail(upstream))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const given = request({ retryPolicy: policy(5), deadlineUnixMs: 3000 })
        const outcome = yield* passing(gateway.call(given), 1000)
        assert.deepStrictEqual([calls(), outcome.timing.durationMs], [2, 1000])
        assert.strictEqual(outcome.leaf._tag, "Failure.Upstream")
      })
    )
  })

  it.effect(
    "waits exactly as long as a rate limit says, and tells when to come back if there is no time for that",
    () => {
      const { calls, tool } = counted({ determinism: "pure" }, (_, attempt) =>
        attempt === 1
          ? Effect.fail(ToolFailure.rateLimited({ message: "slow down", retryAfterMs: 1234 }))
          : Effect.fail(ToolFailure.rateLimited({ message: "slow down" }))
      )
      return governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const given = request({ retryPolicy: policy(5, 10_000), deadlineUnixMs: 5000 })
          const outcome = yield* passing(gateway.call(given), 1234)
          assert.strictEqual(calls(), 2)
          assert.deepInclude(outcome.leaf, { _tag: "Failure.RateLimited", retryAfterMs: 10_000 })
        })
      )
    }
  )

  it.effect("takes its shares from the host, if the host gives some", () => {
    const { tool } = counted({ determinism: "pure" }, (_, attempt) =>
      attempt === 1 ? Effect.fail(upstream) : Effect.succeed("done")
    )
    return governing(
      tool,
      ({ gateway }) =>
        Effect.gen(function* () {
          const outcome = yield* passing(gateway.call(request({ retryPolicy: policy(2, 1000, "full") })), 250)
          assert.deepInclude(outcome.attempts[1], { n: 2, waitedMs: 250, startedAt: 250 })
        }),
      { jitter: () => 0.25 }
    )
  })

  const never: ReadonlyArray<readonly [string, ToolFailure.ToolFailure]> = [
    ["Denied.Policy", ToolFailure.denied({ message: "no", by: "policy" })],
    ["Denied.Approver", ToolFailure.denied({ message: "no", by: "user", feedback: "use another" })],
    ["Failure.InvalidArguments", ToolFailure.invalidArguments({ message: "no", violations: [] })],
    ["Failure.AuthForbidden", ToolFailure.authForbidden({ message: "no" })],
    ["Failure.NotFound", ToolFailure.notFound({ message: "no" })]
  ]

  it.effect.each(never)("M7: %s is tried once under any policy", ([tag, failure]) => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.fail(failure))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request({ retryPolicy: policy(5, 0) }))
        assert.deepStrictEqual([outcome.leaf._tag, calls()], [tag, 1])
      })
    )
  })

  it.effect("M7: a rejection is not repeated", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.succeed("x"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request({ toolName: "other", retryPolicy: policy(5, 0) }))
        assert.deepStrictEqual([outcome.leaf._tag, outcome.attempts.length, calls()], ["Rejected.UnknownTool", 0, 0])
        const { leaf } = yield* gateway.call(request({ toolName: "x".repeat(100_000) }))
        assert.isBelow(JSON.stringify(leaf).length, 1000, "nobody reads their own data again")
      })
    )
  })

  it.effect("M7: what waits elsewhere, or is refused by rules, is not repeated either", () => {
    const { calls, tool } = counted({ determinism: "side_effectful" }, () => Effect.succeed("x"))
    return governing(tool, ({ gateway, keys }) =>
      Effect.gen(function* () {
        const retryPolicy = policy(5, 0)
        const chained = request({ retryPolicy, principalChain: [] })
        const denied = yield* gateway.call(chained, { run: run() })
        assert.deepStrictEqual([denied.leaf._tag, denied.attempts.length], ["Denied.Permission", 0])
        const invalid = yield* gateway.call(request({ retryPolicy, input: {} }))
        assert.deepStrictEqual([invalid.leaf._tag, invalid.attempts.length], ["Rejected.InvalidInput", 0])
        const spent = yield* gateway.call(request({ retryPolicy, principalChain: chain }), {
          run: run({ max_tool_calls: 0 })
        })
        assert.deepStrictEqual([spent.leaf._tag, spent.attempts.length], ["Denied.Budget", 0])
        Object.assign(keys, {
          claim: ({ inputDigest }: { inputDigest: string }) => Effect.succeed({ _tag: "Running", inputDigest })
        })
        const pending = yield* passing(gateway.call(request({ retryPolicy, deadlineUnixMs: 1000 })), 1000)
        assert.deepStrictEqual([pending.leaf._tag, pending.attempts.length, calls()], ["Pending.External", 0, 0])
      })
    )
  })

  it.effect.each(["pure", "idempotent"] as const)(
    "M8: a fault of a %s tool is repeated once, and reported once",
    (determinism) => {
      const faults: Array<string> = []
      const { calls, tool } = counted({ determinism }, ({ text }, attempt) =>
        text === "heals" && attempt === 2 ? Effect.succeed("well") : Effect.die(new Error("bug"))
      )
      return governing(
        tool,
        ({ gateway }) =>
          Effect.gen(function* () {
            const healed = yield* gateway.call(request({ input: { text: "heals" } }))
            assert.deepStrictEqual([healed.leaf._tag, healed.attempts.length], ["Success.Read", 2])
            const faulty = yield* gateway.call(request({ retryPolicy: policy(5, 0) }))
            assert.deepStrictEqual([faulty.leaf._tag, faulty.attempts.length, calls()], ["Operational.Defect", 2, 4])
            assert.deepStrictEqual(faults, [faulty.id])
          }),
        { onFault: ({ id }) => faults.push(id) }
      )
    }
  )

  const begun = Effect.flatMap(EffectSignal.Service, (signal) => signal.starting)

  it.effect("M8: a fault after an effect began is not repeated, and the effect is unknown", () => {
    const { calls, tool } = counted({ determinism: "side_effectful", asksFirst: true }, () =>
      Effect.andThen(begun, Effect.die(new Error("bug")))
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request({ retryPolicy: policy(5, 0) }))
        assert.deepStrictEqual([outcome.leaf._tag, outcome.effect._tag, calls()], ["Operational.Defect", "Unknown", 1])
      })
    )
  })

  it.effect("M8: a fault before any effect is repeated, whatever the tool can do", () => {
    const { calls, tool } = counted({ determinism: "side_effectful", asksFirst: true }, (_, attempt) =>
      attempt === 1 ? Effect.die(new Error("bug")) : Effect.succeed("done")
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* gateway.call(request())
        assert.deepStrictEqual([outcome.leaf._tag, calls()], ["Success.Effect", 2])
      })
    )
  })

  it.effect("M9: a timeout after an effect began is final on every wire", () => {
    const { calls, tool } = counted({ determinism: "side_effectful" }, () => Effect.andThen(begun, Effect.never))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* passing(gateway.call(request({ timeoutMs: 100, retryPolicy: policy(5, 0) })), 100)
        assert.deepStrictEqual([outcome.leaf._tag, calls()], ["TimedOut.EffectUnknown", 1])
        assert.strictEqual(Uicp.encode(outcome).status, "terminal_error")
        const orloj = Orloj.make().encode(outcome)
        assert.deepNestedInclude(orloj, { "envelope.error.retryable": false })
        assert.deepNestedInclude(ContextOs.encode(outcome), { "error.retryable": false })
        assert.deepNestedInclude(Osaurus.encode(outcome), { "envelope.retryable": false })
      })
    )
  })

  it.effect("M9: a pure tool with the same timeout is repeated", () => {
    const { calls, tool } = counted({ determinism: "pure" }, (_, attempt) =>
      attempt === 1 ? Effect.never : Effect.succeed("done")
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const outcome = yield* passing(gateway.call(request({ timeoutMs: 100, retryPolicy: policy(5, 0) })), 100)
        assert.deepStrictEqual([outcome.leaf._tag, calls()], ["Success.Read", 2])
      })
    )
  })

  it.effect("a call that is cancelled while it waits is not sent again, and accounted for", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.fail(upstream))
    return governing(tool, ({ audit, gateway }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(gateway.call(request({ retryPolicy: policy(5) })))
        yield* TestClock.adjust(500)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
        assert.strictEqual(calls(), 1)
        const [entry] = yield* audit.find("call")
        assert.deepInclude(entry?.closing, { status: "DECIDED" })
      })
    )
  })

  it.effect(
    "M43: a call that runs is not disturbed when its tool is replaced, and the next one gets the new tool",
    () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<string>()
        const entered = yield* Deferred.make<void>()
        const first = counted({ determinism: "pure" }, () =>
          Effect.andThen(Deferred.succeed(entered, undefined), Deferred.await(gate))
        )
        yield* governing(first.tool, ({ gateway, tools }) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(gateway.call(request()))
            yield* Deferred.await(entered)
            const second = Tool.make({
              description: "Another tool",
              input: Schema.Struct({ text: Schema.String }),
              output: Schema.String,
              execute: () => Effect.succeed("second")
            })
            yield* tools.register({ tool: second })
            yield* Deferred.succeed(gate, "first")
            assert.deepInclude((yield* Fiber.join(fiber)).leaf, { output: "first" })
            const next = yield* gateway.call(request())
            assert.deepInclude(next.leaf, { output: "second" })
          })
        )
      })
  )
})
