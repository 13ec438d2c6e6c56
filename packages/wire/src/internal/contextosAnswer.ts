/** What ContextOS tool results tell. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Answer, Options } from "../Answer.ts"
import { Artifact } from "../Outcome.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { answerOf, brokenAnswer, type Told, unreadable } from "./answers.ts"
import { isObject, saysBoxed, unbox } from "./boxes.ts"
import { compact } from "./compact.ts"
import { column, fallbackOf } from "./contextosColumn.ts"
import * as Envelopes from "./contextosEnvelopes.ts"
import { checker, type Kind, readText, versioned } from "./envelopes.ts"
import { mergeTrace } from "./traces.ts"

const kind: Kind = { contract: "contextos", envelope: "tool result" }

const check = versioned(kind, Envelopes.resultVersions, checker(kind, Envelopes.Received))

export const decode = (document: unknown, options: Options = {}): Answer =>
  Result.match(check(document), {
    onFailure: (error) => unreadable(error, options),
    onSuccess: (received) => read(received, options)
  })

const read = (received: Envelopes.Received, options: Options): Answer => {
  const { metadata = {}, status } = received
  const error = received.error ?? {}
  const isFinal = error.retryable === false
  const fallback = fallbackOf(status, error.code, error.retryable === true)
  if (fallback === "Prepared" && !isToken(metadata["commit_token"])) {
    return brokenAnswer({ what: "metadata.commit_token", isFinal }, options)
  }
  return answerOf(
    {
      slot: metadata[Slot.key],
      fits: (slot) => isShownAs(slot, received),
      fallback,
      isFinal,
      effect: effectIn(received),
      impliedEffect: status === "completed" ? SideEffect.committed([]) : undefined,
      message: error.message,
      hint: error.hint ?? undefined,
      details: error.details ?? {},
      fields: fieldsIn(received, metadata),
      told: toldBy(received, metadata)
    },
    options
  )
}

const isToken = (value: Schema.Json | undefined): boolean => typeof value === "string" && value !== ""

const isShownAs = ({ retry, tag }: Slot.Result, { error, status }: Envelopes.Received): boolean => {
  const [expected, code] = column[tag]
  const isAgreed = error?.retryable === undefined || error.retryable === (retry.runtime !== "never")
  return expected === status && code === error?.code && isAgreed
}

const effectIn = ({ mutations = [] }: Envelopes.Received): SideEffect.SideEffect | undefined =>
  mutations.length > 0 ? SideEffect.committed(mutations.map(toMutation)) : undefined

/** The contract writes a mutation as its kind and its target. */
const toMutation = (reference: string): SideEffect.Mutation => {
  const [, kind, target] = /^([^:]+):(.*)$/s.exec(reference) ?? []
  return kind === undefined || target === undefined ? { kind: "change", target: reference } : { kind, target }
}

const fieldsIn = ({ output }: Envelopes.Received, metadata: Schema.JsonObject) =>
  compact({
    ...unbox(output, saysBoxed(metadata[Slot.key])),
    commitToken: metadata["commit_token"],
    retryAfterMs: metadata["retry_after_ms"],
    timeoutMs: metadata["timeout_ms"]
  })

const toldBy = (received: Envelopes.Received, metadata: Schema.JsonObject): Told => {
  const slot = metadata[Slot.key]
  const retries = numberIn(metadata, "retries")
  return compact({
    callId: received.tool_call_id,
    toolName: readText(slot, "toolName") ?? received.capability_id,
    toolId: received.capability_id,
    version: readText(metadata, "version"),
    durationMs: received.latency_ms,
    attemptCount: retries === undefined ? undefined : retries + 1,
    warnings: textsIn(metadata, "warnings"),
    artifacts: (received.artifacts ?? []).filter(isArtifact),
    citations: (received.citations ?? []).flatMap(toCitation),
    riskTags: received.risk_tags ?? [],
    policyDecisionId: received.policy_decision_id ?? undefined,
    costCents: numberIn(metadata, "cost_cents"),
    approval: approvalOf(metadata),
    trace: traceOf(received, metadata)
  })
}

const isArtifact = Schema.is(Artifact)

const toCitation = (citation: Schema.Json) => {
  const evidenceRef = readText(citation, "evidence_ref")
  return evidenceRef === undefined ? [] : [{ evidenceRef }]
}

const numberIn = (metadata: Schema.JsonObject, key: string): number | undefined => {
  const value = metadata[key]
  return typeof value === "number" ? value : undefined
}

const isTexts = Schema.is(Schema.Array(Schema.String))

const textsIn = (metadata: Schema.JsonObject, key: string): ReadonlyArray<string> | undefined => {
  const value = metadata[key]
  return isTexts(value) ? value : undefined
}

const decodeSlot = Schema.decodeUnknownOption(Slot.Result)

/** The slot has all of it; without one only two of its parts are told. */
const approvalOf = (metadata: Schema.JsonObject) => {
  const kept = Option.getOrUndefined(decodeSlot(metadata[Slot.key]))?.approval
  if (kept !== undefined) return kept
  const [approver, evidenceSnapshotHash] = [
    readText(metadata, "approver"),
    readText(metadata, "approval_evidence_snapshot_hash")
  ]
  return approver === undefined ? undefined : { id: "", approver, ...compact({ evidenceSnapshotHash }) }
}

const decodeTrace = Schema.decodeUnknownOption(TraceContext.Trace)

const traceOf = ({ trace_id }: Envelopes.Received, metadata: Schema.JsonObject) => {
  const slot = metadata[Slot.key]
  const hidden = isObject(slot) ? Option.getOrUndefined(decodeTrace(slot["trace"])) : undefined
  return mergeTrace(TraceContext.fromIDs(trace_id || undefined, readText(metadata, "span_id")), hidden)
}
