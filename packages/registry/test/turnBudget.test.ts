import { assert, describe, it } from "@effect/vitest"
import { ToolContent } from "@haft/core"
import { OutputBounds, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Arbitrary, Deferred, Effect, Exit, Fiber, Layer, Ref, Schema } from "effect"
import * as Bounds from "./support/bounds.ts"
import * as KeptOutputs from "./support/keptOutputs.ts"
import { type Read, readOf } from "./support/read.ts"
import { succeeded } from "./support/settlements.ts"
import { executing, offering } from "./support/tools.ts"

const long = succeeded(null, [ToolContent.text("x".repeat(200_000))])
const { smallest } = OutputBounds

const bytesOf = (limits: Partial<OutputBounds.Limits>, tools?: Parameters<typeof Bounds.bound>[2]) =>
  Effect.map(Bounds.bound(long, limits, tools), (shown) => readOf(shown).bytes)

describe("the limits of a call", () => {
  const invalid: ReadonlyArray<readonly [Partial<OutputBounds.Limits>, string]> = [
    [{ bytes: 0 }, "bytes must be a whole number of at least 1, not 0"],
    [{ lines: -1 }, "lines must be a whole number of at least 1, not -1"],
    [{ bytes: Number.NaN }, "bytes must be a whole number of at least 1, not NaN"],
    [{ lines: 1.5 }, "lines must be a whole number of at least 1, not 1.5"],
    [{ turnBytes: Number.POSITIVE_INFINITY }, "turnBytes must be a whole number of at least 1, not Infinity"],
    [{ turnLines: 0 }, "turnLines must be a whole number of at least 1, not 0"],
    [{ mediaBytes: -1 }, "mediaBytes must be a whole number of at least 0, not -1"],
    [{ turnMediaBytes: -1 }, "turnMediaBytes must be a whole number of at least 0, not -1"],
    [{ turnMediaParts: 0.5 }, "turnMediaParts must be a whole number of at least 0, not 0.5"]
  ]

  it.effect.each(invalid)("are refused if they are none, by the host and by the turn: %o", ([limits, message]) =>
    Effect.gen(function* () {
      const refusal = Exit.die(new RangeError(message))
      const layer = OutputBounds.layer(limits).pipe(Layer.provide(KeptOutputs.layer))
      assert.deepStrictEqual(yield* Effect.exit(Layer.build(layer)), refusal)
      const registry = yield* ToolRegistry.Service
      assert.deepStrictEqual(yield* Effect.exit(registry.materialize({ output: limits })), refusal)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("are the smallest of the host's, the turn's and the tool's own", () =>
    Effect.gen(function* () {
      const near = (bytes: number, limit: number) => assert.isTrue(bytes <= limit && bytes > limit - 100)
      near(yield* bytesOf({}), 51_200)
      near(yield* bytesOf({ bytes: 1_000_000 }), 51_200)
      near(yield* bytesOf({ bytes: 3_000 }), 3_000)
      const tool = (outputBytes: number) => Bounds.offered("tool", { limits: { outputBytes } })
      near(yield* bytesOf({ bytes: 3_000 }, yield* tool(2_000)), 2_000)
      near(yield* bytesOf({ bytes: 3_000 }, yield* tool(4_000)), 3_000)
      near(yield* bytesOf({ bytes: 3_000 }, yield* tool(1)), smallest.bytes)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("can be raised by the host", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* bytesOf({}), 99_900)
    }).pipe(Effect.provide(OutputBounds.layer({ bytes: 100_000 }).pipe(Layer.provideMerge(KeptOutputs.layer))))
  )

  it.effect("hold for the calls of a turn that asks for them", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering(
        { tool: executing(Effect.succeed("x".repeat(5_000))) },
        { output: { bytes: 1_000 } }
      )
      const settlement = yield* settle(Testing.request("tool", {}))
      assert.isAtMost(readOf(settlement).bytes, 1_000)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("the budget of a turn", () => {
  it.effect("gives each call half of what is left at most, and a reference when nothing is left", () =>
    Effect.gen(function* () {
      const bounds = yield* OutputBounds.Service
      const { bound } = bounds.forTurn(new Map(), { turnBytes: 16_000 })
      const sizes = yield* Effect.forEach(Array.from({ length: 7 }), () => Effect.map(bound(long), readOf))
      const shares = [8_000, 4_000, 2_000, 1_000, 512, 512, 512]
      for (const [index, { bytes }] of sizes.entries()) {
        assert.isAtMost(bytes, (shares[index] ?? 0) + 100, "a call that used less left some for the next")
        assert.isAtLeast(bytes, (shares[index] ?? 0) - 200)
      }
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("is not touched by a call that could not be kept", () =>
    Effect.gen(function* () {
      const { before } = yield* KeptOutputs.Outputs
      const bounds = yield* OutputBounds.Service
      const { bound } = bounds.forTurn(new Map(), { turnBytes: 4_000 })
      yield* Ref.set(before, () => Effect.fail(KeptOutputs.storageError))
      for (let times = 0; times < 10; times++) yield* Effect.flip(bound(long))
      yield* Ref.set(before, () => Effect.void)
      assert.isAbove(readOf(yield* bound(long)).bytes, 1_900)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("is not touched by a bounding that is never run", () =>
    Effect.gen(function* () {
      const bounds = yield* OutputBounds.Service
      const { bound } = bounds.forTurn(new Map(), { turnBytes: 4_000 })
      for (let times = 0; times < 10; times++) bound(long)
      assert.isAbove(readOf(yield* bound(long)).bytes, 1_900)
    }).pipe(Effect.provide(Bounds.layer))
  )

  it.effect("is one for each turn", () =>
    Effect.gen(function* () {
      const bounds = yield* OutputBounds.Service
      const sizes = yield* Effect.forEach(Array.from({ length: 3 }), () =>
        Effect.map(bounds.forTurn(new Map(), { turnBytes: 4_000 }).bound(long), (shown) => readOf(shown).bytes)
      )
      assert.strictEqual(new Set(sizes).size, 1)
    }).pipe(Effect.provide(Bounds.layer))
  )

  const call = Schema.Struct({
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 })),
    lines: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
  })
  const budget = Schema.Struct({
    turnBytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })),
    turnLines: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))
  })

  it.effect.prop(
    "is not exceeded by calls that are bounded at the same time, but for the references of those that come too late",
    { calls: Arbitrary.array(Arbitrary.schema(call), { maxLength: 20 }), budget },
    ({ budget, calls }) =>
      Effect.gen(function* () {
        const { before } = yield* KeptOutputs.Outputs
        const gate = yield* Deferred.make<void>()
        yield* Ref.set(before, () => Deferred.await(gate))
        const { bound } = (yield* OutputBounds.Service).forTurn(new Map(), budget)
        const outputs = calls.map(({ bytes, lines }) => {
          const text = `${"\n".repeat(lines)}${"x".repeat(bytes)}`
          return bound(succeeded(text, [ToolContent.text(text)]))
        })
        const all = yield* Effect.forkChild(Effect.all(outputs, { concurrency: "unbounded" }), {
          startImmediately: true
        })
        yield* Deferred.succeed(gate, undefined)
        const read = (yield* Fiber.join(all)).map(readOf)
        const sum = (of: (read: Read) => number) => read.reduce((total, one) => total + of(one), 0)
        assert.isAtMost(
          sum(({ bytes }) => bytes),
          budget.turnBytes + calls.length * smallest.bytes
        )
        assert.isAtMost(
          sum(({ lines }) => lines),
          budget.turnLines + calls.length * smallest.lines
        )
      }).pipe(Effect.provide(Bounds.layer)),
    { arbitrary: { runs: 100 } }
  )
})
