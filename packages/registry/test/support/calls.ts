/** Calls and their ends, for tests that look at records only to tell them apart. */
import { Settlement, type SettlementStore, SideEffect, ToolCall, ToolContent } from "@haft/core"
import * as Testing from "@haft/core/testing"

export const begun = (call: string): SettlementStore.Begun => ({
  context: { ...Testing.context, toolCallID: ToolCall.ID.make(call) },
  name: "tool",
  registrationDigest: "digest",
  inputFingerprint: "fingerprint",
  determinism: "pure",
  effectPossible: false,
  begunAt: 0
})

export const settled = ({ context, name }: SettlementStore.Begun, text = "text"): SettlementStore.Ended => ({
  _tag: "Settled",
  settlement: Settlement.succeeded({
    context,
    name,
    effect: SideEffect.none,
    warnings: [],
    timing: { startedAt: 0, endedAt: 1 },
    managed: [],
    output: { structured: text, content: [ToolContent.text(text)] }
  })
})

export const interrupted: Extract<SettlementStore.Ended, { _tag: "Interrupted" }> = {
  _tag: "Interrupted",
  effect: SideEffect.unknown
}
