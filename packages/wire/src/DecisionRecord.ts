/** What was decided about one governed call, on what grounds, and by whom: ContextOS' record and the ledgers beside it. */
import * as Schema from "effect/Schema"
import { Count, NotNegative, Text } from "./internal/fields.ts"
import { Buckets, Mode, Principal } from "./RunContext.ts"
import { TraceID } from "./TraceContext.ts"

const Texts = Schema.Array(Schema.String)

/** A point in time as RFC 3339 writes it. */
const Timestamp = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u, {
    expected: "a time such as 2026-05-04T09:31:42Z"
  })
)

/** What held while the decision was made. */
export const Controls = Schema.Struct({
  must_refuse: Texts,
  must_escalate: Texts,
  approval_gates_active: Texts,
  redaction_rules_active: Texts
})
export type Controls = typeof Controls.Type

/** One gate that somebody opened. */
export const GateApproval = Schema.Struct({
  gate_id: Schema.String,
  approver: Schema.String,
  approval_mode_effective: Mode,
  evidence_snapshot_hash: Text,
  decided_at: Timestamp
})
export type GateApproval = typeof GateApproval.Type

export const DecisionRecord = Schema.Struct({
  record_id: Schema.String,
  decision_key: Schema.String,
  decision_version: Schema.String,
  timestamp: Timestamp,
  status: Schema.Literals(["DECIDED", "DEFERRED", "REJECTED", "ESCALATED", "IN_FLIGHT", "CLOSED"]),
  actor: Schema.Struct({ type: Schema.Literal("AGENT"), id: Schema.String }),
  agent_identity: Schema.Struct({
    subject: Schema.String,
    claim_hash: Text,
    principal_chain: Schema.Array(Principal)
  }),
  intent_ref: Text,
  subject_ids: Texts,
  inputs_refs: Schema.Struct({ request: Text, session: Text }),
  outputs: Schema.JsonObject,
  evidence_refs: Texts,
  policy_decisions: Schema.Array(Schema.Struct({ policy_decision_id: Schema.String, rule_ids: Texts })),
  approvals: Schema.Array(GateApproval),
  controls_active: Controls,
  confidence: Schema.optionalKey(Schema.Finite),
  rationale: Schema.optionalKey(
    Schema.Struct({ strategy: Schema.String, alternatives_considered: Schema.Array(Schema.Json) })
  ),
  budget_usage: Schema.Struct({ tokens: Count, tool_calls: Count, cost_usd_cents: NotNegative, wall_clock_ms: Count }),
  lineage: Schema.optionalKey(Schema.Struct({ pack_version: Text, snapshot_version: Text })),
  trace_id: Schema.optionalKey(TraceID)
})
export type DecisionRecord = typeof DecisionRecord.Type

/** How tokens were shared out when a context was compiled, and what did not fit. */
export const BudgetReport = Schema.Struct({
  tokens_allocated: Buckets(Count),
  tokens_used_at_compile: Count,
  tokens_used_by_bucket: Buckets(Count),
  bucket_truncations: Buckets(Schema.Boolean),
  dropped_block_ids: Buckets(Texts),
  warnings: Texts
})
export type BudgetReport = typeof BudgetReport.Type

/** What went into a compiled context. */
export const ContextLedger = Schema.Struct({
  pack_ref: Schema.String,
  request_id: Schema.String,
  policy_bundles: Texts,
  tools: Texts,
  evidence_refs: Texts,
  memory_refs: Texts,
  budget: Schema.Struct({ tokens_used_at_compile: Count, truncated_buckets: Texts }),
  compiled_context_hash: Schema.String
})
export type ContextLedger = typeof ContextLedger.Type

/** Which policies, tools and evidence a run had. */
export const Manifests = Schema.Struct({
  policy_manifest: Schema.Array(Schema.Struct({ bundle_id: Schema.String, rule_ids: Texts })),
  tool_manifest: Schema.Array(
    Schema.Struct({
      adapter_id: Schema.String,
      capabilities: Texts,
      capability_metadata: Schema.Record(
        Schema.String,
        Schema.Struct({ kind: Schema.String, risk_level: Schema.String, approval_mode: Mode, source: Schema.String })
      )
    })
  ),
  evidence_manifest: Schema.Array(Schema.Struct({ evidence_ref: Schema.String }))
})
export type Manifests = typeof Manifests.Type

/** What a replay of a run may do. Only a sandbox reaches a handler. */
export const ReplayPolicy = Schema.Literals(["transcript_only", "sandbox", "live_disallowed"])
export type ReplayPolicy = typeof ReplayPolicy.Type
