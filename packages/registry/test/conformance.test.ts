import { assert, describe, it } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import * as Conformance from "@haft/registry/conformance"
import * as SettlementStores from "@haft/registry/SettlementStores"
import { Effect, Exit, Layer, Option } from "effect"

/** The store in memory with one mistake. */
const broken = (mistake: (store: SettlementStore.Interface) => Partial<SettlementStore.Interface>) =>
  Layer.effect(
    SettlementStore.Service,
    Effect.map(SettlementStore.Service, (store) => ({ ...store, ...mistake(store) }))
  ).pipe(Layer.provide(SettlementStores.layerMemory))

const mistakes: Readonly<Record<string, ReturnType<typeof broken>>> = {
  "begins every call anew": broken((store) => ({ begin: (call) => Effect.as(store.begin(call), Option.none()) })),
  "looks first and begins later": broken((store) => ({
    begin: (call, options) =>
      Effect.flatMap(store.find(call.context), (found): ReturnType<typeof store.begin> =>
        Option.isSome(found) ? Effect.succeed(found) : Effect.as(Effect.delay(store.begin(call, options), 0), found)
      )
  })),
  "never ends a call": broken(() => ({ complete: (_, ended) => Effect.succeed(ended) })),
  "gives back the end it was given": broken((store) => ({
    complete: (identity, ended) => Effect.as(store.complete(identity, ended), ended)
  })),
  "copies a beginning without reading it": broken((store) => ({
    begin: (call, options) => store.begin({ ...call, context: call.context }, options)
  })),
  "redeems an approval for everybody": broken((store) => ({ advance: (identity) => store.advance(identity) })),
  "repeats nothing": broken((store) => ({ begin: (call) => store.begin(call) })),
  "forgets that an effect is possible": broken(() => ({ advance: () => Effect.void })),
  "finds everything unfinished": broken((store) => ({
    find: (identity) =>
      Effect.map(
        store.find(identity),
        Option.map(({ begun }) => ({ _tag: "Unfinished" as const, begun }))
      )
  }))
}

describe("the suite of the settlement store", () => {
  for (const [mistake, layer] of Object.entries(mistakes)) {
    it.live(`catches a store that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.settlementStore, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
      })
    )
  }
})
