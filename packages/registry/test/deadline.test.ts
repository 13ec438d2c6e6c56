import { assert, describe, it } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import { ApplicationTools, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Option, Queue, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import { endOf, executing, offering, recordOf } from "./support/tools.ts"

const soon = { startImmediately: true } as const

/** A tool that says when it is entered and runs until the gate opens. */
const gated = Effect.gen(function* () {
  const [entered, gate] = [yield* Queue.unbounded<void>(), yield* Deferred.make<string>()]
  const body = Effect.andThen(Queue.offer(entered, undefined), Deferred.await(gate))
  return { entered: Queue.take(entered), alsoEntered: Queue.size(entered), body, open: Deferred.succeed(gate, "done") }
})

const messageAfter = (limitMs: number) => {
  const stopped = `The call took longer than ${limitMs} ms and was stopped.`
  return {
    NotStarted: `The call could not start within ${limitMs} ms, so nothing has happened.`,
    None: stopped,
    Unknown: `${stopped} It may or may not have taken effect: look before you repeat it.`
  }
}

const timedOutAfter = (limitMs: number, effect: "NotStarted" | "None" | "Unknown") => ({
  _tag: "Failed",
  "failure.reason": { _tag: "TimedOut", boundBy: "call", limitMs },
  "failure.message": messageAfter(limitMs)[effect],
  "effect._tag": effect
})

describe("the deadline of a call", () => {
  const limits = [
    { annotation: 10, request: 20, turn: 30 },
    { annotation: 30, request: 10, turn: 20 },
    { annotation: 20, request: 30, turn: 10 },
    { annotation: undefined, request: undefined, turn: 10 },
    { annotation: undefined, request: 10, turn: undefined },
    { annotation: 10, request: undefined, turn: undefined }
  ]

  it.effect.each(limits)("is the smallest of the tool's, the request's and the turn's: %j", (limit) =>
    Effect.gen(function* () {
      const { annotation, request, turn } = limit
      const tool = executing(Effect.never, annotation === undefined ? {} : { limits: { timeoutMs: annotation } })
      const offered = yield* offering({ tool }, turn === undefined ? {} : { timeoutMs: turn })
      const asked = Testing.request("tool", {}, request === undefined ? {} : { timeoutMs: request })
      const fiber = yield* Effect.forkChild(offered.settle(asked), soon)
      yield* TestClock.adjust(9)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "Unknown"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("does not matter to a call that is faster", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.as(Effect.sleep(9), "done")) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(9)
      assert.deepNestedInclude(yield* Fiber.join(fiber), { _tag: "Succeeded", "output.structured": "done" })
      yield* TestClock.adjust(100)
      assert.deepNestedInclude(yield* endOf("call"), { "settlement._tag": "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("says that nothing changed if the tool is pure", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.never, { determinism: "pure" }) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "None"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("interrupts the executor, and its finalizers run", () =>
    Effect.gen(function* () {
      const finalized = yield* Deferred.make<void>()
      const tool = executing(Effect.ensuring(Effect.never, Deferred.succeed(finalized, undefined)))
      const turn = yield* offering({ tool }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      yield* Deferred.await(finalized)
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "Unknown"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is kept against an executor that ignores interruption, and its finalizers run when it ends", () =>
    Effect.gen(function* () {
      const { body, open } = yield* gated
      const finalized = yield* Deferred.make<void>()
      const stubborn = Effect.uninterruptible(body).pipe(Effect.ensuring(Deferred.succeed(finalized, undefined)))
      const turn = yield* offering({ tool: executing(stubborn) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      const settlement = yield* Fiber.join(fiber)
      assert.deepNestedInclude(settlement, timedOutAfter(10, "Unknown"))
      assert.isFalse(yield* Deferred.isDone(finalized))
      yield* open
      yield* Deferred.await(finalized)
      assert.deepStrictEqual(yield* endOf("call"), { _tag: "Settled", settlement })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("does not wait for slow finalizers", () =>
    Effect.gen(function* () {
      const { body, entered, open } = yield* gated
      const turn = yield* offering({ tool: executing(Effect.ensuring(Effect.never, body)) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      yield* entered
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "Unknown"))
      yield* open
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("counts what looking into the store and beginning took", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      yield* Ref.set(probe.before, (operation) => (operation === "complete" ? Effect.void : Effect.sleep(3)))
      const turn = yield* offering({ tool: executing(Effect.never) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(3)
      yield* TestClock.adjust(3)
      yield* TestClock.adjust(3)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "Unknown"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("ends a call whose store does not answer, and nothing has begun", () =>
    Effect.gen(function* () {
      const { alsoEntered, body } = yield* gated
      const probe = yield* Testing.Probe
      yield* Ref.set(probe.before, (operation) => (operation === "find" ? Effect.never : Effect.void))
      const turn = yield* offering({ tool: executing(body) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(10)
      assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), {
        _tag: "SettlementStore.StorageError",
        operation: "find"
      })
      assert.strictEqual(yield* alsoEntered, 0)
      yield* Ref.set(probe.before, Testing.healthy)
      assert.isTrue(Option.isNone(yield* recordOf("call")))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("ends a call that runs elsewhere, about which the store does not answer again", () =>
    Effect.gen(function* () {
      const turn = yield* offering({ tool: executing(Effect.succeed("done")) }, { timeoutMs: 10 })
      yield* turn.settle(Testing.request("tool", {}, { id: "earlier" }))
      const { begun } = Option.getOrThrow(yield* recordOf("earlier"))
      const { name, inputFingerprint, registrationDigest, determinism, effectPossible, begunAt, context } = begun
      const elsewhere = { name, inputFingerprint, registrationDigest, determinism, effectPossible, begunAt }
      const request = Testing.request("tool", {})
      const store = yield* SettlementStore.Service
      yield* store.begin({ ...elsewhere, context: { ...context, toolCallID: request.call.id } })
      const probe = yield* Testing.Probe
      const finds = yield* Ref.make(0)
      const onceOnly = Effect.flatMap(
        Ref.getAndUpdate(finds, (before) => before + 1),
        (before) => (before === 0 ? Effect.void : Effect.never)
      )
      yield* Ref.set(probe.before, (operation) => (operation === "find" ? onceOnly : Effect.void))
      const fiber = yield* Effect.forkChild(turn.settle(request), soon)
      yield* TestClock.adjust(10)
      assert.strictEqual(yield* Ref.get(finds), 2)
      assert.isDefined(fiber.pollUnsafe())
      assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), {
        _tag: "SettlementStore.StorageError",
        operation: "find"
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect.each([0, -5, Number.NEGATIVE_INFINITY])(
    "that had passed when the call came (%s) starts nothing",
    (timeoutMs) =>
      Effect.gen(function* () {
        const { alsoEntered, body } = yield* gated
        const turn = yield* offering({ tool: executing(body) }, { concurrency: 1 })
        const settlement = yield* turn.settle(Testing.request("tool", {}, { timeoutMs }))
        assert.deepNestedInclude(settlement, timedOutAfter(0, "NotStarted"))
        assert.deepStrictEqual(yield* endOf("call"), { _tag: "Settled", settlement })
        assert.strictEqual(yield* alsoEntered, 0)
      }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("interrupting a call that has a deadline", () => {
  it.effect("interrupts the executor and waits for its finalizers", () =>
    Effect.gen(function* () {
      const { body, entered, open } = yield* gated
      const turn = yield* offering({ tool: executing(Effect.ensuring(Effect.never, body)) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), soon)
      yield* entered
      yield* TestClock.adjust(9)
      assert.isUndefined(interrupting.pollUnsafe())
      yield* open
      yield* Fiber.join(interrupting)
      assert.deepNestedInclude(yield* endOf("call"), { _tag: "Interrupted", "effect._tag": "Unknown" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("ends by the deadline even if the executor ignores it", () =>
    Effect.gen(function* () {
      const { body, open } = yield* gated
      const turn = yield* offering({ tool: executing(Effect.uninterruptible(body)) }, { timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* TestClock.adjust(4)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), soon)
      yield* TestClock.adjust(5)
      assert.isUndefined(interrupting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isDefined(interrupting.pollUnsafe())
      assert.deepNestedInclude(yield* endOf("call"), { _tag: "Interrupted", "effect._tag": "Unknown" })
      yield* open
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect.each([undefined, 10])(
    "while it is being recorded keeps the executor from running (time limit: %s)",
    (timeoutMs) =>
      Effect.gen(function* () {
        const probe = yield* Testing.Probe
        const [gate, runs] = [yield* Deferred.make<void>(), yield* Ref.make(0)]
        yield* Ref.set(probe.after, (operation) => (operation === "begin" ? Deferred.await(gate) : Effect.void))
        const tool = executing(
          Effect.as(
            Ref.update(runs, (before) => before + 1),
            "done"
          )
        )
        const turn = yield* offering({ tool }, timeoutMs === undefined ? {} : { timeoutMs })
        const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), soon)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(interrupting)
        assert.strictEqual(yield* Ref.get(runs), 0)
        assert.deepNestedInclude(yield* endOf("call"), { _tag: "Interrupted", "effect._tag": "NotStarted" })
      }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect.each([undefined, 10])("is a defect if a finalizer dies of it (time limit: %s)", (timeoutMs) =>
    Effect.gen(function* () {
      const tool = executing(Effect.ensuring(Effect.never, Effect.die("bug")))
      const turn = yield* offering({ tool }, timeoutMs === undefined ? {} : { timeoutMs })
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})), soon)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepNestedInclude(yield* endOf("call"), { _tag: "Died", "effect._tag": "Unknown" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("waiting for other calls", () => {
  it.effect("counts against the deadline, and a call that waited too long never started", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const turn = yield* offering({ tool: executing(body) }, { concurrency: 1 })
      const first = yield* Effect.forkChild(turn.settle(Testing.request("tool", {}, { id: "1" })), soon)
      yield* entered
      const late = Testing.request("tool", {}, { id: "2", timeoutMs: 10 })
      const second = yield* Effect.forkChild(turn.settle(late), soon)
      yield* TestClock.adjust(10)
      assert.deepNestedInclude(yield* Fiber.join(second), timedOutAfter(10, "NotStarted"))
      yield* open
      assert.deepNestedInclude(yield* Fiber.join(first), { _tag: "Succeeded" })
      assert.strictEqual(yield* alsoEntered, 0)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("leaves only the rest of the time for executing", () =>
    Effect.gen(function* () {
      const { body, entered, open } = yield* gated
      const turn = yield* offering({ quick: executing(body), slow: executing(Effect.never) }, { concurrency: 1 })
      yield* Effect.forkChild(turn.settle(Testing.request("quick", {}, { id: "1" })), soon)
      yield* entered
      const request = Testing.request("slow", {}, { id: "2", timeoutMs: 10 })
      const fiber = yield* Effect.forkChild(turn.settle(request), soon)
      yield* TestClock.adjust(6)
      yield* open
      yield* TestClock.adjust(3)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepNestedInclude(yield* Fiber.join(fiber), timedOutAfter(10, "Unknown"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("ends without a record when it is interrupted: the call has not begun", () =>
    Effect.gen(function* () {
      const { body, entered, open } = yield* gated
      const turn = yield* offering({ tool: executing(body) }, { concurrency: 1 })
      yield* Effect.forkChild(turn.settle(Testing.request("tool", {}, { id: "1" })), soon)
      yield* entered
      const second = yield* Effect.forkChild(turn.settle(Testing.request("tool", {}, { id: "2" })), soon)
      yield* Fiber.interrupt(second)
      assert.isTrue(Option.isNone(yield* recordOf("2")))
      yield* open
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("the number of calls at once", () => {
  const many = Array.from({ length: 5 }, (_, index) => `call-${index}`)

  it.effect("is that of the turn, over all its tools", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const turn = yield* offering({ a: executing(body), b: executing(body) }, { concurrency: 2 })
      const settle = (id: string, index: number) =>
        Effect.forkChild(turn.settle(Testing.request(index % 2 === 0 ? "a" : "b", {}, { id })), soon)
      const fibers = yield* Effect.forEach(many, settle)
      yield* Effect.andThen(entered, entered)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      const settlements = yield* Effect.forEach(fibers, Fiber.join)
      assert.isTrue(settlements.every(({ _tag }) => _tag === "Succeeded"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is that of the tool, over all turns, and other tools do not wait", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const limited = executing(body, { limits: { concurrency: 2 } })
      const [first, second] = [yield* offering({ limited, free: executing(body) }), yield* offering({})]
      const settle = (id: string, index: number) =>
        Effect.forkChild((index % 2 === 0 ? first : second).settle(Testing.request("limited", {}, { id })), soon)
      const fibers = yield* Effect.forEach(many, settle)
      yield* Effect.andThen(entered, entered)
      const free = yield* Effect.forkChild(first.settle(Testing.request("free", {})), soon)
      yield* entered
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      yield* Effect.forEach([...fibers, free], Fiber.join)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is that of an application's tool over all Locations", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const application = yield* ApplicationTools.Service
      yield* application.register({ limited: executing(body, { limits: { concurrency: 1 } }) })
      const location = Effect.map(Layer.build(Layer.fresh(ToolRegistry.layer)), Context.get(ToolRegistry.Service))
      const settle = Effect.fnUntraced(function* (id: string) {
        const turn = yield* (yield* location).materialize()
        return yield* Effect.forkChild(turn.settle(Testing.request("limited", {}, { id })), soon)
      })
      const fibers = yield* Effect.forEach(["1", "2"], settle)
      yield* entered
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      yield* Effect.forEach(fibers, Fiber.join)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is restored after calls of every kind, and those who wait are served in order", () =>
    Effect.gen(function* () {
      const order = yield* Ref.make<ReadonlyArray<string>>([])
      const { alsoEntered, body, entered, open } = yield* gated
      const note = (name: string) =>
        Effect.andThen(
          Ref.update(order, (names) => [...names, name]),
          body
        )
      const kinds = {
        hold: executing(body),
        dies: executing(Effect.die("bug")),
        interrupts: executing(Effect.interrupt),
        late: executing(Effect.never, { limits: { timeoutMs: 1 } })
      }
      const turn = yield* offering(
        {
          ...kinds,
          first: executing(note("first")),
          second: executing(note("second")),
          third: executing(note("third"))
        },
        { concurrency: 2 }
      )
      const settle = (name: string, id: string) =>
        Effect.forkChild(Effect.exit(turn.settle(Testing.request(name, {}, { id }))), soon)
      const holders = yield* Effect.forEach(["h1", "h2"], (id) => settle("hold", id))
      yield* Effect.andThen(entered, entered)
      const waiters = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, n) => `w${n}`),
        (id) => settle("hold", id)
      )
      yield* Fiber.interruptAll(waiters)
      yield* Fiber.interruptAll(holders)
      const failing = yield* Effect.forEach(["dies", "interrupts", "late"], (name) => settle(name, name))
      yield* TestClock.adjust(1)
      yield* Fiber.awaitAll(failing)
      yield* Effect.forEach(["first", "second", "third"], (name) => settle(name, name))
      yield* Effect.andThen(entered, entered)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      yield* entered
      assert.deepStrictEqual(yield* Ref.get(order), ["first", "second", "third"])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("counts an executor that outstays its deadline until it is gone", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const stubborn = executing(Effect.uninterruptible(body))
      const turn = yield* offering({ stubborn, next: executing(body) }, { concurrency: 1 })
      const first = Testing.request("stubborn", {}, { id: "1", timeoutMs: 10 })
      const late = yield* Effect.forkChild(turn.settle(first), soon)
      yield* entered
      yield* TestClock.adjust(10)
      assert.deepNestedInclude(yield* Fiber.join(late), timedOutAfter(10, "Unknown"))
      const next = yield* Effect.forkChild(turn.settle(Testing.request("next", {}, { id: "2" })), soon)
      yield* TestClock.adjust(10)
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      assert.deepNestedInclude(yield* Fiber.join(next), { _tag: "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect.each([undefined, 60_000])(
    "serves a long queue of quick calls one after the other (time limit: %s)",
    (limit) =>
      Effect.gen(function* () {
        const { body, entered, open } = yield* gated
        const options = limit === undefined ? {} : { timeoutMs: limit }
        const turn = yield* offering(
          { slow: executing(body), quick: executing(Effect.succeed("done")) },
          { concurrency: 1, ...options }
        )
        yield* Effect.forkChild(turn.settle(Testing.request("slow", {}, { id: "slow" })), soon)
        yield* entered
        const ids = Array.from({ length: 3000 }, (_, index) => `quick-${index}`)
        const fibers = yield* Effect.forEach(ids, (id) =>
          Effect.forkChild(turn.settle(Testing.request("quick", {}, { id })), soon)
        )
        yield* open
        const settlements = yield* Effect.forEach(fibers, Fiber.join)
        assert.isTrue(settlements.every(({ _tag }) => _tag === "Succeeded"))
      }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is waited for in vain by a call whose tool was removed meanwhile", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const scope = yield* Scope.make()
      const turn = yield* Scope.provide(offering({ tool: executing(body) }, { concurrency: 1 }), scope)
      const first = yield* Effect.forkChild(turn.settle(Testing.request("tool", {}, { id: "1" })), soon)
      yield* entered
      const second = yield* Effect.forkChild(turn.settle(Testing.request("tool", {}, { id: "2" })), soon)
      yield* Scope.close(scope, Exit.void)
      yield* open
      assert.deepNestedInclude(yield* Fiber.join(first), { _tag: "Succeeded" })
      assert.deepNestedInclude(yield* Fiber.join(second), { _tag: "Rejected", "rejection._tag": "StaleCall" })
      assert.strictEqual(yield* alsoEntered, 0)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("keeps nobody waiting behind a call that waits for its tool", () =>
    Effect.gen(function* () {
      const { alsoEntered, body, entered, open } = yield* gated
      const limited = executing(body, { limits: { concurrency: 1 } })
      const turn = yield* offering({ limited, free: executing(body) }, { concurrency: 2 })
      const settle = (name: string, id: string) =>
        Effect.forkChild(turn.settle(Testing.request(name, {}, { id })), soon)
      const holder = yield* settle("limited", "1")
      yield* entered
      const waiter = yield* settle("limited", "2")
      const free = yield* settle("free", "3")
      yield* entered
      assert.strictEqual(yield* alsoEntered, 0)
      yield* open
      const settlements = yield* Effect.forEach([holder, waiter, free], Fiber.join)
      assert.isTrue(settlements.every(({ _tag }) => _tag === "Succeeded"))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is restored when the store does not let a call begin", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const turn = yield* offering({ tool: executing(Effect.succeed("done")) }, { concurrency: 1 })
      yield* Ref.set(probe.before, Testing.failing("begin"))
      yield* Effect.flip(turn.settle(Testing.request("tool", {})))
      yield* Ref.set(probe.before, Testing.healthy)
      assert.deepNestedInclude(yield* turn.settle(Testing.request("tool", {})), { _tag: "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})
