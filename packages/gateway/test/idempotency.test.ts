import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, Tool, ToolFailure } from "@haft/core"
import { Front } from "@haft/gateway"
import { CallKey, type Outcome } from "@haft/wire"
import { Deferred, Effect, Fiber, Schema, Struct } from "effect"
import { TestClock } from "effect/testing"
import { counted, governing, passing, request } from "./support/governing.ts"

const key = "key-0123456789abcdef"
const keyed = (more: Parameters<typeof request>[0] = {}) => request({ idempotencyKey: key, ...more })

/** Without what belongs to the caller. */
const shared = ({ call, effect, leaf }: Outcome.Outcome) => ({ call: Struct.omit(call, ["callId"]), effect, leaf })

const writes = { determinism: "side_effectful" } as const

/** Enters, tells that it did, and waits to be let go. */
const held = Effect.gen(function* () {
  const [entered, gate, stopped] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<string>(),
    yield* Deferred.make<void>()
  ]
  const tool = counted(writes, () =>
    Deferred.succeed(entered, undefined).pipe(
      Effect.andThen(Deferred.await(gate)),
      Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
    )
  )
  return { ...tool, entered, gate, stopped }
})

describe("a call under a key", () => {
  it.effect("M10: fifty at once run once and get the same outcome, and 49 are told that it is a replay", () =>
    Effect.gen(function* () {
      const { calls, entered, gate, tool } = yield* held
      yield* governing(tool, ({ audit, gateway }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 50 }, (_, index) => keyed({ callId: `call-${index}` })),
              (each) => gateway.call(each),
              { concurrency: "unbounded" }
            )
          )
          yield* Deferred.await(entered)
          yield* Deferred.succeed(gate, "done")
          const outcomes = yield* Fiber.join(fiber)
          assert.strictEqual(calls(), 1)
          assert.strictEqual(outcomes.filter(({ idempotency }) => idempotency.replayed).length, 49)
          for (const outcome of outcomes) assert.deepStrictEqual(shared(outcome), shared(outcomes[0] ?? outcome))
          assert.deepStrictEqual(
            outcomes.map(({ call }) => call.callId),
            outcomes.map((_, index) => `call-${index}`)
          )
          assert.deepStrictEqual(yield* audit.counts, { requested: 50, settled: 50, skipped: 0 })
        })
      )
    })
  )

  it.effect("M11: is answered with the stored success, and runs again when that has expired", () => {
    const { calls, tool } = counted(writes, (_, attempt) => Effect.succeed(`run ${attempt}`))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const first = yield* gateway.call(keyed())
        const again = yield* gateway.call(keyed({ callId: "other" }))
        assert.deepStrictEqual(shared(again), shared(first))
        assert.deepStrictEqual([again.idempotency.replayed, calls()], [true, 1])
        yield* TestClock.adjust("24 hours")
        assert.deepInclude((yield* gateway.call(keyed())).leaf, { output: "run 2" })
      })
    )
  })

  it.effect.each([
    ["a failure without an effect", ToolFailure.precondition({ message: "not yet" })],
    ["a refusal by the tool", ToolFailure.denied({ message: "no", by: "user" })]
  ] as const)("M12: %s frees the key", ([, failure]) => {
    const { calls, tool } = counted(writes, (_, attempt) =>
      attempt === 1 ? Effect.fail(failure) : Effect.succeed("done")
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        yield* gateway.call(keyed())
        const second = yield* gateway.call(keyed())
        assert.deepStrictEqual([second.leaf._tag, second.idempotency.replayed, calls()], ["Success.Effect", false, 2])
      })
    )
  })

  it.effect("M12: a failure that may have had an effect keeps the key and is replayed", () => {
    const { calls, tool } = counted(writes, () =>
      Effect.flatMap(EffectSignal.Service, (signal) => signal.starting).pipe(
        Effect.andThen(Effect.fail(ToolFailure.upstream({ message: "lost the connection" })))
      )
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const first = yield* gateway.call(keyed())
        const second = yield* gateway.call(keyed())
        assert.strictEqual(first.effect._tag, "Unknown")
        assert.deepStrictEqual(shared(second), shared(first))
        assert.deepStrictEqual([second.idempotency.replayed, calls()], [true, 1])
      })
    )
  })

  it.effect("M13: is refused with another input, while it runs and afterwards, and the stored outcome stays", () =>
    Effect.gen(function* () {
      const { calls, entered, gate, tool } = yield* held
      yield* governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(gateway.call(keyed()))
          yield* Deferred.await(entered)
          const other = keyed({ input: { text: "y" } })
          const during = yield* gateway.call(other)
          assert.deepInclude(during.leaf, { _tag: "Rejected.IdempotencyConflict", key: "key-0123" })
          yield* Deferred.succeed(gate, "done")
          const first = yield* Fiber.join(fiber)
          assert.strictEqual((yield* gateway.call(other)).leaf._tag, "Rejected.IdempotencyConflict")
          assert.deepStrictEqual(shared(yield* gateway.call(keyed())), shared(first))
          assert.strictEqual(calls(), 1)
        })
      )
    })
  )

  it.effect("M14: is not met by another tenant, actor or function", () => {
    const { calls, tool } = counted(writes, () => Effect.succeed("done"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        yield* gateway.call(keyed())
        for (const other of [{ tenantId: "tenant-2" }, { actor: "agent-2" }, { fn: "other" }]) {
          assert.isFalse((yield* gateway.call(keyed(other))).idempotency.replayed)
        }
        assert.strictEqual(calls(), 3)
        const again = yield* gateway.call(keyed({ callId: "another-provider-id" }))
        assert.deepStrictEqual([again.idempotency.replayed, calls()], [true, 3])
      })
    )
  })

  it.effect("M14: is not met by an agent of the same name in another namespace", () => {
    const { calls, tool } = counted(writes, () => Effect.succeed("done"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const orloj = Front.orloj(gateway)
        for (const namespace of ["team-a", "team-b", "team-a"]) {
          const haft = { v: 1, idempotencyKey: key }
          yield* orloj({
            request_id: "1",
            namespace,
            agent: "worker",
            tool: { name: "tool" },
            input: { text: "x" },
            haft
          })
        }
        assert.strictEqual(calls(), 2)
      })
    )
  })

  it.effect("M14: is met whatever the order of arguments and the spelling of numbers", () => {
    const state = { calls: 0 }
    const tool = Tool.annotate(
      Tool.make({
        description: "Counts",
        input: Schema.Struct({ a: Schema.Finite, b: Schema.Struct({ c: Schema.Finite, d: Schema.Finite }) }),
        output: Schema.Int,
        execute: () => Effect.sync(() => ++state.calls)
      }),
      writes
    )
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const orloj = Front.orloj(gateway)
        const send = (request_id: string, input_raw: string) =>
          orloj({
            request_id,
            agent: "agent-1",
            tool: { name: "tool" },
            input_raw,
            haft: { v: 1, idempotencyKey: "key-0123456789" }
          })
        const output = { "envelope.status": "ok", "envelope.output.result": 1 }
        const spellings = [
          '{"a":100,"b":{"c":1,"d":0}}',
          '{"b":{"d":-0,"c":1.0},"a":1e2}',
          '{ "b": { "c": 10e-1, "d": 0.0 }, "a": 100.00 }'
        ]
        for (const [index, input] of spellings.entries()) {
          assert.deepNestedInclude(yield* send(`provider-${index}`, input), output)
        }
        assert.strictEqual(state.calls, 1)
        const other = yield* send("provider-9", '{"a":100,"b":{"c":1,"d":1}}')
        assert.deepNestedInclude(other, { "envelope.error.code": "invalid_input" })
      })
    )
  })

  it.effect("M15: goes on when one of two callers leaves, and stops when both have left", () =>
    Effect.gen(function* () {
      const { calls, entered, stopped, tool } = yield* held
      yield* governing(tool, ({ audit, gateway }) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(gateway.call(keyed({ callId: "first" })))
          yield* Deferred.await(entered)
          const second = yield* Effect.forkChild(gateway.call(keyed({ callId: "second" })), { startImmediately: true })
          yield* Effect.yieldNow
          yield* Fiber.interrupt(first)
          assert.isFalse(yield* Deferred.isDone(stopped))
          yield* Fiber.interrupt(second)
          assert.isTrue(yield* Deferred.isDone(stopped))
          assert.strictEqual(calls(), 1)
          assert.deepStrictEqual(yield* audit.counts, { requested: 2, settled: 2, skipped: 0 })
          const replay = yield* gateway.call(keyed())
          assert.deepStrictEqual(
            [replay.leaf._tag, replay.effect._tag, replay.idempotency.replayed, calls()],
            ["Interrupted", "Unknown", true, 1]
          )
        })
      )
    })
  )

  it.effect("whoever joins waits no longer than their own call may take, and what runs goes on", () =>
    Effect.gen(function* () {
      const { calls, entered, gate, stopped, tool } = yield* held
      yield* governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(gateway.call(keyed({ deadlineUnixMs: 600_000, timeoutMs: 600_000 })))
          yield* Deferred.await(entered)
          const hasty = yield* passing(gateway.call(keyed({ deadlineUnixMs: 300 })), 300)
          assert.deepStrictEqual([hasty.leaf._tag, hasty.timing.durationMs], ["Pending.External", 300])
          const patient = yield* passing(gateway.call(keyed()), 120_000)
          assert.deepStrictEqual([patient.leaf._tag, patient.timing.durationMs], ["Pending.External", 120_000])
          assert.isFalse(yield* Deferred.isDone(stopped))
          yield* Deferred.succeed(gate, "done")
          assert.strictEqual((yield* Fiber.join(first)).leaf._tag, "Success.Effect")
          const later = yield* gateway.call(keyed())
          assert.deepStrictEqual([later.leaf._tag, later.idempotency.replayed, calls()], ["Success.Effect", true, 1])
        })
      )
    })
  )

  it.effect("a key that nobody sent joins duplicates while they run, and is forgotten then", () =>
    Effect.gen(function* () {
      const { calls, entered, gate, tool } = yield* held
      yield* governing(tool, ({ gateway }) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(gateway.call(request()))
          yield* Deferred.await(entered)
          const second = yield* Effect.forkChild(gateway.call(request()), { startImmediately: true })
          yield* Deferred.succeed(gate, "done")
          assert.isFalse((yield* Fiber.join(first)).idempotency.replayed)
          assert.isTrue((yield* Fiber.join(second)).idempotency.replayed)
          assert.isFalse((yield* gateway.call(request())).idempotency.replayed)
          assert.strictEqual(calls(), 2)
        })
      )
    })
  )

  it.effect("a key that nobody sent is kept, where the host wants that", () => {
    const { calls, tool } = counted(writes, () => Effect.succeed("done"))
    return governing(
      tool,
      ({ gateway }) =>
        Effect.gen(function* () {
          yield* gateway.call(request())
          assert.isTrue((yield* gateway.call(request())).idempotency.replayed)
          assert.strictEqual(calls(), 1)
        }),
      { replayDerived: true }
    )
  })

  it.effect("a key that nobody sent is the one that anybody can derive from the call", () => {
    const { tool } = counted(writes, () => Effect.succeed("done"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        const { idempotency } = yield* gateway.call(request())
        const parts = { toolId: "tool", fn: "invoke", input: { text: "x" }, versionRange: "*" }
        assert.strictEqual(idempotency.key, CallKey.idempotencyKey(parts))
      })
    )
  })

  it.effect("a pure tool needs no key and has none", () => {
    const { calls, tool } = counted({ determinism: "pure" }, () => Effect.succeed("done"))
    return governing(tool, ({ gateway }) =>
      Effect.gen(function* () {
        assert.isUndefined((yield* gateway.call(request())).idempotency.key)
        yield* gateway.call(request())
        assert.strictEqual(calls(), 2)
      })
    )
  })

  it.effect("what another process runs is waited for, and asked for later if there is no time", () => {
    const { calls, tool } = counted(writes, () => Effect.succeed("done"))
    return governing(tool, ({ gateway, keys }) =>
      Effect.gen(function* () {
        const claims: Array<Parameters<typeof keys.claim>[0]> = []
        yield* gateway.call(keyed({ actor: "probe" }))
        const spied = keys.claim
        Object.assign(keys, {
          claim: (claim: Parameters<typeof keys.claim>[0]) => {
            claims.push(claim)
            return spied({ ...claim, owner: claims.length === 1 ? "elsewhere" : claim.owner })
          }
        })
        const first = yield* gateway.call(keyed())
        assert.strictEqual(first.leaf._tag, "Success.Effect")
        const pending = yield* passing(gateway.call(keyed({ deadlineUnixMs: 1000 })), 1000)
        assert.deepInclude(pending.leaf, { _tag: "Pending.External", requestId: "call" })
        assert.isAbove(claims.length, 5)
        assert.strictEqual(calls(), 2)
      })
    )
  })

  it.effect("waiting for another process is part of the call, so that what runs then ends before its lease", () => {
    const { calls, tool } = counted(writes, () => Effect.never)
    return governing(tool, ({ gateway, keys }) =>
      Effect.gen(function* () {
        const leases: Array<number> = []
        const claim = keys.claim
        const elsewhere = { owner: "elsewhere", leaseUntil: 1_000_000 }
        Object.assign(keys, {
          claim: (given: Parameters<typeof claim>[0]) => {
            if (leases.push(given.leaseUntil) > 1) return claim(given)
            const release = keys.release({ storeKey: given.storeKey, owner: "elsewhere" })
            return claim({ ...given, ...elsewhere }).pipe(
              Effect.andThen(Effect.forkDetach(Effect.andThen(Effect.sleep(100_000), release))),
              Effect.andThen(claim(given))
            )
          }
        })
        const outcome = yield* passing(gateway.call(keyed({ timeoutMs: 600_000 })), 300_000)
        assert.deepStrictEqual([outcome.leaf._tag, outcome.timing.durationMs], ["TimedOut.EffectUnknown", 120_000])
        assert.isAbove(leases.at(-1) ?? 0, outcome.timing.endedAt)
        assert.strictEqual(calls(), 1)
      })
    )
  })

  it.effect("what a dead process has left is never run again if it may have acted, and everybody is told so", () => {
    const { calls, tool } = counted(writes, () => Effect.succeed("done"))
    return governing(tool, ({ gateway, keys }) =>
      Effect.gen(function* () {
        const claim = keys.claim
        const left: Array<string> = []
        Object.assign(keys, {
          claim: (given: Parameters<typeof claim>[0]) => {
            if (left.length > 0) return claim(given)
            left.push(given.storeKey)
            return Effect.andThen(claim({ ...given, owner: "dead", leaseUntil: 1 }), claim(given))
          }
        })
        yield* TestClock.adjust(1)
        const first = yield* gateway.call(keyed())
        assert.deepStrictEqual([first.leaf._tag, first.effect._tag], ["Operational.Defect", "Unknown"])
        const second = yield* gateway.call(keyed())
        assert.deepStrictEqual([second.leaf._tag, second.idempotency.replayed], ["Operational.Defect", true])
        assert.strictEqual(calls(), 0)
      })
    )
  })
})
