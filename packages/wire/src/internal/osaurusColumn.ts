/** Osaurus' column of the mapping table: the kind of each failure, and whether a model should try again. */
import type { Retry as Advice } from "@haft/core/ToolFailure"
import type { Tag } from "../Leaf.ts"
import type { Fallback } from "./answers.ts"

/** Whether another try makes sense, for whoever is not told. */
export const defaults = {
  invalid_args: true,
  rejected: false,
  user_denied: false,
  timeout: true,
  execution_error: true,
  not_found: false,
  unavailable: true,
  tool_not_found: false
} as const

export type Kind = keyof typeof defaults

export const kinds = [
  "invalid_args",
  "rejected",
  "user_denied",
  "timeout",
  "execution_error",
  "not_found",
  "unavailable",
  "tool_not_found"
] as const

/** Empty for a success; nothing where the contract has no envelope. */
type Cell = readonly [kind: Kind, retryable: boolean] | readonly []

export const column: Readonly<Record<Exclude<Tag, "Interrupted">, Cell>> = {
  "Success.Read": [],
  "Success.Effect": [],
  Prepared: [],
  "Pending.Approval": ["unavailable", false],
  "Pending.External": ["unavailable", true],
  "Rejected.UnknownTool": ["tool_not_found", false],
  "Rejected.InvalidInput": ["invalid_args", true],
  "Rejected.Stale": ["unavailable", true],
  "Rejected.VersionUnresolved": ["unavailable", false],
  "Rejected.ContractVersion": ["unavailable", false],
  "Rejected.IdempotencyConflict": ["invalid_args", false],
  "Denied.Policy": ["rejected", false],
  "Denied.Permission": ["rejected", false],
  "Denied.Approver": ["user_denied", false],
  "Denied.ApprovalExpired": ["rejected", false],
  "Denied.Budget": ["rejected", false],
  "Failure.InvalidArguments": ["invalid_args", true],
  "Failure.NotFound": ["not_found", false],
  "Failure.Precondition": ["execution_error", false],
  "Failure.AuthInvalid": ["unavailable", false],
  "Failure.AuthExpired": ["unavailable", true],
  "Failure.AuthForbidden": ["execution_error", false],
  "Failure.RateLimited": ["unavailable", true],
  "Failure.Upstream": ["execution_error", true],
  "Failure.Unavailable": ["unavailable", true],
  "Failure.DataInvalid": ["execution_error", false],
  "Failure.ExecutionFailed": ["execution_error", true],
  "TimedOut.EffectNone": ["timeout", true],
  "TimedOut.EffectUnknown": ["timeout", false],
  "Operational.Defect": ["execution_error", false],
  "Operational.InvalidOutput": ["execution_error", false],
  "Operational.SecretResolution": ["unavailable", false],
  "Operational.IsolationUnavailable": ["unavailable", false],
  "Operational.ConfigInvalid": ["unavailable", false],
  "Operational.Protocol": ["execution_error", true],
  "Operational.RetentionFailed": ["execution_error", false]
}

/** The failure that a leaf is shown as, if it is one. */
export const cellOf = (tag: Tag): { readonly kind: Kind; readonly retryable: boolean } | undefined => {
  const [kind, retryable] = tag === "Interrupted" ? [] : column[tag]
  return kind === undefined || retryable === undefined ? undefined : { kind, retryable }
}

export const isSuccess = (tag: Tag): boolean => tag !== "Interrupted" && column[tag].length === 0

/** What the flag depends on besides the leaf. */
interface Circumstances {
  readonly advice: Advice | undefined
  readonly attempts: number
  /** A repeat could do something twice. */
  readonly isUnsafe: boolean
}

/** Whether a model should try again. An expired credential has been renewed once, and not a second time. */
export const retryableOf = (tag: Tag, { advice, attempts, isUnsafe }: Circumstances): boolean => {
  if (isUnsafe || (tag === "Failure.AuthExpired" && attempts >= 2)) return false
  return advice?.model ?? cellOf(tag)?.retryable ?? false
}

/** What a kind means where no slot says more. */
export const fallbacks: Readonly<Record<Kind, Fallback>> = {
  invalid_args: "Failure.InvalidArguments",
  rejected: "Denied.Policy",
  user_denied: "Denied.Approver",
  timeout: "by-repeat-safety",
  execution_error: "Failure.ExecutionFailed",
  not_found: "Failure.NotFound",
  unavailable: "Failure.Unavailable",
  tool_not_found: "Rejected.UnknownTool"
}
