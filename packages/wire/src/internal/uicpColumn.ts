/** uicp's column of the mapping table: the status and the code of each leaf, and what a code means without a slot. */
import type { Retry } from "../Retry.ts"
import { type Leaf, type Tag, tags } from "../Leaf.ts"
import type { Fallback } from "./answers.ts"

/** How a call ended. There is no other way, except for the first of two phases. */
export type Status = "success" | "success_prep" | "retryable_error" | "terminal_error" | "invalid_request"

/** Where a code ends in a dash, the cause follows. */
export const column: Readonly<Record<Tag, readonly [status: Status, code?: string]>> = {
  "Success.Read": ["success"],
  "Success.Effect": ["success"],
  Prepared: ["success_prep"],
  "Pending.Approval": ["terminal_error", "P-PRECOND-APPROVAL-PENDING"],
  "Pending.External": ["retryable_error", "P-PRECOND-PENDING"],
  "Rejected.UnknownTool": ["invalid_request", "I-REQ-UNKNOWN-TOOL"],
  "Rejected.InvalidInput": ["invalid_request", "I-REQ-SCHEMA"],
  "Rejected.Stale": ["terminal_error", "C-CONTRACT-STALE"],
  "Rejected.VersionUnresolved": ["terminal_error", "C-CONTRACT-VERSION"],
  "Rejected.ContractVersion": ["terminal_error", "C-CONTRACT-ENVELOPE"],
  "Rejected.IdempotencyConflict": ["invalid_request", "I-REQ-IDEMPOTENCY"],
  "Denied.Policy": ["terminal_error", "A-AUTH-POLICY"],
  "Denied.Permission": ["terminal_error", "A-AUTH-PERMISSION"],
  "Denied.Approver": ["terminal_error", "A-AUTH-APPROVAL-DENIED"],
  "Denied.ApprovalExpired": ["terminal_error", "A-AUTH-APPROVAL-EXPIRED"],
  "Denied.Budget": ["terminal_error", "P-PRECOND-BUDGET"],
  "Failure.InvalidArguments": ["invalid_request", "I-REQ-ARGUMENT"],
  "Failure.NotFound": ["terminal_error", "P-PRECOND-NOT-FOUND"],
  "Failure.Precondition": ["terminal_error", "P-PRECOND-FAILED"],
  "Failure.AuthInvalid": ["terminal_error", "A-AUTH-INVALID"],
  "Failure.AuthExpired": ["terminal_error", "A-AUTH-EXPIRED"],
  "Failure.AuthForbidden": ["terminal_error", "A-AUTH-FORBIDDEN"],
  "Failure.RateLimited": ["retryable_error", "R-CAP-429"],
  "Failure.Upstream": ["retryable_error", "R-UPSTREAM-"],
  "Failure.Unavailable": ["retryable_error", "S-TOOL-UNAVAILABLE"],
  "Failure.DataInvalid": ["terminal_error", "D-DATA-INVALID"],
  "Failure.ExecutionFailed": ["terminal_error", "P-PRECOND-EXECUTION"],
  "TimedOut.EffectNone": ["retryable_error", "R-TIMEOUT-001"],
  "TimedOut.EffectUnknown": ["terminal_error", "R-TIMEOUT-001"],
  Interrupted: ["terminal_error", "P-PRECOND-CANCELED"],
  "Operational.Defect": ["retryable_error", "S-TOOL-FAULT"],
  "Operational.InvalidOutput": ["terminal_error", "C-CONTRACT-OUTPUT"],
  "Operational.SecretResolution": ["terminal_error", "A-AUTH-SECRET"],
  "Operational.IsolationUnavailable": ["terminal_error", "P-PRECOND-ISOLATION"],
  "Operational.ConfigInvalid": ["terminal_error", "C-CONTRACT-CONFIG"],
  "Operational.Protocol": ["retryable_error", "R-UPSTREAM-PROTOCOL"],
  "Operational.RetentionFailed": ["terminal_error", "P-PRECOND-RETENTION"]
}

/** Replaces a code that would promise a retry which is not safe, because a subcode may not change its class's rule. */
export const effectUnknown = "P-PRECOND-EFFECT-UNKNOWN"

const promising = new Set(["R-UPSTREAM", "R-CAP", "S-TOOL"])

/** The class of a code: its first two words. */
const classOf = (code: string): string => code.split("-").slice(0, 2).join("-")

/** Whether the code of a leaf would promise a retry. */
export const promises = (tag: Tag): boolean => promising.has(classOf(column[tag][1] ?? ""))

/** The status says what the runtime may do; only a failure that asks for it turns a terminal one around. */
export const statusOf = (tag: Tag, { runtime }: Retry): Status => {
  const [status] = column[tag]
  if (status === "retryable_error" && runtime === "never") return "terminal_error"
  return tag === "Failure.ExecutionFailed" && runtime !== "never" ? "retryable_error" : status
}

/** A symbol that may end a code, and is no other leaf's. */
const symbol = /^(?!PROTOCOL$)[A-Z0-9][A-Z0-9_]*(?:-[A-Z0-9_]+)*$/

/** The code of a leaf that has one. */
export const codeOf = (leaf: Leaf): string => {
  const [, code = ""] = column[leaf._tag]
  if (leaf._tag !== "Failure.Upstream") return code
  if (leaf.status !== undefined) return `${code}${leaf.status}`
  return code + (leaf.cause !== undefined && symbol.test(leaf.cause) ? leaf.cause : "UNKNOWN")
}

/** Whether a leaf could have been sent with this code. */
export const mayHaveCode = (tag: Tag, { runtime }: Retry, code: string): boolean => {
  if (code === effectUnknown) return runtime === "never" && promises(tag)
  const [, own] = column[tag]
  return tag === "Failure.Upstream" ? code.startsWith(own ?? code) : code === own
}

/** `R-TIMEOUT` depends on the call, and what ends in a dash is a class. */
const byCode = new Map(
  tags.flatMap((tag): ReadonlyArray<readonly [string, Tag]> => {
    const [, code] = column[tag]
    return code === undefined || code.endsWith("-") || classOf(code) === "R-TIMEOUT" ? [] : [[code, tag]]
  })
)

const byClass: ReadonlyMap<string, Fallback> = new Map<string, Fallback>([
  ["R-TIMEOUT", "by-repeat-safety"],
  ["R-CAP", "Failure.RateLimited"],
  ["R-UPSTREAM", "Failure.Upstream"],
  ["R-HTTP", "Failure.Upstream"],
  ["S-TOOL", "Operational.Defect"],
  ["I-REQ", "Failure.InvalidArguments"],
  ["A-AUTH", "Failure.AuthInvalid"],
  ["P-PRECOND", "Failure.Precondition"],
  ["C-CONTRACT", "Rejected.VersionUnresolved"],
  ["D-DATA", "Failure.DataInvalid"]
])

const rateLimits = new Set(["R-HTTP-429", "R-UPSTREAM-429"])

/** What a code means where no slot says more. */
export const fallbackOf = (status: Status, code: string): Fallback => {
  if (rateLimits.has(code)) return "Failure.RateLimited"
  return byCode.get(code) ?? byClass.get(classOf(code)) ?? ofStrangeClass(status)
}

const ofStrangeClass = (status: Status): Tag => {
  if (status === "retryable_error") return "Failure.Upstream"
  return status === "invalid_request" ? "Failure.InvalidArguments" : "Failure.ExecutionFailed"
}

/** What the end of a code tells about an upstream service. */
export const upstreamOf = (code: string): { readonly status?: number; readonly cause?: string } => {
  const [, suffix] = /^R-(?:UPSTREAM|HTTP)-(.+)$/.exec(code) ?? []
  if (suffix === undefined || suffix === "UNKNOWN") return {}
  return /^\d{3}$/.test(suffix) ? { status: Number(suffix) } : { cause: suffix }
}
