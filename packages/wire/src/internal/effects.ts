/** What each leaf can say about the world outside. */
import type { SideEffect } from "@haft/core/SideEffect"
import type { Tag } from "../Leaf.ts"

/** The effects that are possible for a leaf. `Unknown` beside `Success.Effect` is for wires that cannot tell. */
export const effectsOf: Readonly<Record<Tag, ReadonlyArray<SideEffect["_tag"]>>> = {
  "Success.Read": ["None"],
  "Success.Effect": ["Committed", "Unknown"],
  Prepared: ["None"],
  "Pending.Approval": ["NotStarted"],
  "Pending.External": ["NotStarted", "None", "Unknown"],
  "Rejected.UnknownTool": ["NotStarted"],
  "Rejected.InvalidInput": ["NotStarted"],
  "Rejected.Stale": ["NotStarted"],
  "Rejected.VersionUnresolved": ["NotStarted"],
  "Rejected.ContractVersion": ["NotStarted"],
  "Rejected.IdempotencyConflict": ["NotStarted"],
  "Denied.Policy": ["NotStarted", "None", "Committed", "Unknown"],
  "Denied.Permission": ["NotStarted"],
  "Denied.Approver": ["NotStarted", "None", "Committed", "Unknown"],
  "Denied.ApprovalExpired": ["NotStarted"],
  "Denied.Budget": ["NotStarted"],
  "Failure.InvalidArguments": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.NotFound": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.Precondition": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.AuthInvalid": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.AuthExpired": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.AuthForbidden": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.RateLimited": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.Upstream": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.Unavailable": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.DataInvalid": ["NotStarted", "None", "Committed", "Unknown"],
  "Failure.ExecutionFailed": ["NotStarted", "None", "Committed", "Unknown"],
  "TimedOut.EffectNone": ["NotStarted", "None", "Unknown"],
  "TimedOut.EffectUnknown": ["Unknown", "Committed"],
  Interrupted: ["NotStarted", "None", "Committed", "Unknown"],
  "Operational.Defect": ["NotStarted", "None", "Committed", "Unknown"],
  "Operational.InvalidOutput": ["None", "Committed", "Unknown"],
  "Operational.SecretResolution": ["NotStarted"],
  "Operational.IsolationUnavailable": ["NotStarted"],
  "Operational.ConfigInvalid": ["NotStarted", "None"],
  "Operational.Protocol": ["NotStarted", "None", "Committed", "Unknown"],
  "Operational.RetentionFailed": ["None", "Committed", "Unknown"]
}
