import { assert, describe, it } from "@effect/vitest"
import { OutputStore } from "@haft/core"
import { OutputStores } from "@haft/registry"
import * as Conformance from "@haft/registry/conformance"
import { Cause, Effect, Exit, Layer } from "effect"
import { layerFiles, temporary } from "./support/outputFiles.ts"
import { conformance, reopening } from "./support/outputStore.ts"

conformance(
  "memory",
  Effect.succeed((limits) => OutputStores.layerMemory({ limits }))
)

conformance(
  "a directory",
  Effect.map(temporary, (root) => (limits) => layerFiles(root, { limits }))
)

reopening(
  "a directory",
  Effect.map(temporary, (root) => layerFiles(root))
)

describe("limits that are none", () => {
  it.effect("are refused when the store is made", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      for (const layer of [OutputStores.layerMemory, (options: OutputStores.Options) => layerFiles(root, options)]) {
        for (const limit of [0, -1, Number.NaN]) {
          const exit = yield* Effect.exit(
            Effect.provide(OutputStore.Service, layer({ limits: { maxOutputBytes: limit } }))
          )
          assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        }
      }
    })
  )
})

/** The store in memory with one mistake. */
const broken = (mistake: (store: OutputStore.Interface) => Partial<OutputStore.Interface>) =>
  Layer.effect(
    OutputStore.Service,
    Effect.map(OutputStore.Service, (store) => ({ ...store, ...mistake(store) }))
  ).pipe(Layer.provide(OutputStores.layerMemory()))

const mistakes: Readonly<Record<string, ReturnType<typeof broken>>> = {
  "shows outputs to every session": broken((store) => {
    const sessions = new Map<string, Parameters<typeof store.retain>[0]>()
    return {
      retain: (session, content) =>
        Effect.tap(store.retain(session, content), ({ ref }) => Effect.sync(() => sessions.set(ref, session))),
      open: (session, ref, range) => store.open(sessions.get(ref) ?? session, ref, range)
    }
  }),
  "counts lines wrongly": broken((store) => ({
    retain: (session, content) =>
      Effect.map(store.retain(session, content), (retained) => ({ ...retained, lines: retained.lines + 1 }))
  })),
  "begins a range in the wrong place": broken((store) => ({
    open: (session, ref) => store.open(session, ref, OutputStore.bytes(0, 2 ** 40))
  })),
  "ignores the case of every pattern": broken((store) => ({
    search: (session, ref, query) => store.search(session, ref, { ...query, ignoreCase: true })
  })),
  "forgets nothing": broken(() => ({ release: () => Effect.void }))
}

describe("the suite of the output store", () => {
  for (const [mistake, layer] of Object.entries(mistakes)) {
    it.effect(`catches a store that ${mistake}`, () =>
      Effect.gen(function* () {
        const cases = Effect.forEach(Conformance.outputStore, ({ effect }) => Effect.provide(effect, layer))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(cases)))
      })
    )
  }
})
