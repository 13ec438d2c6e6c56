/**
 * Ends the calls that a dead process left behind, so that every call has an end on record. It runs no tool: whoever
 * wants a call again says so with the request.
 */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** One call that was left unfinished, and the end that it got. */
export interface Recovered {
  readonly begun: SettlementStore.Begun
  readonly ended: SettlementStore.Ended
}

/**
 * Oldest first, each with the end that stands. For a host to run when it opens its store. A call that somebody begins
 * again meanwhile is left to them. Running it again, or after it was cut off, ends what is still unfinished.
 */
export const recover: Effect.Effect<
  ReadonlyArray<Recovered>,
  SettlementStore.StorageError,
  SettlementStore.Service
> = Effect.gen(function* () {
  const store = yield* SettlementStore.Service
  const unfinished = yield* store.unfinished
  const ends = yield* store.finish(unfinished.map((one) => ({ unfinished: one, ended: endOf(one.begun) })))
  return unfinished.flatMap(({ begun }, index) => {
    const ended = Option.getOrUndefined(ends[index] ?? Option.none())
    return ended === undefined ? [] : [{ begun, ended }]
  })
})

/** A call that signalled an effect may have had one, whatever its tool declared. */
const endOf = ({ effectPossible }: SettlementStore.Begun): SettlementStore.Ended =>
  effectPossible ? unknown : interrupted

const unknown: SettlementStore.Ended = { _tag: "Operational", effect: SideEffect.unknown, code: "Unfinished" }
const interrupted: SettlementStore.Ended = { _tag: "Interrupted", effect: SideEffect.none }
