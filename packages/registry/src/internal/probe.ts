/** A settlement store that tells what it did, and that a test can delay or break. */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"

/** One of the store's operations. */
export type Operation = SettlementStore.StorageError["operation"]

/** What else happens at an operation: nothing, a delay, or a failure instead of it. */
export type Meanwhile = (operation: Operation) => Effect.Effect<void, SettlementStore.StorageError>

export interface Probed {
  /** The operations that went through, oldest first. A test may add what it saw in between. */
  readonly journal: Ref.Ref<ReadonlyArray<string>>
  /** What happens before an operation. */
  readonly before: Ref.Ref<Meanwhile>
  /** What happens between an operation and its answer. */
  readonly after: Ref.Ref<Meanwhile>
}

/** Looks into the settlement store of `layer`, and breaks it. */
export class Probe extends Context.Service<Probe, Probed>()("@haft/registry/internal/probe") {}

export const healthy: Meanwhile = () => Effect.void

const wrap = (store: SettlementStore.Interface, { after, before, journal }: Probed): SettlementStore.Interface => {
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
    unfinished: noted("unfinished", store.unfinished),
    finish: (ends) => noted("complete", store.finish(ends))
  }
}

/** Puts a probe before the store that it is given. */
export const layer: Layer.Layer<SettlementStore.Service | Probe, never, SettlementStore.Service> = Layer.effectContext(
  Effect.gen(function* () {
    const probed = {
      journal: yield* Ref.make<ReadonlyArray<string>>([]),
      before: yield* Ref.make(healthy),
      after: yield* Ref.make(healthy)
    }
    const store = yield* SettlementStore.Service
    return Context.make(SettlementStore.Service, wrap(store, probed)).pipe(Context.add(Probe, probed))
  })
)
