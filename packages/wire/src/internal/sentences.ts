/** Every sentence of this package that a model, or whoever reads an envelope, gets to see. */
import type { Tag } from "../Leaf.ts"

/** What is said of a leaf whose maker said nothing: what happened, and what to do next. */
const texts: Readonly<Record<Exclude<Tag, Wordless>, readonly [message: string, hint: string]>> = {
  "Pending.Approval": ["Waiting for approval", "wait for the decision"],
  "Pending.External": ["Accepted; the result is not ready", "ask again after retry_after_ms"],
  "Rejected.UnknownTool": ["No such tool", "use an advertised tool name"],
  "Rejected.InvalidInput": ["Input does not match the schema", "correct the listed fields"],
  "Rejected.Stale": ["The tool changed since it was advertised", "call it again on the next turn"],
  "Rejected.VersionUnresolved": ["No usable version of the tool", "request a published version or update the lock"],
  "Rejected.ContractVersion": ["Unsupported contract version", "send the supported version"],
  "Rejected.IdempotencyConflict": ["The idempotency key belongs to another input", "use a new key"],
  "Denied.Policy": ["Not allowed by policy", "choose another way; do not repeat the call"],
  "Denied.Permission": ["A permission is missing", "ask for the listed permission"],
  "Denied.Approver": ["Refused by a person", "follow the feedback; do not repeat the call"],
  "Denied.ApprovalExpired": ["The approval expired", "ask for a new approval"],
  "Denied.Budget": ["A run budget is used up", "finish with what is known or raise the budget"],
  "Failure.InvalidArguments": ["The tool refused the arguments", "correct the listed arguments"],
  "Failure.NotFound": ["Not found", "check the name or list the parent"],
  "Failure.Precondition": ["A precondition is not met", "meet the condition, then call again"],
  "Failure.AuthInvalid": ["The credential was refused", "renew the credential"],
  "Failure.AuthExpired": ["The credential expired", "repeat once with the refreshed credential"],
  "Failure.AuthForbidden": ["The credential lacks access", "grant the missing scope"],
  "Failure.RateLimited": ["Rate limited", "wait retry_after_ms"],
  "Failure.Upstream": ["An upstream service failed for now", "retry with backoff"],
  "Failure.Unavailable": ["The tool is not available", "retry once, then tell the owner"],
  "Failure.DataInvalid": ["The data failed a quality check", "repair the data"],
  "Failure.ExecutionFailed": ["The tool ran and failed", "read the details and change the call"],
  "TimedOut.EffectNone": ["Time ran out; repeating is safe", "retry, or raise the timeout"],
  "TimedOut.EffectUnknown": [
    "Time ran out; the effect may or may not have happened",
    "verify the state before repeating"
  ],
  Interrupted: ["Cancelled", "start again if it is still wanted"],
  "Operational.Defect": ["Internal fault in the tool", "retry once, then tell the owner"],
  "Operational.InvalidOutput": ["The tool returned an invalid result", "tell the owner"],
  "Operational.SecretResolution": ["A required secret is not available", "provide the named secret"],
  "Operational.IsolationUnavailable": ["The required isolation is not available", "enable it or run elsewhere"],
  "Operational.ConfigInvalid": ["The tool is configured wrongly", "correct the named setting"],
  "Operational.Protocol": ["The other side broke the contract", "retry later, then tell the owner"],
  "Operational.RetentionFailed": ["The result could not be stored", "check the storage; the effect is recorded"]
}

/** Nothing went wrong, so there is nothing to say. */
type Wordless = "Success.Read" | "Success.Effect" | "Prepared"

/** The message and the hint of a leaf that has room for them. */
export const textOf = (tag: Tag): { readonly message?: string; readonly hint?: string } => {
  if (tag === "Success.Read" || tag === "Success.Effect" || tag === "Prepared") return {}
  const [message, hint] = texts[tag]
  return { message, hint }
}

/** For a contract in which a call that waits for its second phase has an error. */
export const prepared = {
  message: "Prepared, not committed",
  hint: "commit before the deadline or let it roll back"
}

/** Tells a model that a success is only half of one. */
export const notCommitted = (token: string, deadline: number | undefined): string => {
  const until = deadline === undefined ? "" : ` before ${deadline} ms since the epoch`
  return `prepared, not committed: commit with the token ${token}${until}`
}

/** For a contract that has one text for everything, each on a line of its own. */
export const appended = (said: {
  readonly hint?: string | undefined
  readonly feedback?: string | undefined
}): string =>
  [
    ...(said.hint === undefined ? [] : [`\nHint: ${said.hint}`]),
    ...(said.feedback === undefined ? [] : [`\nFeedback: ${said.feedback}`])
  ].join("")

/** `what` is the contract and the envelope, as in "orloj request". */
export const invalidEnvelope = (what: string, violations: ReadonlyArray<Described>, omitted: number): string => {
  const lines = violations.map(
    ({ expected, path, received }) => `- ${at(path)}: expected ${expected}; received ${received}`
  )
  const more = omitted === 0 ? [] : [`- and ${omitted} more`]
  return [`This is not a valid ${what}:`, ...lines, ...more].join("\n")
}

interface Described {
  readonly path: string
  readonly expected: string
  readonly received: string
}

const at = (path: string): string => (path === "" ? "the document" : path)

/** `received` is as much of a version as it takes to recognise it. */
export const unsupportedVersion = (field: string, expected: string, received: string): string =>
  `${field} has to be ${expected}, and is ${received}`

/** A request that a contract has no words for. */
export const unencodable = (what: string, path: string, expected: string): string =>
  `This call cannot be written as ${what}: ${path} has to be ${expected}`

export const equalKeys = "the same idempotency key in both places"
