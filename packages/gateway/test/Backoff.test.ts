import { assert, describe, it } from "@effect/vitest"
import { Backoff } from "@haft/gateway"
import type { CallRequest } from "@haft/wire"
import { Schema } from "effect"

const policy = (baseMs: number, capMs: number, jitter: CallRequest.RetryPolicy["jitter"]) => ({
  maxAttempts: 5,
  baseMs,
  capMs,
  jitter
})

const waits = (policy: CallRequest.RetryPolicy, tool: string) =>
  [1, 2, 3, 4, 5].map((attempt) => Number(Backoff.waitMs(policy, tool, attempt).toFixed(6)))

describe("backoff", () => {
  it("M5: doubles up to its cap, without jitter", () => {
    assert.deepStrictEqual(waits(policy(1000, 10_000, "none"), "web_search"), [1000, 2000, 4000, 8000, 10_000])
    assert.deepStrictEqual(waits(policy(200, 2000, "none"), "search.web"), [200, 400, 800, 1600, 2000])
  })

  it("M6: full jitter is a function of the tool and the attempt", () => {
    assert.deepStrictEqual(waits(policy(1000, 10_000, "full"), "web_search"), [692.3, 908.4, 864.4, 7824, 7399])
    assert.deepStrictEqual(waits(policy(200, 2000, "full"), "search.web"), [86.72, 287.72, 765.92, 388.96, 962.4])
  })

  it("M6: equal jitter keeps half of the delay", () => {
    assert.deepStrictEqual(waits(policy(1000, 10_000, "equal"), "web_search"), [846.15, 1454.2, 2432.2, 7912, 8699.5])
    assert.deepStrictEqual(waits(policy(200, 2000, "equal"), "search.web"), [143.36, 343.86, 782.96, 994.48, 1481.2])
  })

  it("a full jitter of nothing still waits a millisecond, and nothing stays nothing", () => {
    assert.strictEqual(
      Backoff.waitMs(policy(1000, 10_000, "full"), "t", 1, () => 0),
      1
    )
    assert.strictEqual(Backoff.waitMs(policy(0, 10_000, "full"), "t", 1), 0)
  })

  const Natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
  const Attempt = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
  const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.9999 }))

  it.prop(
    "never waits longer than the delay, the delay never passes the cap, and equal jitter never waits less than half",
    { base: Natural, cap: Natural, attempt: Attempt, share: Share, tool: Schema.String },
    ({ attempt, base, cap, share, tool }) => {
      const none = Backoff.waitMs(policy(base, cap, "none"), tool, attempt)
      const full = Backoff.waitMs(policy(base, cap, "full"), tool, attempt, () => share)
      const equal = Backoff.waitMs(policy(base, cap, "equal"), tool, attempt, () => share)
      return none <= cap && full <= Math.max(none, 1) && equal <= none && equal >= none / 2
    }
  )

  it.prop(
    "waits at least as long after a later attempt, without jitter",
    { base: Natural, attempt: Attempt },
    (drawn) => {
      const given = policy(drawn.base, 30_000, "none")
      return Backoff.delayMs(given, drawn.attempt) <= Backoff.delayMs(given, drawn.attempt + 1)
    }
  )

  it.prop("draws shares from 0 up to 1", { tool: Schema.String, attempt: Attempt }, ({ attempt, tool }) => {
    const share = Backoff.fraction(tool, attempt)
    return share >= 0 && share < 1
  })
})
