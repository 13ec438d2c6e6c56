/** ContextOS' column of the mapping table: the status and the error code of each leaf, and what a status means alone. */
import { type Tag, tags } from "../Leaf.ts"

/** The path to the tool broke: `failed`. The tool itself declared it: `error`. */
export type Status = "ok" | "completed" | "paused" | "blocked" | "rejected" | "failed" | "error"

export const column: Readonly<Record<Tag, readonly [status: Status, code?: string]>> = {
  "Success.Read": ["ok"],
  "Success.Effect": ["completed"],
  Prepared: ["paused", "awaiting_commit"],
  "Pending.Approval": ["paused", "approval_pending"],
  "Pending.External": ["paused", "external_pending"],
  "Rejected.UnknownTool": ["rejected", "unknown_capability"],
  "Rejected.InvalidInput": ["rejected", "invalid_args"],
  "Rejected.Stale": ["rejected", "stale_capability"],
  "Rejected.VersionUnresolved": ["rejected", "version_unresolved"],
  "Rejected.ContractVersion": ["rejected", "unsupported_envelope_version"],
  "Rejected.IdempotencyConflict": ["rejected", "idempotency_conflict"],
  "Denied.Policy": ["blocked", "policy_denied"],
  "Denied.Permission": ["rejected", "unauthorized"],
  "Denied.Approver": ["blocked", "approval_denied"],
  "Denied.ApprovalExpired": ["blocked", "approval_expired"],
  "Denied.Budget": ["blocked", "budget_exhausted"],
  "Failure.InvalidArguments": ["error", "invalid_arguments"],
  "Failure.NotFound": ["error", "not_found"],
  "Failure.Precondition": ["error", "precondition_failed"],
  "Failure.AuthInvalid": ["failed", "auth_invalid"],
  "Failure.AuthExpired": ["failed", "auth_expired"],
  "Failure.AuthForbidden": ["failed", "auth_forbidden"],
  "Failure.RateLimited": ["failed", "rate_limited"],
  "Failure.Upstream": ["failed", "upstream_transient"],
  "Failure.Unavailable": ["failed", "tool_unavailable"],
  "Failure.DataInvalid": ["error", "data_invalid"],
  "Failure.ExecutionFailed": ["error", "execution_failed"],
  "TimedOut.EffectNone": ["failed", "timeout"],
  "TimedOut.EffectUnknown": ["failed", "timeout_effect_unknown"],
  Interrupted: ["failed", "canceled"],
  "Operational.Defect": ["failed", "internal_fault"],
  "Operational.InvalidOutput": ["failed", "invalid_output"],
  "Operational.SecretResolution": ["failed", "secret_resolution_failed"],
  "Operational.IsolationUnavailable": ["failed", "isolation_unavailable"],
  "Operational.ConfigInvalid": ["failed", "config_invalid"],
  "Operational.Protocol": ["failed", "protocol_violation"],
  "Operational.RetentionFailed": ["failed", "retention_failed"]
}

const rows = new Map(tags.map((tag) => [column[tag].join("/"), tag]))

/** The leaf with exactly this status and code. */
const exact = (status: Status, code: string | undefined): Tag | undefined =>
  code === undefined ? undefined : rows.get(`${status}/${code}`)

const alone: Readonly<Record<Status, Tag>> = {
  ok: "Success.Read",
  completed: "Success.Effect",
  paused: "Pending.External",
  blocked: "Denied.Policy",
  rejected: "Denied.Permission",
  failed: "Failure.ExecutionFailed",
  error: "Failure.ExecutionFailed"
}

/** What is said where no slot says more. */
export const fallbackOf = (status: Status, code: string | undefined, isRetryable: boolean): Tag =>
  exact(status, code) ?? (status === "failed" && isRetryable ? "Failure.Upstream" : alone[status])
