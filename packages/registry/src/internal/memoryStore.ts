/** Calls in memory. */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import { CallMap } from "./callMap.ts"
import * as Record from "./settlementStoreRecord.ts"

type Store = SettlementStore.Interface

/** What settling a call asks of a store. */
export type Calls = Pick<Store, "begin" | "complete" | "find">

interface Attempt {
  begun: SettlementStore.Begun
  ended: SettlementStore.Ended | undefined
}

export class MemoryStore implements Store {
  private readonly calls = new CallMap<Attempt>()
  private readonly redeemed = new Map<string, Attempt>()

  /** Each is done when it is called, for whoever would run the effect once and right away. */
  readonly atOnce: Calls = {
    begin: (begun, options) => {
      const known = this.calls.get(begun.context)
      if (known !== undefined && !(options?.repeat === true && mayRepeat(known)))
        return Effect.succeedSome(recordOf(known))
      this.calls.set(begun.context, { begun, ended: options?.ended })
      return Effect.succeedNone
    },
    complete: (identity, ended) => {
      const call = this.calls.get(identity)
      return call === undefined ? Effect.fail(Record.notRunning("complete")) : Effect.succeed((call.ended ??= ended))
    },
    find: (identity) => {
      const call = this.calls.get(identity)
      return call === undefined ? Effect.succeedNone : Effect.succeedSome(recordOf(call))
    }
  }

  readonly begin: Store["begin"] = (begun, options) => Effect.suspend(() => this.atOnce.begin(begun, options))

  readonly complete: Store["complete"] = (identity, ended) =>
    Effect.suspend(() => this.atOnce.complete(identity, ended))

  readonly find: Store["find"] = (identity) => Effect.suspend(() => this.atOnce.find(identity))

  readonly advance: Store["advance"] = (identity, options) =>
    Effect.suspend(() => this.advanced(identity, options?.approvalID))

  readonly unfinished: Store["unfinished"] = Effect.succeed([])

  readonly finish: Store["finish"] = (ends) =>
    ends.length === 0 ? Effect.succeed([]) : Effect.fail(Record.notRunning("complete"))

  private advanced(identity: ToolCall.Identity, approvalID: string | undefined): ReturnType<Store["advance"]> {
    const call = this.calls.get(identity)
    if (call === undefined || call.ended !== undefined) return Effect.fail(Record.notRunning("advance"))
    if (approvalID !== undefined && !this.redeem(approvalID, call)) {
      return Effect.fail(new SettlementStore.ApprovalSpentError({ approvalID }))
    }
    if (!call.begun.effectPossible) call.begun = Record.advanced(call.begun)
    return Effect.void
  }

  /** An approval is for one attempt, which may name it again; a repeated call needs another. */
  private redeem(approvalID: string, attempt: Attempt): boolean {
    const redeemer = this.redeemed.get(approvalID) ?? attempt
    this.redeemed.set(approvalID, redeemer)
    return redeemer === attempt
  }
}

/** The store itself, unless it is this very one: whoever wraps it sees every call. */
export const callsOf = (store: Store): Calls => (store instanceof MemoryStore ? store.atOnce : store)

const mayRepeat = ({ ended }: Attempt): boolean => ended !== undefined && Record.mayRepeatAfter(ended._tag)

const recordOf = ({ begun, ended }: Attempt): SettlementStore.CallRecord =>
  ended === undefined ? Record.running(begun) : Record.ended(begun, ended)
