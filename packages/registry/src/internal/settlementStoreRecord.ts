/** What the layers of the settlement store have in common: keys, records and refusals. */
import * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"

/** The identity as one text. Ids have no white space, so a space keeps them apart. */
export const keyOf = ({ assistantMessageID, sessionID, toolCallID }: ToolCall.Identity): string =>
  `${sessionID} ${assistantMessageID} ${toolCallID}`

/** The same beginning, and an effect is possible. Field by field: whoever begins a call may compute them when asked. */
export const advanced = (begun: SettlementStore.Begun): SettlementStore.Begun => ({
  context: begun.context,
  name: begun.name,
  registrationDigest: begun.registrationDigest,
  inputFingerprint: begun.inputFingerprint,
  determinism: begun.determinism,
  effectPossible: true,
  begunAt: begun.begunAt
})

/** Of a call that somebody may still end. */
export const running = (begun: SettlementStore.Begun): SettlementStore.CallRecord => ({ _tag: "Running", begun })
/** Of a call that nobody will end. */
export const unfinished = (begun: SettlementStore.Begun): SettlementStore.CallRecord => ({ _tag: "Unfinished", begun })
/** Of a call that is over. */
export const ended = (begun: SettlementStore.Begun, ended: SettlementStore.Ended): SettlementStore.CallRecord => ({
  _tag: "Ended",
  begun,
  ended
})

/** Whether a host may have another attempt after an end like this one. */
export const mayRepeatAfter = (ended: SettlementStore.Ended["_tag"]): boolean => ended !== "Settled"

/** What is not running, or not here, cannot change. */
export const noSuchCall = new Error("no such call is running here")

/** A call that was never begun, or is over, cannot change any more. */
export const notRunning = (operation: "advance" | "complete"): SettlementStore.StorageError =>
  new SettlementStore.StorageError({ operation, cause: noSuchCall })
