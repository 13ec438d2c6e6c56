import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, OutputStore, SettlementStore, Tool, ToolContent } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Ref, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Bounds from "./support/bounds.ts"
import * as KeptOutputs from "./support/keptOutputs.ts"
import * as RegistryOn from "./support/registryOn.ts"
import { succeeded } from "./support/settlements.ts"
import { endOf, executing, offering, recordOf } from "./support/tools.ts"

const layer = RegistryOn.layer(KeptOutputs.layer)

const soon = { startImmediately: true } as const

const long = "x".repeat(100_000)
const large = executing(Effect.succeed(long))

/** Has a text and a value that are both too large. */
const both = Tool.make({
  description: "",
  input: Schema.Struct({}),
  output: Schema.Array(Schema.String),
  execute: () => Effect.succeed([long]),
  toModelOutput: () => [ToolContent.text(long)]
})

const kept = Effect.flatMap(KeptOutputs.Outputs, ({ outputs }) => outputs)

describe("an output that cannot be kept", () => {
  it.effect("ends its call as an operational error, and no other", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      yield* Ref.set(before, () => Effect.fail(KeptOutputs.storageError))
      const { settle } = yield* offering({ large, small: executing(Effect.succeed("small")) })
      const requests = ["large", "small"].map((name) => Testing.request(name, {}, { id: name }))
      const [failed, settled] = yield* Effect.forEach(requests, (request) => Effect.exit(settle(request)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(failed, Exit.fail(KeptOutputs.storageError))
      assert.isTrue(settled !== undefined && Exit.isSuccess(settled))
      assert.deepInclude(yield* endOf("large"), { _tag: "Operational", code: "OutputStore.StorageError" })
      assert.deepStrictEqual(yield* kept, [])
      yield* Ref.set(before, () => Effect.void)
      yield* settle(Testing.request("large", {}, { id: "later" }))
      assert.strictEqual((yield* kept).length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("leaves nothing of what was kept for the same call", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      const counts: Array<number> = []
      yield* Ref.set(before, (count) => {
        counts.push(count)
        return count === 0 ? Effect.void : Effect.fail(KeptOutputs.storageError)
      })
      const { settle } = yield* offering({ both })
      yield* Effect.flip(settle(Testing.request("both", {})))
      assert.deepStrictEqual(counts, [0, 1], "one was kept before the other failed")
      assert.deepStrictEqual(yield* kept, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("because of a bug in the store is a defect, and leaves nothing either", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      yield* Ref.set(before, (count) => (count === 0 ? Effect.void : Effect.die("bug")))
      const { settle } = yield* offering({ both })
      assert.deepStrictEqual(yield* Effect.exit(settle(Testing.request("both", {}))), Exit.die("bug"))
      assert.deepInclude(yield* endOf("call"), { _tag: "Died" })
      assert.deepStrictEqual(yield* kept, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("what was kept for a settlement", () => {
  it.effect("stays if its end could not be recorded: the store may write it down later", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      yield* Ref.set(probe.before, Testing.failing("complete"))
      const { settle } = yield* offering({ both })
      const error = yield* Effect.flip(settle(Testing.request("both", {})))
      assert.deepStrictEqual(error, new SettlementStore.StorageError({ operation: "complete" }))
      assert.strictEqual((yield* kept).length, 2)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  /** Rejected with more than a turn of few bytes shows. */
  const wrong = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`unknown-${index}`, 1]))

  it.effect("stays if a rejection could not be recorded: it may have been written all the same", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const { settle } = yield* offering({ large }, { output: { bytes: 600 } })
      yield* Ref.set(probe.before, Testing.failing("begin"))
      yield* Effect.flip(settle(Testing.request("large", wrong, { id: "1" })))
      assert.strictEqual((yield* kept).length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("is let go of if the same call was recorded by another in the meantime", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const go = yield* Deferred.make<void>()
      yield* Ref.set(probe.before, (operation) => (operation === "begin" ? Deferred.await(go) : Effect.void))
      const { settle } = yield* offering({ large }, { output: { bytes: 600 } })
      const request = Testing.request("large", wrong)
      const first = yield* Effect.forkChild(settle(request), soon)
      const second = yield* Effect.forkChild(settle(request), soon)
      yield* Deferred.succeed(go, undefined)
      const settlements = yield* Effect.forEach([first, second], Fiber.join)
      assert.strictEqual(settlements[0], settlements[1])
      assert.strictEqual((yield* kept).length, 1)
      assert.strictEqual(settlements[0]?.managed.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("interrupting a call while its output is being kept", () => {
  it.effect("interrupts it, with the settlement on record and nothing kept for nobody", () =>
    Effect.gen(function* () {
      const { before, find } = yield* KeptOutputs.Outputs
      const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Ref.set(before, () => Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go)))
      const { settle } = yield* offering({ large })
      const fiber = yield* Effect.forkChild(settle(Testing.request("large", {})))
      yield* Deferred.await(reached)
      fiber.interruptUnsafe()
      yield* Deferred.succeed(go, undefined)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      const ended = yield* endOf("call")
      assert(ended._tag === "Settled")
      const [ref] = ended.settlement.managed
      assert.strictEqual(Buffer.from((ref && (yield* find(ref)))?.bytes ?? []).toString(), long)
      assert.strictEqual((yield* kept).length, 1)
      assert.strictEqual(yield* settle(Testing.request("large", {})), ended.settlement)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

/** Longer than a store may go without moving, and as long again until that is noticed. */
const stall = "2 minutes"

describe("a store that hangs while it keeps an output", () => {
  it.effect("ends the call as an operational error after a while, and frees what was kept for it before", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      yield* Ref.set(before, (count) => (count === 0 ? Effect.void : Effect.never))
      const { settle } = yield* offering({ both })
      const fiber = yield* Effect.forkChild(Effect.flip(settle(Testing.request("both", {}))), soon)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* kept).length, 1)
      yield* TestClock.adjust(stall)
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "OutputStore.StorageError")
      assert.strictEqual(error.operation, "retain")
      assert.isTrue(Cause.isTimeoutError(error.cause))
      assert.deepInclude(yield* endOf("call"), { _tag: "Operational", code: "OutputStore.StorageError" })
      assert.deepStrictEqual(yield* kept, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("and cannot be interrupted is not waited for, and what it keeps afterwards is let go of", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      const go = yield* Deferred.make<void>()
      yield* Ref.set(before, () => Effect.uninterruptible(Deferred.await(go)))
      const { settle } = yield* offering({ large })
      const fiber = yield* Effect.forkChild(settle(Testing.request("large", {})), soon)
      yield* TestClock.adjust(stall)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      yield* Deferred.succeed(go, undefined)
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      assert.deepStrictEqual(yield* kept, [])
      yield* settle(Testing.request("large", {}, { id: "later" }))
      assert.strictEqual((yield* kept).length, 1, "by now it keeps again")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("holds up an interrupted call no longer than any other", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      const reached = yield* Deferred.make<void>()
      yield* Ref.set(before, () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      const { settle } = yield* offering({ large })
      const fiber = yield* Effect.forkChild(settle(Testing.request("large", {})), soon)
      yield* Deferred.await(reached)
      fiber.interruptUnsafe()
      yield* TestClock.adjust(stall)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.deepInclude(yield* endOf("call"), { _tag: "Operational", code: "OutputStore.StorageError" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("is not taken for one that is slow and moves", () =>
    Effect.gen(function* () {
      const slow = Layer.mock(OutputStore.Service, {
        retain: (_, { bytes }) =>
          Effect.as(
            Stream.runForEach(bytes, () => Effect.sleep("50 seconds")),
            { ref: ManagedOutput.Ref.make("out_0123456789abcdef"), bytes: 1, lines: 1 }
          )
      })
      const bounding = Bounds.bound(succeeded("x".repeat(2 ** 21)))
      const fiber = yield* Effect.forkChild(
        Effect.provide(bounding, OutputBounds.layer().pipe(Layer.provide(slow))),
        soon
      )
      for (let seconds = 0; seconds < 500; seconds += 10) yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).managed.length, 1)
    })
  )
})

describe("keeping a large output", () => {
  it.effect("lets others work in between", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ huge: executing(Effect.succeed("x".repeat(10 * 2 ** 20))) })
      let rounds = 0
      const round = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => rounds++)
      )
      yield* Effect.forkChild(Effect.forever(round, { disableYield: true }))
      yield* settle(Testing.request("huge", {}))
      assert.isAtLeast(rounds, 40)
      assert.isTrue((yield* recordOf("call"))._tag === "Some")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
