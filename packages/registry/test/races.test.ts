import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, Materialization, SettlementStore, SideEffect, Tool } from "@haft/core"
import { ApplicationTools, OutputBounds, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Layer, Option, Queue, Ref, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { endOf, executing, offering, recordOf } from "./support/tools.ts"

const soon = { startImmediately: true } as const

describe("two requests for one call", () => {
  it.effect("where the first is not let begin, the second is not interrupted by that", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const gate = yield* Deferred.make<void>()
      const { settle } = yield* offering({ tool: executing(Effect.succeed("done")) })
      yield* Ref.set(probe.after, (operation) =>
        operation === "begin"
          ? Effect.andThen(Deferred.await(gate), Effect.fail(new SettlementStore.StorageError({ operation })))
          : Effect.void
      )
      const first = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      const second = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Effect.flip(Fiber.join(first)))._tag, "SettlementStore.StorageError")
      assert.instanceOf(yield* Effect.flip(Fiber.join(second)), Materialization.CallInProgress)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("where the store lets the second begin, the first joins it, and it runs once", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const runs = yield* Ref.make(0)
      const tool = executing(Ref.update(runs, (n) => n + 1).pipe(Effect.andThen(Deferred.await(go)), Effect.as("done")))
      const begins = yield* Ref.make(0)
      yield* Ref.set(probe.before, (operation) =>
        operation === "begin"
          ? Effect.flatMap(
              Ref.getAndUpdate(begins, (n) => n + 1),
              (n) => (n === 0 ? Deferred.await(held) : Effect.void)
            )
          : Effect.void
      )
      const { settle } = yield* offering({ tool })
      const first = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      const second = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      yield* Deferred.succeed(held, undefined)
      yield* Effect.yieldNow
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(first), yield* Fiber.join(second))
      assert.strictEqual(yield* Ref.get(runs), 1)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("where the second goes on for the first that was interrupted, it can be interrupted as well", () =>
    Effect.gen(function* () {
      const entered = yield* Queue.unbounded<void>()
      const { settle } = yield* offering({
        tool: executing(Effect.andThen(Queue.offer(entered, undefined), Effect.never))
      })
      const first = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      yield* Queue.take(entered)
      const second = yield* Effect.forkChild(settle(Testing.request("tool", {}, { repeat: true })), soon)
      yield* Fiber.interrupt(first)
      yield* Queue.take(entered)
      yield* Fiber.interrupt(second)
      assert.deepInclude(yield* endOf("call"), { _tag: "Interrupted" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("where the second goes on for the first, it has the rest of its own time and no more", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ tool: executing(Effect.never) })
      const first = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      const late = Testing.request("tool", {}, { repeat: true, timeoutMs: 50 })
      const second = yield* Effect.forkChild(settle(late), soon)
      yield* TestClock.adjust(30)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(20)
      assert.deepNestedInclude(second.pollUnsafe(), { "value._tag": "Failed", "value.failure.reason._tag": "TimedOut" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("where the second has a deadline, it does not wait for the first any longer than that", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ tool: executing(Effect.never) })
      yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      const joined = yield* Effect.forkChild(settle(Testing.request("tool", {}, { timeoutMs: 50 })), soon)
      yield* TestClock.adjust(50)
      assert.instanceOf(yield* Effect.flip(Fiber.join(joined)), Materialization.CallInProgress)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a deadline that passes while the call begins", () => {
  it.effect("keeps the executor from being entered at all", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const runs = yield* Ref.make(0)
      yield* Ref.set(probe.before, (operation) => (operation === "begin" ? Effect.sleep(100) : Effect.void))
      const { settle } = yield* offering({
        tool: executing(
          Effect.as(
            Ref.update(runs, (n) => n + 1),
            "late"
          )
        )
      })
      const call = yield* Effect.forkChild(settle(Testing.request("tool", {}, { timeoutMs: 20 })), soon)
      yield* TestClock.adjust(100)
      assert.deepNestedInclude(yield* Fiber.join(call), {
        _tag: "Failed",
        "failure.reason._tag": "TimedOut",
        "effect._tag": "NotStarted"
      })
      assert.strictEqual(yield* Ref.get(runs), 0)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a clock that is set while a call waits", () => {
  const day = 24 * 60 * 60 * 1000

  it.effect.each([400 * day, -400 * day])("by %s ms moves no deadline and makes no time negative", (jump) =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      const wall = yield* Ref.make(0)
      const clock: Clock.Clock = Object.create(real, {
        currentTimeMillisUnsafe: { value: () => real.currentTimeMillisUnsafe() + Ref.getUnsafe(wall) }
      })
      const go = yield* Deferred.make<void>()
      const tool = executing(Effect.as(Deferred.await(go), "done"))
      const { settle } = yield* offering({ tool }, { concurrency: 1 })
      const call = (id: string) =>
        Effect.provideService(settle(Testing.request("tool", {}, { id, timeoutMs: 2000 })), Clock.Clock, clock)
      const first = yield* Effect.forkChild(call("1"), soon)
      const second = yield* Effect.forkChild(call("2"), soon)
      yield* Ref.set(wall, jump)
      yield* Deferred.succeed(go, undefined)
      for (const fiber of [first, second]) {
        const { _tag, timing } = yield* Fiber.join(fiber)
        assert.strictEqual(_tag, "Succeeded")
        assert.isAtLeast(timing.endedAt, timing.startedAt)
      }
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a mutation that no store could keep", () => {
  it.effect("is the tool's bug, and the call still has its end", () =>
    Effect.gen(function* () {
      const committing = (bytes: number) =>
        Effect.flatMap(EffectSignal.Service, ({ committed }) => committed([{ kind: "write", target: "a", bytes }]))
      const { settle } = yield* offering({
        good: executing(Effect.as(committing(1), "done")),
        bad: executing(Effect.as(committing(1.5), "done"))
      })
      const good = yield* settle(Testing.request("good", {}, { id: "good" }))
      assert.deepStrictEqual(good.effect, SideEffect.committed([{ kind: "write", target: "a", bytes: 1 }]))
      const exit = yield* Effect.exit(settle(Testing.request("bad", {}, { id: "bad" })))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepInclude(yield* endOf("bad"), { _tag: "Died" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("an executor that changes its context", () => {
  it.effect("ends its own call, and not the one that it claims to be", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const changing = Tool.make({
        description: "Claims to be another call",
        input: Schema.Struct({}),
        output: Schema.String,
        execute: (_, context) => Effect.sync(() => Object.assign(context, { toolCallID: "other" }) && "changed")
      })
      const { settle } = yield* offering({ changing, other: executing(Effect.as(Deferred.await(gate), "done")) })
      const other = yield* Effect.forkChild(settle(Testing.request("other", {}, { id: "other" })), soon)
      const exit = yield* Effect.exit(settle(Testing.request("changing", {}, { id: "changing" })))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepInclude(yield* endOf("changing"), { _tag: "Died" })
      yield* Deferred.succeed(gate, undefined)
      const settled = yield* Fiber.join(other)
      assert.deepStrictEqual(settled._tag === "Succeeded" && settled.output.structured, "done")
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a boundary that throws", () => {
  const Throwing = Layer.succeed(OutputBounds.Service, {
    forTurn: () => ({
      bound: () => {
        throw new Error("bug")
      },
      withdraw: () => Effect.void
    })
  })
  const layer = Layer.fresh(
    ToolRegistry.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, Throwing, SettlementStores.layerMemory))
    )
  )

  it.effect("is a defect that is recorded, and nobody waits for the call for ever", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const { settle } = yield* offering({ tool: executing(Effect.as(Deferred.await(go), "done")) })
      const first = yield* Effect.forkDetach(settle(Testing.request("tool", {})), soon)
      const second = yield* Effect.forkChild(settle(Testing.request("tool", {})), soon)
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.await(first), Exit.die(new Error("bug")))
      assert.deepInclude(yield* Effect.flip(Fiber.join(second)), { end: "Died" })
      assert.strictEqual(Option.getOrThrow(yield* recordOf("call"))._tag, "Ended")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("the change feed", () => {
  it.effect("ends when its Location closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(Testing.layer, scope)
      const registry = yield* Effect.provide(ToolRegistry.Service, services)
      const listening = yield* Effect.forkChild(Stream.runDrain(registry.changes), soon)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.await(listening)
    })
  )
})
