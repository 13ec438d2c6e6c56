/**
 * The `SettlementStore` that needs nothing else. The one that survives its process is in `@haft/registry/sql`.
 */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CallMap } from "./internal/callMap.ts"
import * as Record from "./internal/settlementStoreRecord.ts"

/**
 * Keeps every call in memory until the layer's Scope closes, each build for itself. Nothing is ever unfinished here: the
 * record of a call is gone as soon as its process is.
 */
export const layerMemory: Layer.Layer<SettlementStore.Service> = Layer.fresh(
  Layer.sync(SettlementStore.Service, () => makeMemory())
)

interface Attempt {
  begun: SettlementStore.Begun
  ended: SettlementStore.Ended | undefined
}

const makeMemory = (): SettlementStore.Interface => {
  const calls = new CallMap<Attempt>()
  const redeemed = new Map<string, Attempt>()
  return {
    begin: (begun, options) =>
      Effect.sync(() => {
        const known = calls.get(begun.context)
        if (known !== undefined && !(options?.repeat === true && mayRepeat(known))) return Option.some(recordOf(known))
        calls.set(begun.context, { begun, ended: options?.ended })
        return Option.none()
      }),
    advance: (identity, options) =>
      Effect.suspend((): ReturnType<SettlementStore.Interface["advance"]> => {
        const call = calls.get(identity)
        if (call === undefined || call.ended !== undefined) return Effect.fail(Record.notRunning("advance"))
        if (options?.approvalID !== undefined && !redeem(redeemed, options.approvalID, call)) {
          return Effect.fail(new SettlementStore.ApprovalSpentError({ approvalID: options.approvalID }))
        }
        if (!call.begun.effectPossible) call.begun = Record.advanced(call.begun)
        return Effect.void
      }),
    complete: (identity, ended) => {
      const known = calls.get(identity)
      // No call is ever removed, so one that is known now needs no way to fail later, which would cost each of them. While
      // it has no end no other attempt takes its place.
      return known === undefined
        ? Effect.suspend(() => endLater(calls, identity, ended))
        : Effect.sync(() => ((known.ended === undefined ? known : (calls.get(identity) ?? known)).ended ??= ended))
    },
    find: (identity) =>
      Effect.sync(() => {
        const call = calls.get(identity)
        return call === undefined ? Option.none() : Option.some(recordOf(call))
      }),
    unfinished: Effect.succeed([]),
    finish: (ends) => (ends.length === 0 ? Effect.succeed([]) : Effect.fail(Record.notRunning("complete")))
  }
}

/** Of a call that had not begun when the effect was made. */
const endLater = (calls: CallMap<Attempt>, identity: ToolCall.Identity, ended: SettlementStore.Ended) => {
  const call = calls.get(identity)
  return call === undefined ? Effect.fail(Record.notRunning("complete")) : Effect.succeed((call.ended ??= ended))
}

const mayRepeat = ({ ended }: Attempt): boolean => ended !== undefined && Record.mayRepeatAfter(ended._tag)

const recordOf = ({ begun, ended }: Attempt): SettlementStore.CallRecord =>
  ended === undefined ? Record.running(begun) : Record.ended(begun, ended)

/** An approval is for one attempt, which may name it again; a repeated call needs another. */
const redeem = (redeemed: Map<string, Attempt>, approvalID: string, attempt: Attempt): boolean => {
  const redeemer = redeemed.get(approvalID) ?? attempt
  redeemed.set(approvalID, redeemer)
  return redeemer === attempt
}
