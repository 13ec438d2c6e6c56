import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, Tool, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Schema } from "effect"

const seen: Array<string> = []

const note = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.andThen(
    Effect.sync(() => seen.push(name)),
    effect
  )

/** As a host would do it that wants to see some of what a port does: everything else is the port's own. */
const store = Layer.effect(
  SettlementStore.Service,
  Effect.map(SettlementStore.Service, (store) => ({
    ...store,
    begin: (...args: Parameters<typeof store.begin>) => note("begin", store.begin(...args)),
    complete: (...args: Parameters<typeof store.complete>) => note("complete", store.complete(...args)),
    find: (...args: Parameters<typeof store.find>) => note("find", store.find(...args))
  }))
).pipe(Layer.provide(SettlementStores.layerMemory))

const bounds = Layer.effect(
  OutputBounds.Service,
  Effect.map(OutputBounds.Service, ({ forTurn }) => ({
    forTurn: (...args: Parameters<typeof forTurn>) => {
      const boundary = forTurn(...args)
      return {
        ...boundary,
        bound: (...args: Parameters<typeof boundary.bound>) => note("bound", boundary.bound(...args))
      }
    }
  }))
).pipe(Layer.provide(OutputBounds.layer()), Layer.provide(OutputStores.layerMemory()))

const live = ToolRegistry.layer.pipe(Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, bounds, store)))

describe("ports in memory that a host has wrapped", () => {
  it.effect("are asked through what is around them", () =>
    Effect.gen(function* () {
      const one = Tool.make({
        description: "One",
        input: Schema.Struct({}),
        output: Schema.Int,
        execute: () => Effect.succeed(1)
      })
      yield* (yield* Tools.Service).register({ one })
      const turn = yield* (yield* ToolRegistry.Service).materialize()
      const settlement = yield* turn.settle(Testing.numbered()("one", {}))
      assert.strictEqual(settlement._tag, "Succeeded")
      assert.deepStrictEqual(seen, ["find", "begin", "bound", "complete"])
    }).pipe(Effect.scoped, Effect.provide(live))
  )
})
