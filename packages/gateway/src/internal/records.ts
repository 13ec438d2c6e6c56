/** What is written down about a governed call. */
import type { DecisionRecord } from "@haft/wire/DecisionRecord"
import type * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import type { Requested } from "../Audit.ts"
import { compact } from "./compact.ts"
import type { Governed } from "./governed.ts"

const decisionVersion = "1"

/** Outputs are told by kind and effect, and never by value: the settlement has them. */
export const recordOf = (call: Governed, outcome: Outcome, isHardStop: boolean): DecisionRecord => {
  const { governance, leaf } = outcome
  const { citations, costCents = 0, evidenceRefs, timing } = outcome
  const wasRun = outcome.attempts.length > 0 && !outcome.idempotency.replayed
  return record(call.entry, call.now, {
    status: isHardStop ? "ESCALATED" : statusOf(leaf),
    agent_identity: identityOf(call, governance.principalChain),
    inputs_refs: inputsOf(call.request),
    outputs: outputsOf(outcome),
    evidence_refs: [...evidenceRefs, ...citations.map(({ evidenceRef }) => evidenceRef)],
    policy_decisions: policyDecisionsOf(outcome),
    approvals: approvalsOf(call, outcome),
    controls_active: call.controls,
    budget_usage: {
      tokens: 0,
      tool_calls: wasRun ? 1 : 0,
      cost_usd_cents: costCents,
      wall_clock_ms: timing.durationMs
    }
  })
}

/** What depends on how the call went. */
type Told = Pick<
  DecisionRecord,
  | "status"
  | "agent_identity"
  | "inputs_refs"
  | "outputs"
  | "evidence_refs"
  | "policy_decisions"
  | "approvals"
  | "controls_active"
  | "budget_usage"
>

/** Field by field, because there is one for every call. */
const record = (
  { actor, callId, fn, recordId, runId, toolId, traceId }: Requested,
  now: number,
  told: Told
): DecisionRecord => ({
  record_id: recordId,
  decision_key: `tool.${toolId}.${fn}`,
  decision_version: decisionVersion,
  timestamp: new Date(now).toISOString(),
  status: told.status,
  actor: { type: "AGENT", id: actor },
  agent_identity: told.agent_identity,
  subject_ids: runId === undefined ? [callId] : [callId, runId],
  inputs_refs: told.inputs_refs,
  outputs: told.outputs,
  evidence_refs: told.evidence_refs,
  policy_decisions: told.policy_decisions,
  approvals: told.approvals,
  controls_active: told.controls_active,
  budget_usage: told.budget_usage,
  ...(traceId === undefined ? undefined : { trace_id: traceId })
})

const identityOf = ({ actor, options: { run } }: Governed, chain: Outcome["governance"]["principalChain"]) => {
  const claim = run?.agent.identity_claim?.claim_hash
  const identity = { subject: actor, principal_chain: chain }
  return claim === undefined ? identity : { ...identity, claim_hash: claim }
}

const inputsOf = ({ callId, sessionId }: Governed["request"]): DecisionRecord["inputs_refs"] =>
  sessionId === undefined ? { request: callId } : { request: callId, session: sessionId }

const outputsOf = ({ attempts, call: { digest, version }, effect, idempotency, leaf }: Outcome) => ({
  outcome: leaf._tag,
  effect: effect._tag,
  attempts: attempts.length,
  replayed: idempotency.replayed,
  ...(version === undefined ? undefined : { version }),
  ...(digest === undefined ? undefined : { digest })
})

/** Where nothing was asked of anybody. */
export const noControls: DecisionRecord["controls_active"] = {
  must_refuse: [],
  must_escalate: [],
  approval_gates_active: [],
  redaction_rules_active: []
}

/** For a call whose process is gone: somebody has to look. */
export const escalated = (requested: Requested, now: number): DecisionRecord =>
  record(requested, now, {
    status: "ESCALATED",
    agent_identity: { subject: requested.actor, principal_chain: [] },
    inputs_refs: { request: requested.callId },
    outputs: { outcome: "Operational.Defect" satisfies Leaf.Tag, effect: "Unknown" },
    evidence_refs: [],
    policy_decisions: [],
    approvals: [],
    controls_active: noControls,
    budget_usage: { tokens: 0, tool_calls: 0, cost_usd_cents: 0, wall_clock_ms: 0 }
  })

const statusOf = ({ _tag }: Leaf.Leaf): DecisionRecord["status"] =>
  _tag.startsWith("Rejected.") || _tag.startsWith("Denied.") ? "REJECTED" : "DECIDED"

const policyDecisionsOf = ({ governance: { policyDecisionId, ruleRefs } }: Outcome) =>
  policyDecisionId === undefined && ruleRefs.length === 0
    ? []
    : [{ policy_decision_id: policyDecisionId ?? "", rule_ids: ruleRefs }]

const approvalsOf = (call: Governed, { governance: { approval, modes } }: Outcome): DecisionRecord["approvals"] =>
  approval === undefined
    ? []
    : [
        compact({
          gate_id: approval.id,
          approver: approval.approver ?? "",
          approval_mode_effective: modes?.effective ?? "read_only",
          evidence_snapshot_hash: approval.evidenceSnapshotHash,
          decided_at: new Date(approval.decidedAt ?? call.now).toISOString()
        })
      ]
