/** Runs the exported suites of the output store with Vitest. */
import { describe, it } from "@effect/vitest"
import type { OutputStore } from "@haft/core"
import * as Conformance from "@haft/registry/conformance"
import type { OutputStores } from "@haft/registry"
import { Effect, type Layer, type Scope } from "effect"

type Store = Layer.Layer<OutputStore.Service, unknown>

/** Each case gets a store of its own. */
export const conformance = (
  name: string,
  make: Effect.Effect<(limits: Partial<OutputStores.Limits>) => Store, never, Scope.Scope>
) =>
  describe(`${name} as an output store`, () => {
    for (const { effect, name } of Conformance.outputStore) {
      it.effect(name, () => Effect.flatMap(make, (layer) => Effect.provide(effect, layer({}))))
    }
    for (const { name, run } of Conformance.outputStoreLimited) it.effect(name, () => Effect.flatMap(make, run))
  })

/** For a store that outlives its process. */
export const reopening = (name: string, make: Effect.Effect<Store, never, Scope.Scope>) =>
  describe(`${name} as an output store that is opened again`, () => {
    for (const { name, run } of Conformance.outputStoreReopened) it.effect(name, () => Effect.flatMap(make, run))
  })
