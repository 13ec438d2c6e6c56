/** Orloj's column of the mapping table: the status and the code of each leaf, and what each code implies. */
import type { Tag } from "../Leaf.ts"
import type { Fallback } from "./answers.ts"

/** The reason that each code implies. */
export const reasons = {
  invalid_input: "tool_invalid_input",
  unsupported_tool: "tool_unsupported",
  runtime_policy_invalid: "tool_runtime_policy_invalid",
  isolation_unavailable: "tool_isolation_unavailable",
  permission_denied: "tool_permission_denied",
  secret_resolution_failed: "tool_secret_resolution_failed",
  timeout: "tool_execution_timeout",
  canceled: "tool_execution_canceled",
  execution_failed: "tool_backend_failure",
  auth_invalid: "tool_auth_invalid",
  auth_forbidden: "tool_auth_forbidden",
  auth_expired: "tool_auth_expired",
  approval_pending: "tool_approval_pending",
  approval_denied: "tool_approval_denied",
  approval_timeout: "tool_approval_timeout"
} as const

/** Nothing: the contract has no envelope for it. */
type Cell =
  | readonly ["ok", code?: undefined]
  | readonly ["error" | "denied", keyof typeof reasons]
  | readonly [status?: undefined, code?: undefined]

export const column: Readonly<Record<Tag, Cell>> = {
  "Success.Read": ["ok"],
  "Success.Effect": ["ok"],
  Prepared: ["ok"],
  "Pending.Approval": ["error", "approval_pending"],
  "Pending.External": [],
  "Rejected.UnknownTool": ["error", "unsupported_tool"],
  "Rejected.InvalidInput": ["error", "invalid_input"],
  "Rejected.Stale": ["error", "unsupported_tool"],
  "Rejected.VersionUnresolved": ["error", "unsupported_tool"],
  "Rejected.ContractVersion": ["error", "invalid_input"],
  "Rejected.IdempotencyConflict": ["error", "invalid_input"],
  "Denied.Policy": ["denied", "permission_denied"],
  "Denied.Permission": ["denied", "permission_denied"],
  "Denied.Approver": ["denied", "approval_denied"],
  "Denied.ApprovalExpired": ["denied", "approval_timeout"],
  "Denied.Budget": ["denied", "permission_denied"],
  "Failure.InvalidArguments": ["error", "invalid_input"],
  "Failure.NotFound": ["error", "execution_failed"],
  "Failure.Precondition": ["error", "execution_failed"],
  "Failure.AuthInvalid": ["error", "auth_invalid"],
  "Failure.AuthExpired": ["error", "auth_expired"],
  "Failure.AuthForbidden": ["error", "auth_forbidden"],
  "Failure.RateLimited": ["error", "execution_failed"],
  "Failure.Upstream": ["error", "execution_failed"],
  "Failure.Unavailable": ["error", "execution_failed"],
  "Failure.DataInvalid": ["error", "execution_failed"],
  "Failure.ExecutionFailed": ["error", "execution_failed"],
  "TimedOut.EffectNone": ["error", "timeout"],
  "TimedOut.EffectUnknown": ["error", "timeout"],
  Interrupted: ["error", "canceled"],
  "Operational.Defect": ["error", "execution_failed"],
  "Operational.InvalidOutput": ["error", "execution_failed"],
  "Operational.SecretResolution": ["error", "secret_resolution_failed"],
  "Operational.IsolationUnavailable": ["error", "isolation_unavailable"],
  "Operational.ConfigInvalid": ["error", "runtime_policy_invalid"],
  "Operational.Protocol": ["error", "execution_failed"],
  "Operational.RetentionFailed": ["error", "execution_failed"]
}

/** What a code means where no slot says more. */
export const fallbacks: ReadonlyMap<string, Fallback> = new Map<string, Fallback>([
  ["approval_pending", "Pending.Approval"],
  ["approval_denied", "Denied.Approver"],
  ["approval_timeout", "Denied.ApprovalExpired"],
  ["permission_denied", "Denied.Policy"],
  ["invalid_input", "Failure.InvalidArguments"],
  ["unsupported_tool", "Rejected.UnknownTool"],
  ["auth_invalid", "Failure.AuthInvalid"],
  ["auth_expired", "Failure.AuthExpired"],
  ["auth_forbidden", "Failure.AuthForbidden"],
  ["timeout", "by-repeat-safety"],
  ["canceled", "Interrupted"],
  ["secret_resolution_failed", "Operational.SecretResolution"],
  ["isolation_unavailable", "Operational.IsolationUnavailable"],
  ["runtime_policy_invalid", "Operational.ConfigInvalid"]
])
