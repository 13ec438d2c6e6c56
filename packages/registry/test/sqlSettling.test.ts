import { assert, describe, it } from "@effect/vitest"
import { Materialization, SettlementStore, SideEffect } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Sql from "@haft/registry/sql"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Ref } from "effect"
import { interrupted } from "./support/calls.ts"
import * as ProbedSql from "./support/probedSql.ts"
import { executing, offering } from "./support/tools.ts"

/** One Location in a process of its own, on this store. */
const registryOn = <E, R>(store: Layer.Layer<SettlementStore.Service, E, R>) =>
  Layer.fresh(
    ToolRegistry.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), store)),
      Layer.provide(OutputStores.layerMemory())
    )
  )

const Probed = registryOn(Sql.layerSql()).pipe(Layer.provideMerge(ProbedSql.layer))

/** A turn with a tool that counts how often it runs. */
const counting = Effect.gen(function* () {
  const runs = yield* Ref.make(0)
  const tool = executing(
    Effect.map(
      Ref.updateAndGet(runs, (count) => count + 1),
      (count) => `run ${count}`
    )
  )
  const turn = yield* offering({ tool })
  return { turn, runs: Ref.get(runs), settle: turn.settle(Testing.request("tool", {})) }
})

describe("a call whose settlement could not be recorded", () => {
  it.effect("is unfinished and not in progress, and gives its settlement when the database works again", () =>
    Effect.gen(function* () {
      const { runs, settle, turn } = yield* counting
      const { before } = yield* ProbedSql.Probe
      const failing = Effect.as(Ref.set(before, Effect.fail(ProbedSql.disconnected)), "done")
      const breaking = yield* offering({ breaking: executing(failing) })
      const request = Testing.request("breaking", {}, { id: "broken" })
      assert.strictEqual((yield* Effect.flip(breaking.settle(request)))._tag, "SettlementStore.StorageError")
      const unfinished = new Materialization.CallAlreadyEnded({ end: "Unfinished", effect: SideEffect.unknown })
      assert.deepStrictEqual(yield* Effect.flip(breaking.settle(request)), unfinished)
      assert.strictEqual((yield* Effect.flip(settle))._tag, "SettlementStore.StorageError")
      assert.strictEqual(yield* runs, 0)
      yield* ProbedSql.healed
      assert.deepNestedInclude(yield* breaking.settle(request), { _tag: "Succeeded", "output.structured": "done" })
      assert.deepNestedInclude(yield* turn.settle(Testing.request("tool", {})), { "output.structured": "run 1" })
    }).pipe(Effect.scoped, Effect.provide(Probed))
  )
})

describe("a call whose beginning was recorded without an answer", () => {
  it.effect("has not run, and runs when it is asked for again", () =>
    Effect.gen(function* () {
      const { runs, settle } = yield* counting
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      assert.deepInclude(yield* Effect.flip(settle), { _tag: "SettlementStore.StorageError", operation: "begin" })
      assert.strictEqual(yield* runs, 0)
      assert.deepNestedInclude(yield* settle, { _tag: "Succeeded", "output.structured": "run 1" })
      assert.strictEqual(yield* runs, 1)
    }).pipe(Effect.scoped, Effect.provide(Probed))
  )
})

/** The store in memory, where somebody else has always ended the call already. */
const layerEndedAs = (end: SettlementStore.Ended) =>
  Layer.effect(
    SettlementStore.Service,
    Effect.map(SettlementStore.Service, (store) => ({ ...store, complete: () => Effect.succeed(end) }))
  ).pipe(Layer.provide(SettlementStores.layerMemory))

describe("a call that somebody else ended first", () => {
  it.effect("without a settlement has none", () =>
    Effect.gen(function* () {
      const { settle } = yield* counting
      const ended = new Materialization.CallAlreadyEnded({ end: "Interrupted", effect: interrupted.effect })
      assert.deepStrictEqual(yield* Effect.flip(settle), ended)
    }).pipe(Effect.scoped, Effect.provide(registryOn(layerEndedAs(interrupted))))
  )

  it.effect("with a settlement has that one", () =>
    Effect.gen(function* () {
      const settlement = yield* Effect.flatMap(counting, ({ settle }) => settle).pipe(
        Effect.scoped,
        Effect.provide(Testing.layer)
      )
      const other = { ...settlement, name: "other" }
      const { settle } = yield* Effect.provide(
        counting,
        registryOn(layerEndedAs({ _tag: "Settled", settlement: other }))
      )
      assert.deepStrictEqual(yield* settle, other)
    }).pipe(Effect.scoped)
  )
})
