/** For whom and within which limits a run acts: ContextOS' run context, its principals, modes, budget and entry point. */
import * as Schema from "effect/Schema"
import { Count, NotNegative, open, Text, Texts } from "./internal/fields.ts"
import { SpanID, TraceID } from "./TraceContext.ts"

/** How much a call may do, from least to most. */
export const Mode = Schema.Literals(["read_only", "local_write", "network", "delegated", "destructive"])
export type Mode = typeof Mode.Type

/** What a call asked for, what it got, and the most that its tool declares. */
export const Modes = Schema.Struct({ requested: Mode, effective: Mode, highest: Mode })
export type Modes = typeof Modes.Type

/** One link of a chain that leads from who asked to who acts. */
export const Principal = Schema.Struct({
  kind: Schema.Literals(["user", "service", "agent", "automation"]),
  id: Schema.String,
  tenant_id: Text,
  display: Text
})
export type Principal = typeof Principal.Type

/** What a user let the agent do in their name. */
export const Delegation = Schema.Struct({
  auth_type: Schema.Literals(["oauth2", "saml", "oidc", "service"]),
  scopes: Schema.Array(Schema.String),
  subject: Schema.String,
  token_ref: Text
})
export type Delegation = typeof Delegation.Type

/**
 * Who the agent says it is. Every field may be missing, because a claim that lacks one is unverified and not unreadable;
 * `isComplete` tells.
 */
export const IdentityClaim = open({
  version: Text,
  iss: Text,
  sub: Text,
  run_id: Text,
  tenant_id: Text,
  principal_chain: Schema.optionalKey(Schema.Array(Principal)),
  scopes: Texts,
  nbf: Schema.optionalKey(Schema.Json),
  exp: Schema.optionalKey(Schema.Json),
  kid: Text,
  claim_hash: Text,
  aud: Schema.optionalKey(Schema.Json),
  session_id: Text
})
export type IdentityClaim = typeof IdentityClaim.Type

const required = ["iss", "sub", "run_id", "tenant_id", "principal_chain", "scopes", "nbf", "exp", "kid", "claim_hash"]

/** Whether a verifier could look at the claim at all. */
export const isComplete = (claim: IdentityClaim): boolean =>
  claim.version === "ctxid/1" && required.every((key) => claim[key] !== undefined)

/** Tokens by what they are for. */
export const Buckets = <S extends Schema.Constraint>(value: S) =>
  Schema.Struct({
    policy: Schema.optionalKey(value),
    tool: Schema.optionalKey(value),
    evidence: Schema.optionalKey(value),
    memory: Schema.optionalKey(value),
    business: Schema.optionalKey(value),
    session: Schema.optionalKey(value)
  })

/** What a run may use up. */
export const RunBudget = open({
  total_tokens: Schema.optionalKey(Count),
  bucket_tokens: Schema.optionalKey(Buckets(Count)),
  max_tool_calls: Schema.optionalKey(Count),
  max_replan_attempts: Schema.optionalKey(Count),
  wall_clock_ms: Schema.optionalKey(Count),
  max_cost_cents: Schema.optionalKey(NotNegative)
})
export type RunBudget = typeof RunBudget.Type

const User = open({
  user_id: Schema.String,
  delegation: Schema.optionalKey(Delegation),
  role: Text,
  tenure_days: Schema.optionalKey(NotNegative)
})

const agent = {
  agent_id: Schema.String,
  agent_urn: Schema.String.check(
    Schema.isPattern(/^agent:[^/\s]+\/[^@\s]+@\S+$/u, { expected: "agent:<org>/<slug>@<version>" })
  ),
  workload_identity: Schema.String,
  role: Text,
  token_ref: Text,
  lifecycle: Text,
  identity_claim: Schema.optionalKey(IdentityClaim)
}

export const RunContext = Schema.Struct({
  run_id: Schema.String,
  trace_id: TraceID,
  tenant_id: Schema.String,
  session_id: Text,
  intent: Text,
  locale: Text,
  user: User,
  agent: Schema.Struct({ ...agent, principal_chain: Schema.Array(Principal) }),
  safety_mode: Mode,
  run_budget: RunBudget,
  metadata: Schema.optionalKey(Schema.JsonObject)
})
export type RunContext = typeof RunContext.Type

/** A context pack at one version. What is not pinned is refused. */
const PackRef = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_.:-]+@\d+\.\d+\.\d+$/u, { expected: "a pack and its version, as in pack@1.2.3" })
)

/** Asks for a run. */
export const InvokeAgent = Schema.Struct({
  request_id: Schema.String,
  session_id: Text,
  tenant_id: Schema.String,
  user: User,
  agent: Schema.Struct({ ...agent, principal_chain: Schema.optionalKey(Schema.Array(Principal)) }),
  context_pack_refs: Schema.Array(PackRef).check(Schema.isMinLength(1)),
  input: Schema.Struct({
    intent: Schema.String,
    message: Schema.String,
    channel: Text,
    locale: Text,
    context: Schema.optionalKey(Schema.JsonObject)
  }),
  mode: Schema.Literals(["stream", "batch", "long_running"]),
  runtime: open({
    plan_timeout_ms: Schema.optionalKey(Count),
    max_session_duration_ms: Schema.optionalKey(Count),
    max_tool_calls: Schema.optionalKey(Count),
    max_payload_bytes: Schema.optionalKey(Count),
    max_cost_cents: Schema.optionalKey(NotNegative)
  }),
  attachments: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        artifact_id: Schema.String,
        media_type: Schema.String,
        sha256: Schema.String,
        uri: Schema.String
      })
    )
  ),
  trace: Schema.Struct({ trace_id: TraceID, span_id: SpanID, trace_flags: Text, tracestate: Text, baggage: Text })
})
export type InvokeAgent = typeof InvokeAgent.Type

/** The budget that the hints of a request ask for. */
export const budgetOf = ({ runtime }: InvokeAgent): RunBudget => ({
  ...(runtime.max_tool_calls === undefined ? {} : { max_tool_calls: runtime.max_tool_calls }),
  ...(runtime.max_cost_cents === undefined ? {} : { max_cost_cents: runtime.max_cost_cents }),
  ...(runtime.max_session_duration_ms === undefined ? {} : { wall_clock_ms: runtime.max_session_duration_ms }),
  ...(runtime.plan_timeout_ms === undefined ? {} : { plan_timeout_ms: runtime.plan_timeout_ms })
})
