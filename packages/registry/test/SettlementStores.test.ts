import { assert, describe, it } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import * as SettlementStores from "@haft/registry/SettlementStores"
import { Effect, Option } from "effect"
import { begun } from "./support/calls.ts"
import { conformance } from "./support/settlementStore.ts"

conformance("layerMemory", Effect.succeed(SettlementStores.layerMemory))

describe("SettlementStores.layerMemory", () => {
  it.effect("is another store each time it is provided, also inside itself", () =>
    Effect.gen(function* () {
      const outer = yield* SettlementStore.Service
      yield* outer.begin(begun("call"))
      const inner = yield* Effect.provide(SettlementStore.Service, SettlementStores.layerMemory)
      assert.isTrue(Option.isNone(yield* inner.find(begun("call").context)))
      assert.isTrue(Option.isSome(yield* outer.find(begun("call").context)))
    }).pipe(Effect.provide(SettlementStores.layerMemory))
  )
})
