/** What is written down about a governed call. */
import type { DecisionRecord } from "@haft/wire/DecisionRecord"
import type * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import type { Requested } from "../Audit.ts"
import { compact } from "./compact.ts"
import type { Governed } from "./governed.ts"

const decisionVersion = "1"

/** Outputs are told by kind and effect, and never by value: the settlement has them. */
export const recordOf = (call: Governed, outcome: Outcome): DecisionRecord => {
  const { governance, leaf } = outcome
  const { run } = call.options
  return {
    ...ground(call.requested(0), call.now),
    status: statusOf(leaf),
    actor: { type: "AGENT", id: call.actor },
    agent_identity: compact({
      subject: call.actor,
      claim_hash: run?.agent.identity_claim?.claim_hash,
      principal_chain: governance.principalChain
    }),
    inputs_refs: compact({ request: call.request.callId, session: call.request.sessionId }),
    outputs: compact({
      outcome: leaf._tag,
      effect: outcome.effect._tag,
      attempts: outcome.attempts.length,
      replayed: outcome.idempotency.replayed,
      version: outcome.call.version,
      digest: outcome.call.digest
    }),
    evidence_refs: [...outcome.evidenceRefs, ...outcome.citations.map(({ evidenceRef }) => evidenceRef)],
    policy_decisions: policyDecisionsOf(outcome),
    approvals: approvalsOf(call, outcome),
    budget_usage: {
      tokens: 0,
      tool_calls: outcome.attempts.length === 0 || outcome.idempotency.replayed ? 0 : 1,
      cost_usd_cents: outcome.costCents ?? 0,
      wall_clock_ms: outcome.timing.durationMs
    }
  }
}

/** What is there whatever became of the call. */
const ground = ({ actor, callId, fn, recordId, runId, toolId, traceId }: Requested, now: number) =>
  compact({
    record_id: recordId,
    decision_key: `tool.${toolId}.${fn}`,
    decision_version: decisionVersion,
    timestamp: new Date(now).toISOString(),
    actor: { type: "AGENT", id: actor } as const,
    agent_identity: { subject: actor, principal_chain: [] },
    subject_ids: runId === undefined ? [callId] : [callId, runId],
    inputs_refs: { request: callId },
    evidence_refs: [],
    policy_decisions: [],
    approvals: [],
    controls_active: { must_refuse: [], must_escalate: [], approval_gates_active: [], redaction_rules_active: [] },
    budget_usage: { tokens: 0, tool_calls: 0, cost_usd_cents: 0, wall_clock_ms: 0 },
    trace_id: traceId
  })

/** For a call whose process is gone: somebody has to look. */
export const escalated = (requested: Requested, now: number): DecisionRecord => ({
  ...ground(requested, now),
  status: "ESCALATED",
  outputs: { outcome: "Operational.Defect" satisfies Leaf.Tag, effect: "Unknown" }
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
