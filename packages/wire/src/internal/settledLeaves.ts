/** The leaves of settlements, and of the errors that stand in for one. */
import type { SettleError } from "@haft/core/Materialization"
import type * as Settlement from "@haft/core/Settlement"
import * as SideEffect from "@haft/core/SideEffect"
import type * as ToolFailure from "@haft/core/ToolFailure"
import * as Struct from "effect/Struct"
import * as Leaf from "../Leaf.ts"
import { isRepeatSafe, type Repeating } from "../Retry.ts"
import { compact } from "./compact.ts"

/** Enough of a key to recognise it, and not enough to use it. */
const keyLength = 8

export const leafOf = (settlement: Settlement.Settlement, repeating: Repeating): Leaf.Leaf => {
  switch (settlement._tag) {
    case "Succeeded": {
      // Nothing to check, and of most calls: the registry has encoded the output, and the tag is one of two.
      const { structured: output } = settlement.output
      return { _tag: isPossible(settlement.effect) ? "Success.Effect" : "Success.Read", output }
    }
    case "Failed":
      return ofFailure(settlement.failure, settlement.effect, repeating)
    case "Rejected":
      return ofRejection(settlement)
  }
}

/** Something changed, or may have. */
export const isPossible = ({ _tag }: SideEffect.SideEffect): boolean => _tag === "Committed" || _tag === "Unknown"

const ofRejection = ({ context, message, name, rejection }: Settlement.Rejected): Leaf.Leaf => {
  const said = message === "" ? {} : { message }
  switch (rejection._tag) {
    case "UnknownTool":
      return Leaf.make("Rejected.UnknownTool", { ...said, name })
    case "StaleCall":
      return Leaf.make("Rejected.Stale", { ...said, advertised: name })
    case "InvalidInput": {
      const { violations, violationsOmitted } = rejection
      return Leaf.make("Rejected.InvalidInput", {
        ...said,
        violations,
        ...(violationsOmitted === 0 ? {} : { violationsOmitted })
      })
    }
    case "DuplicateCall":
      return Leaf.make("Rejected.IdempotencyConflict", {
        ...said,
        key: context.toolCallID.slice(0, keyLength).toWellFormed()
      })
  }
}

const ofFailure = (
  failure: ToolFailure.ToolFailure,
  effect: SideEffect.SideEffect,
  repeating: Repeating
): Leaf.Leaf => {
  const { details, field, hint, message, partial, reason } = failure
  const stopped = { ...(message === "" ? {} : { message }), ...compact({ hint, field, details, partial }) }
  if (reason._tag === "Denied") return ofDenial(reason, stopped)
  if (reason._tag !== "TimedOut") return Leaf.fromFailure(reason, failure)
  const isSafe = effect._tag !== "Committed" && isRepeatSafe(effect, repeating)
  const limit = { boundBy: reason.boundBy, timeoutMs: reason.limitMs }
  return Leaf.make(isSafe ? "TimedOut.EffectNone" : "TimedOut.EffectUnknown", { ...stopped, ...limit })
}

type Denial = Extract<ToolFailure.Reason, { readonly _tag: "Denied" }>

/** A leaf asked, and was refused. */
const ofDenial = (denial: Denial, stopped: Omit<Leaf.Options<"Denied.Policy">, "origin" | "by">): Leaf.Leaf => {
  const fields = { ...stopped, ...Struct.omit(denial, ["_tag"]), origin: "tool" } as const
  return Leaf.make(denial.by === "user" ? "Denied.Approver" : "Denied.Policy", fields)
}

/** What is known about a call that ended without a settlement. */
export interface Stopped {
  readonly leaf: Leaf.Leaf
  readonly effect: SideEffect.SideEffect
}

/** `ref` leads to the cause, which is never told. `effect` is what a call that was stopped may have done. */
export const ofError = (
  error: SettleError,
  { callId, effect, ref }: { readonly callId: string; readonly effect: SideEffect.SideEffect; readonly ref: string }
): Stopped => {
  switch (error._tag) {
    case "InvalidOutput":
      return { leaf: Leaf.make("Operational.InvalidOutput", { ref }), effect }
    case "OutputStore.StorageError":
      return { leaf: Leaf.make("Operational.RetentionFailed", { ref }), effect }
    case "SettlementStore.StorageError":
      return {
        leaf: Leaf.make("Operational.RetentionFailed", { ref }),
        effect: wasEntered(error) ? effect : SideEffect.none
      }
    case "Materialization.CallInProgress":
      return { leaf: Leaf.make("Pending.External", { requestId: callId }), effect }
    case "Materialization.CallAlreadyEnded":
      return { leaf: endedEarlier(error.end, ref), effect: error.effect }
    case "Materialization.SelfInterrupted":
      return { leaf: Leaf.make("Operational.Defect", { ref }), effect: error.effect }
  }
}

/** Before a call has begun no executor runs. */
const wasEntered = ({ operation }: Extract<SettleError, { readonly _tag: "SettlementStore.StorageError" }>): boolean =>
  operation === "advance" || operation === "complete"

const endedEarlier = (end: string, ref: string): Leaf.Leaf =>
  end === "Interrupted" ? Leaf.make("Interrupted", { by: "caller" }) : Leaf.make("Operational.Defect", { ref })
