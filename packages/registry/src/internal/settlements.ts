/** The settlements of a call, each made in one place. Written out, because a shared part would be copied for each call. */
import type { InvalidInput } from "@haft/core/InvalidInput"
import * as Settlement from "@haft/core/Settlement"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as ToolName from "@haft/core/ToolName"
import type { ToolOutput } from "@haft/core/ToolOutput"
import type { Deadline } from "./deadline.ts"
import { type Journey, now } from "./journey.ts"
import * as Sentences from "./sentences.ts"

/** Shared by all, and never changed. */
const none: ReadonlyArray<never> = Object.freeze([])

export const succeeded = (
  journey: Journey,
  output: ToolOutput,
  effect: SideEffect.SideEffect
): Settlement.Settlement => ({
  _tag: "Succeeded",
  context: journey.call.context,
  name: journey.call.name,
  effect,
  warnings: journey.call.warnings,
  timing: timing(journey),
  managed: none,
  output
})

export const failed = (
  journey: Journey,
  failure: ToolFailure.ToolFailure,
  effect: SideEffect.SideEffect
): Settlement.Settlement => ({
  _tag: "Failed",
  context: journey.call.context,
  name: journey.call.name,
  effect,
  warnings: journey.call.warnings,
  timing: timing(journey),
  managed: none,
  failure
})

export const rejected = (
  journey: Journey,
  rejection: Settlement.Rejection,
  message: string,
  warnings: ReadonlyArray<Settlement.Warning> = none
): Settlement.Settlement => ({
  _tag: "Rejected",
  context: journey.call.context,
  name: journey.call.name,
  effect: SideEffect.notStarted,
  warnings,
  timing: timing(journey),
  managed: none,
  rejection,
  message
})

export const unresolved = (journey: Journey, reason: "UnknownTool" | "StaleCall"): Settlement.Settlement => {
  const { request, turn } = journey
  const offered = turn.offer.definitions.map(({ name }) => name)
  const near = reason === "UnknownTool" ? ToolName.closest(request.call.name, offered) : undefined
  return rejected(journey, { _tag: reason }, Sentences.unresolved(reason, journey.call.name, near))
}

export const invalid = (journey: Journey, error: InvalidInput): Settlement.Settlement => {
  const { message, violations, violationsOmitted } = error
  const rejection = { _tag: "InvalidInput", violations, violationsOmitted } as const
  return rejected(journey, rejection, message, Settlement.repairWarnings(error))
}

/** Not stored: the identity belongs to the other call. */
export const duplicate = (journey: Journey): Settlement.Settlement =>
  rejected(journey, { _tag: "DuplicateCall" }, Sentences.duplicateCall)

/** A deadline that we keep, as the model reads it: what may have happened by then is said with it. */
export const expired = (
  journey: Journey,
  { limitMs }: Deadline,
  effect: SideEffect.SideEffect
): Settlement.Settlement =>
  failed(
    journey,
    ToolFailure.timedOut({ message: Sentences.timedOut(limitMs, effect._tag), boundBy: "call", limitMs }),
    effect
  )

const timing = (journey: Journey): Settlement.Timing => ({ startedAt: journey.call.begunAt, endedAt: now(journey) })
