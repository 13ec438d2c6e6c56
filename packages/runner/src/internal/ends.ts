/** How a call ended, once it is clear that it will not go on. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Message from "../Message.ts"

export type Settling = Exit.Exit<Settlement, SettleError>

/** Never fails: whatever the store says or does not say, the call gets its one end. */
export const endOf = (
  store: SettlementStore.Interface,
  identity: ToolCall.Identity,
  settling: Settling | undefined
): Effect.Effect<Message.End> => {
  const callID = identity.toolCallID
  if (settling !== undefined && Exit.isSuccess(settling) && settling.value._tag !== "Rejected") {
    return Effect.succeed(Message.settled(callID))
  }
  return Effect.match(store.find(identity), {
    onFailure: () => unread(callID, settling),
    onSuccess: (record) => Option.match(record, { onNone: () => unbegun(callID, settling), onSome: recorded(callID) })
  })
}

/** What a record means for a history. One that nobody will end by now is unfinished. */
export const recorded =
  (callID: ToolCall.ID) =>
  (record: SettlementStore.CallRecord): Message.End => {
    if (record._tag !== "Ended") {
      const effect = record.begun.effectPossible ? SideEffect.unknown : SideEffect.none
      return Message.synthetic({ callID, reason: "Unfinished", effect })
    }
    const { ended } = record
    if (ended._tag === "Settled") return Message.settled(callID)
    const reason = ended._tag === "Operational" && ended.code === "Unfinished" ? "Unfinished" : ended._tag
    return Message.synthetic({ callID, reason, effect: ended.effect })
  }

/** A call of a tool that was left out is rejected before it comes to a registry, so nobody else has it on record. */
const unbegun = (callID: ToolCall.ID, settling: Settling | undefined): Message.End => {
  const effect = SideEffect.notStarted
  if (settling === undefined) return Message.synthetic({ callID, reason: "NotRun", effect })
  if (Exit.isFailure(settling)) {
    const reason = Cause.hasInterruptsOnly(settling.cause) ? "Interrupted" : "Operational"
    return Message.synthetic({ callID, reason, effect })
  }
  const { value } = settling
  return Message.synthetic({
    callID,
    reason: "Rejected",
    effect,
    ...(value._tag === "Rejected" ? { message: value.message } : {})
  })
}

/** The store does not answer. What the registry gave is on record; of anything else nothing is known. */
const unread = (callID: ToolCall.ID, settling: Settling | undefined): Message.End =>
  settling !== undefined && Exit.isSuccess(settling)
    ? Message.settled(callID)
    : Message.synthetic({ callID, reason: "Operational", effect: SideEffect.unknown })
