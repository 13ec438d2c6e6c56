/** The settlement store in memory, counting for each call how often it began and ended. */
import { SettlementStore } from "@haft/core"
import { SettlementStores } from "@haft/registry"
import { Context, Effect, Layer, Option } from "effect"

export interface Counts {
  begun: number
  ended: number
}

/** By call id. A rejection begins and ends in one step. */
export class CountedCalls extends Context.Service<CountedCalls, ReadonlyMap<string, Counts>>()("test/CountedCalls") {}

const counted = (store: SettlementStore.Interface, calls: Map<string, Counts>): SettlementStore.Interface => {
  const countsOf = (id: string) => {
    const counts = calls.get(id) ?? { begun: 0, ended: 0 }
    calls.set(id, counts)
    return counts
  }
  return {
    ...store,
    begin: (begun, options) =>
      Effect.map(store.begin(begun, options), (earlier) => {
        if (Option.isSome(earlier)) return earlier
        const counts = countsOf(begun.context.toolCallID)
        counts.begun++
        if (options?.ended !== undefined) counts.ended++
        return earlier
      }),
    complete: (identity, ended) =>
      Effect.map(store.complete(identity, ended), (stands) => {
        countsOf(identity.toolCallID).ended++
        return stands
      })
  }
}

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const calls = new Map<string, Counts>()
    const store = counted(yield* SettlementStore.Service, calls)
    return Context.make(SettlementStore.Service, store).pipe(Context.add(CountedCalls, calls))
  })
).pipe(Layer.provide(SettlementStores.layerMemory))
