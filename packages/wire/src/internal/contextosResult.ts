/** Outcomes as ContextOS tool results, and what such results tell. */
import * as SideEffect from "@haft/core/SideEffect"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { type DecodeError, toLeaf } from "../EnvelopeError.ts"
import type { Leaf } from "../Leaf.ts"
import * as Outcome from "../Outcome.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { box, outputOf } from "./boxes.ts"
import { compact } from "./compact.ts"
import { column } from "./contextosColumn.ts"
import * as Envelopes from "./contextosEnvelopes.ts"
import { showDetails } from "./details.ts"
import { readID } from "./envelopes.ts"
import * as Sentences from "./sentences.ts"
import { hiddenTrace } from "./traces.ts"

/** What a result carries and an outcome does not know. */
export interface ResultOptions {
  readonly runId?: string
  readonly sessionId?: string
}

export const encode = (outcome: Outcome.Outcome, options: ResultOptions = {}): Envelopes.ToolResult => {
  const { call, effect, leaf, timing } = outcome
  const { output, ...boxed } = boxedOutput(leaf)
  const { details, own } = showDetails(leaf, [])
  const common = compact({
    envelope_version: Envelopes.resultVersion,
    tool_call_id: call.callId,
    run_id: options.runId ?? "",
    trace_id: TraceContext.toIDs(outcome.trace).traceId ?? "",
    session_id: options.sessionId,
    capability_id: call.toolId ?? call.toolName,
    output,
    artifacts: outcome.artifacts,
    citations: outcome.citations.map(({ evidenceRef }) => ({ evidence_ref: evidenceRef })),
    mutations: effect._tag === "Committed" ? effect.mutations.map(({ kind, target }) => `${kind}:${target}`) : [],
    risk_tags: outcome.riskTags,
    policy_decision_id: outcome.governance.policyDecisionId ?? null,
    latency_ms: timing.durationMs,
    metadata: metadataOf(outcome, { ...boxed, ...compact({ details: own }) })
  })
  const [status, code = ""] = column[leaf._tag]
  if (status === "ok" || status === "completed") return { ...common, status, error: null }
  return { ...common, status, error: { code, ...errorOf(outcome, details) } }
}

const boxedOutput = (leaf: Leaf) => {
  const output = outputOf(leaf)
  return output === undefined ? { output: null } : box(output)
}

/** Fields that the contract shows as metadata and not in details. */
const movedOf = (leaf: Leaf) =>
  compact({
    retry_after_ms: "retryAfterMs" in leaf ? leaf.retryAfterMs : undefined,
    timeout_ms: "timeoutMs" in leaf ? leaf.timeoutMs : undefined
  })

const errorOf = ({ leaf, retry }: Outcome.Outcome, details: Schema.JsonObject) => ({
  message: "message" in leaf ? leaf.message : Sentences.prepared.message,
  retryable: retry.runtime !== "never",
  details: Struct.omit(details, Object.keys(movedOf(leaf))),
  hint: leaf._tag === "Prepared" ? Sentences.prepared.hint : ("hint" in leaf && leaf.hint) || null
})

/** By the envelope. Mutations are shown, and not in full. */
const shown = [
  "callId",
  "toolId",
  "version",
  "warnings",
  "artifacts",
  "citations",
  "riskTags",
  "costCents",
  "commitToken",
  "trace"
] as const

const metadataOf = (outcome: Outcome.Outcome, more: Partial<Slot.Result>): Schema.JsonObject => {
  const { attempts, call, costCents, governance, leaf, trace, warnings } = outcome
  return compact({
    version: call.version,
    warnings: warnings.length === 0 ? undefined : warnings,
    retries: Math.max(0, attempts.length - 1),
    span_id: TraceContext.toIDs(trace).spanId,
    cost_cents: costCents,
    approver: governance.approval?.approver,
    approval_evidence_snapshot_hash: governance.approval?.evidenceSnapshotHash,
    commit_token: leaf._tag === "Prepared" ? leaf.commitToken : undefined,
    ...movedOf(leaf),
    [Slot.key]: {
      ...Struct.omit(Slot.fromOutcome(outcome), shown),
      ...compact({ trace: hiddenTrace(trace) }),
      ...more
    }
  })
}

export const refuse = (document: unknown, error: DecodeError): Envelopes.ToolResult => {
  const trace = TraceContext.fromIDs(readID(document, "trace_id"), undefined)
  const call = { callId: readID(document, "tool_call_id") ?? "", toolName: readID(document, "capability_id") ?? "" }
  const outcome = Outcome.make({ leaf: toLeaf(error), effect: SideEffect.notStarted, call, ...compact({ trace }) })
  const ids = compact({ runId: readID(document, "run_id"), sessionId: readID(document, "session_id") })
  return encode(outcome, ids)
}
