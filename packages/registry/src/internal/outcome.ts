/** How a call ended, in words that are few and safe to write anywhere. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

export type Settling = Exit.Exit<Settlement, SettleError>

export type Outcome = Settlement["_tag"] | SettleError["_tag"] | "Interrupted" | "Died"

/** A defect outweighs everything beside it. */
export const outcomeOf = (exit: Settling): Outcome => {
  if (Exit.isSuccess(exit)) return exit.value._tag
  return Cause.hasDies(exit.cause) ? "Died" : (errorIn(exit.cause)?._tag ?? "Interrupted")
}

/** Names and counts; nothing that a model or a tool wrote. */
export const attributesOf = (exit: Settling): Readonly<Record<string, string | number>> => ({
  "haft.outcome": outcomeOf(exit),
  ...(Exit.isSuccess(exit) ? ofSettlement(exit.value) : ofError(errorIn(exit.cause)))
})

const ofSettlement = (settlement: Settlement) => ({
  "haft.effect": settlement.effect._tag,
  "haft.warnings": settlement.warnings.length,
  ...(settlement.warnings.length === 0 ? {} : { "haft.warning.codes": codesOf(settlement) }),
  "haft.managed": settlement.managed.length,
  ...(settlement._tag === "Failed" ? { "haft.failure.kind": settlement.failure.reason._tag } : {}),
  ...(settlement._tag === "Rejected" ? ofRejection(settlement.rejection) : {})
})

/** Each once. Their paths can hold keys that a model made up. */
const codesOf = ({ warnings }: Settlement): string =>
  [...new Set(warnings.map(({ code }) => code))].toSorted().join(" ")

const ofRejection = (rejection: Extract<Settlement, { _tag: "Rejected" }>["rejection"]) => ({
  "haft.rejection": rejection._tag,
  ...(rejection._tag === "InvalidInput"
    ? { "haft.violations": rejection.violations.length + rejection.violationsOmitted }
    : {})
})

const ofError = (error: SettleError | undefined) =>
  error !== undefined && "effect" in error ? { "haft.effect": error.effect._tag } : {}

const errorIn = (cause: Cause.Cause<SettleError>): SettleError | undefined =>
  Result.getOrUndefined(Cause.findError(cause))

/** The same end without what the call returned or died of, because tracers export that too. */
export const blank = (exit: Settling): Exit.Exit<void, Outcome> => {
  if (Exit.isSuccess(exit)) return Exit.void
  const outcome = outcomeOf(exit)
  if (outcome === "Interrupted") return Exit.interrupt()
  return outcome === "Died" ? Exit.die(outcome) : Exit.fail(outcome)
}
