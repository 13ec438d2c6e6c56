/**
 * Whether a call may be made again: by the runtime, which would send it as it was, and by the model, which may change its
 * arguments. The two are different questions, and each contract asks one of them.
 */
import type { SideEffect } from "@haft/core/SideEffect"
import type * as Tool from "@haft/core/Tool"
import type * as ToolFailure from "@haft/core/ToolFailure"
import * as Schema from "effect/Schema"
import type { Tag } from "./Leaf.ts"

/** `once`: one repeat. `after`: not before the time that the answer names, or like `backoff` if it names none. */
export const Runtime = Schema.Literals(["never", "once", "backoff", "after"])
export type Runtime = typeof Runtime.Type

/** `correctable`: with other arguments. `verify-first`: look at the state before repeating anything. */
export const Model = Schema.Literals(["n/a", "no", "yes", "correctable", "next-turn", "verify-first"])
export type Model = typeof Model.Type

export const Retry = Schema.Struct({ runtime: Runtime, model: Model })
export type Retry = typeof Retry.Type

/** Before anything about the call is known. `declared`: the failure itself says. */
const rows: Readonly<Record<Tag, readonly [runtime: Runtime | "declared", model: Model]>> = {
  "Success.Read": ["never", "n/a"],
  "Success.Effect": ["never", "n/a"],
  Prepared: ["never", "n/a"],
  "Pending.Approval": ["never", "no"],
  "Pending.External": ["after", "next-turn"],
  "Rejected.UnknownTool": ["never", "no"],
  "Rejected.InvalidInput": ["never", "correctable"],
  "Rejected.Stale": ["never", "next-turn"],
  "Rejected.VersionUnresolved": ["never", "no"],
  "Rejected.ContractVersion": ["never", "no"],
  "Rejected.IdempotencyConflict": ["never", "no"],
  "Denied.Policy": ["never", "no"],
  "Denied.Permission": ["never", "no"],
  "Denied.Approver": ["never", "no"],
  "Denied.ApprovalExpired": ["never", "no"],
  "Denied.Budget": ["never", "no"],
  "Failure.InvalidArguments": ["never", "correctable"],
  "Failure.NotFound": ["never", "correctable"],
  "Failure.Precondition": ["never", "no"],
  "Failure.AuthInvalid": ["never", "no"],
  "Failure.AuthExpired": ["once", "no"],
  "Failure.AuthForbidden": ["never", "no"],
  "Failure.RateLimited": ["after", "yes"],
  "Failure.Upstream": ["backoff", "yes"],
  "Failure.Unavailable": ["once", "yes"],
  "Failure.DataInvalid": ["never", "no"],
  "Failure.ExecutionFailed": ["declared", "yes"],
  "TimedOut.EffectNone": ["backoff", "yes"],
  "TimedOut.EffectUnknown": ["never", "verify-first"],
  Interrupted: ["never", "n/a"],
  "Operational.Defect": ["once", "n/a"],
  "Operational.InvalidOutput": ["never", "n/a"],
  "Operational.SecretResolution": ["never", "n/a"],
  "Operational.IsolationUnavailable": ["never", "n/a"],
  "Operational.ConfigInvalid": ["never", "n/a"],
  "Operational.Protocol": ["backoff", "n/a"],
  "Operational.RetentionFailed": ["never", "n/a"]
}

/** What is known about repeating the same call. */
export interface Repeating {
  readonly determinism?: Tool.Annotations["determinism"] | undefined
  /** An idempotency key makes a repeat of an idempotent tool the same call. */
  readonly hasKey?: boolean
}

/** True if sending the identical call again cannot do anything twice. */
export const isRepeatSafe = (effect: SideEffect, { determinism, hasKey }: Repeating): boolean =>
  effect._tag === "NotStarted" ||
  effect._tag === "None" ||
  determinism === "pure" ||
  (determinism === "idempotent" && hasKey === true)

/** A call that ended. */
export interface Ended {
  readonly tag: Tag
  /** What the failure itself said about repeating. */
  readonly advice?: ToolFailure.Retry | undefined
  readonly effect: SideEffect
  /** How many were made. */
  readonly attempts: number
}

/** The retry of a call, from the row of its leaf and from what is known about the call. */
export const resolve = (ended: Ended, repeating: Repeating): Retry => {
  const [, model] = rows[ended.tag]
  return makeSafe({ runtime: runtimeOf(ended), model }, ended, repeating)
}

/** Takes back the permission to repeat where a repeat could do something twice. */
export const makeSafe = (retry: Retry, { effect, tag }: Pick<Ended, "effect" | "tag">, repeating: Repeating): Retry =>
  retry.runtime === "never" || tag === "Pending.External" || isRepeatSafe(effect, repeating)
    ? retry
    : { runtime: "never", model: retry.model === "n/a" ? "n/a" : "verify-first" }

/** Does not look at effects. */
const runtimeOf = ({ advice, attempts, tag }: Ended): Runtime => {
  const [runtime] = rows[tag]
  if (runtime === "declared") return advice?.runtime === true ? "backoff" : "never"
  return runtime === "once" && attempts >= 2 ? "never" : runtime
}

/** Whether any call with this leaf could have this retry. */
export const isPossible = (tag: Tag, { model, runtime }: Retry): boolean => {
  const [ownRuntime, ownModel] = rows[tag]
  const isOwn = runtime === ownRuntime || (ownRuntime === "declared" && runtime === "backoff")
  return (isOwn && model === ownModel) || (runtime === "never" && (model === ownModel || model === "verify-first"))
}

/** True if a repeat was taken back because of what the call may have done. */
export const isUnsafe = (ended: Ended & { readonly retry: Retry }): boolean => {
  const { effect, retry, tag } = ended
  if (tag === "Pending.External" || retry.runtime !== "never" || runtimeOf(ended) === "never") return false
  const isPossible = effect._tag === "Committed" || effect._tag === "Unknown"
  return isPossible && (retry.model === "verify-first" || retry.model === "n/a")
}
