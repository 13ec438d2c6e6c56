/** Outcomes as uicp responses. */
import * as SideEffect from "@haft/core/SideEffect"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as CallKey from "../CallKey.ts"
import { type DecodeError, toLeaf } from "../EnvelopeError.ts"
import type { Leaf } from "../Leaf.ts"
import * as Outcome from "../Outcome.ts"
import * as Retry from "../Retry.ts"
import * as Slot from "../Slot.ts"
import { outputOf } from "./boxes.ts"
import { compact } from "./compact.ts"
import { showDetails } from "./details.ts"
import { readID } from "./envelopes.ts"
import * as Sentences from "./sentences.ts"
import * as Column from "./uicpColumn.ts"
import type { Response } from "./uicpEnvelopes.ts"

/** Keys of the details that we add. */
export const reserved = ["fix_hint", "cause_code"]

/** Of a tool that no build was resolved for. */
const noVersion = "0.0.0"

export const encode = (outcome: Outcome.Outcome): Response => {
  const { effect, leaf, retry, timing, warnings } = outcome
  const { details, own } = showDetails(leaf, reserved)
  const common = compact({
    call_id: CallKey.toUuid(outcome.call.callId),
    side_effects: effect._tag === "Committed" && effect.mutations.length > 0 ? effect.mutations : undefined,
    metrics: { duration_ms: timing.durationMs },
    provenance: provenanceOf(outcome, own),
    warnings: warnings.length === 0 ? undefined : warnings
  })
  const output = compact({ output: outputOf(leaf) })
  if (leaf._tag === "Prepared") {
    return { ...common, ...output, status: "success_prep", commit_token: leaf.commitToken }
  }
  const status = Column.statusOf(leaf._tag, retry)
  if (status === "success" || status === "success_prep") return { ...common, ...output, status: "success" }
  return { ...common, status, error: errorOf(outcome, leaf, details) }
}

const provenanceOf = (outcome: Outcome.Outcome, own: Schema.JsonObject | undefined) => {
  const { call } = outcome
  const { callId, ...slot } = Struct.omit(Slot.fromOutcome(outcome), shown)
  return compact({
    tool_id: call.toolId ?? call.toolName,
    tool_version: call.version ?? noVersion,
    digest: call.digest,
    [Slot.key]: { ...slot, ...compact({ callId: CallKey.isUuid(call.callId) ? undefined : callId, details: own }) }
  })
}

/** By the envelope. */
const shown = ["mutations", "warnings", "commitToken", "toolId", "version", "digest"] as const

const errorOf = (outcome: Outcome.Outcome, leaf: Leaf, details: Schema.JsonObject) => {
  const code = Column.codeOf(leaf)
  const isReplaced = Column.promises(leaf._tag) && Retry.isUnsafe({ ...Outcome.endedOf(outcome), retry: outcome.retry })
  return {
    code: isReplaced ? Column.effectUnknown : code,
    message: "message" in leaf ? leaf.message : code,
    details: { ...details, ...(isReplaced ? { cause_code: code } : {}), fix_hint: fixHintOf(leaf) }
  }
}

/** The contract demands one of every code. */
const fixHintOf = (leaf: Leaf): string => ("hint" in leaf && leaf.hint) || (Sentences.textOf(leaf._tag).hint ?? "")

const nilUuid = "00000000-0000-0000-0000-000000000000"

export const refuse = (document: unknown, error: DecodeError): Response => {
  const callId = readID(document, "call_id") ?? nilUuid
  const call = compact({
    callId: CallKey.isUuid(callId) ? callId : nilUuid,
    toolName: readID(document, "tool_id") ?? "unknown",
    version: readID(document, "tool_version")
  })
  return encode(Outcome.make({ leaf: toLeaf(error), effect: SideEffect.notStarted, call }))
}
