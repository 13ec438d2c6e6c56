/** The outcome of a call that a registry settled, or failed to: a settlement with what a gateway knows around it. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import * as SideEffect from "@haft/core/SideEffect"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { isPossible, leafOf, ofError, type Stopped } from "./internal/settledLeaves.ts"
import * as Leaf from "./Leaf.ts"
import * as Outcome from "./Outcome.ts"

/** What a settlement does not say. All of it may be left out, except for the call. */
export interface Known extends Partial<Omit<Outcome.Options, "leaf" | "effect" | "call">> {
  readonly call: Outcome.Options["call"]
  /** Who stopped the call, if it was interrupted. */
  readonly interruptedBy?: "caller" | "user" | "shutdown"
}

/** The warning that a tool had begun to act before it asked and was refused. */
export const deniedAfterEffect = "denied_after_effect"

/** Total: a settlement, an operational error, a defect and an interruption all have an outcome. */
export const toOutcome = (exit: Exit.Exit<Settlement, SettleError>, known: Known): Outcome.Outcome => {
  if (Exit.isSuccess(exit)) return fromSettlement(exit.value, known)
  return made(stoppedBy(exit.cause, known), known)
}

const made = ({ effect, leaf }: Stopped, known: Known): Outcome.Outcome => Outcome.make({ ...known, leaf, effect })

/** A defect outweighs everything beside it. */
const stoppedBy = (cause: Cause.Cause<SettleError>, known: Known): Stopped => {
  const ref = known.id ?? ""
  const effect = known.determinism === "pure" ? SideEffect.none : SideEffect.unknown
  if (Cause.hasDies(cause)) return { leaf: Leaf.make("Operational.Defect", { ref }), effect }
  const error = Cause.findError(cause)
  return Result.isSuccess(error)
    ? ofError(error.success, { callId: known.call.callId, effect, ref })
    : { leaf: Leaf.make("Interrupted", { by: known.interruptedBy ?? "caller" }), effect }
}

const fromSettlement = (settlement: Settlement, known: Known): Outcome.Outcome => {
  const { effect, timing, warnings } = settlement
  const hasKey = known.idempotency?.key !== undefined
  const leaf = leafOf(settlement, { determinism: known.determinism, hasKey })
  const { endedAt, startedAt } = timing
  return Outcome.make({
    ...known,
    leaf,
    effect,
    timing: { startedAt, endedAt, durationMs: Math.max(0, Math.round(endedAt - startedAt)) },
    warnings: [
      ...warnings.map(({ code, message }) => `${code}: ${message}`),
      ...(leaf._tag.startsWith("Denied.") && isPossible(effect) ? [deniedAfterEffect] : []),
      ...(known.warnings ?? [])
    ],
    attempts: known.attempts ?? attemptsOf(settlement)
  })
}

/** Without a gateway there is one attempt, if there is any. */
const attemptsOf = ({ _tag, effect, timing }: Settlement): ReadonlyArray<Outcome.Attempt> =>
  effect._tag === "NotStarted" ? [] : [{ n: 1, ...timing, tag: _tag, waitedMs: 0 }]
