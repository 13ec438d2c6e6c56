/** The settlement store in memory, with a journal of what it did and a way to delay or fail each operation. */
import { SettlementStore } from "@haft/core"
import { ApplicationTools, OutputBounds, SettlementStores, ToolRegistry } from "@haft/registry"
import { Context, Effect, Layer, Ref } from "effect"

export type Operation = SettlementStore.StorageError["operation"]

/** What else happens at an operation. */
export type Meanwhile = (operation: Operation) => Effect.Effect<void, SettlementStore.StorageError>

export const healthy: Meanwhile = () => Effect.void

export const failing =
  (broken: Operation): Meanwhile =>
  (operation) =>
    operation === broken ? Effect.fail(new SettlementStore.StorageError({ operation })) : Effect.void

export interface Interface {
  /** The operations that went through, oldest first; a test may add what it saw in between. */
  readonly journal: Ref.Ref<ReadonlyArray<string>>
  readonly before: Ref.Ref<Meanwhile>
  /** What happens between an operation and its answer. */
  readonly after: Ref.Ref<Meanwhile>
}

export class Probe extends Context.Service<Probe, Interface>()("test/ProbedStore") {}

const probed = (store: SettlementStore.Interface, { after, before, journal }: Interface): SettlementStore.Interface => {
  const noted = <A, E>(operation: Operation, effect: Effect.Effect<A, E>) =>
    Effect.flatMap(Ref.get(before), (before) => before(operation)).pipe(
      Effect.andThen(effect),
      Effect.tap(() => Ref.update(journal, (noted) => [...noted, operation])),
      Effect.tap(() => Effect.flatMap(Ref.get(after), (after) => after(operation)))
    )
  return {
    begin: (begun, options) => noted("begin", store.begin(begun, options)),
    advance: (identity, options) => noted("advance", store.advance(identity, options)),
    complete: (identity, ended) => noted("complete", store.complete(identity, ended)),
    find: (identity) => noted("find", store.find(identity)),
    unfinished: noted("unfinished", store.unfinished)
  }
}

const layer = Layer.effectContext(
  Effect.gen(function* () {
    const probe = {
      journal: yield* Ref.make<ReadonlyArray<string>>([]),
      before: yield* Ref.make(healthy),
      after: yield* Ref.make(healthy)
    }
    const store = yield* SettlementStore.Service
    return Context.make(SettlementStore.Service, probed(store, probe)).pipe(Context.add(Probe, probe))
  })
).pipe(Layer.provide(SettlementStores.layerMemory))

/** One Location in a process of its own, on that store. */
export const layerRegistry = Layer.fresh(
  ToolRegistry.layer.pipe(Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layerMemory(), layer)))
)
