/** The part of a call that spends something: budget, room and attempts, in this order. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import type { RunContext } from "@haft/wire/RunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Build } from "../Catalog.ts"
import * as Attempts from "./attempts.ts"
import type { Deps } from "./deps.ts"
import type { Governed } from "./governed.ts"
import { wholeLimit } from "./limits.ts"
import * as Sentences from "./sentences.ts"

/** What is refused leaves everything after it untouched. `until` is when the whole call has to have ended. */
export const execute = (
  deps: Deps,
  call: Governed,
  build: Build,
  until = endOf(deps, call)
): Effect.Effect<Outcome> => {
  const { run } = call.options
  return run === undefined ? spend(deps, call, build, { until }) : accounted(deps, call, build, until, run)
}

/** From now on, because whoever was asked for an approval may have taken longer than the call may. */
export const endOf = ({ options }: Pick<Deps, "options">, { now, request }: Governed): number =>
  request.deadlineUnixMs ?? now + options.callTimeoutMs

/** Within the budget of a run. */
const accounted = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  build: Build,
  until: number,
  { run_budget: budget, run_id, tenant_id }: RunContext
): Effect.fn.Return<Outcome> {
  const { budgets } = deps
  const id = JSON.stringify([tenant_id, run_id])
  const exhausted = yield* budgets.reserve({ id, budget, now: call.now })
  if (Option.isSome(exhausted)) return refusal(call, exhausted.value)
  const runMs = budget.wall_clock_ms === undefined ? undefined : yield* restOf(deps, call, id, budget.wall_clock_ms)
  // Also of a call that was stopped: what it has used is used.
  const spent = Effect.suspend(() => {
    if (!wasEntered(call)) return budgets.refund(id)
    return call.costCents > 0 ? budgets.charge(id, call.costCents) : Effect.void
  })
  return yield* Effect.onExit(spend(deps, call, build, { until, runMs }), () => spent)
})

const refusal = (call: Governed, { limit, name, used }: { name: string; limit: number; used: number }): Outcome => {
  const message = Sentences.budgetUsedUp(name, limit, used)
  return call.end(Leaf.make("Denied.Budget", { message, budget: { name, limit, used } }), SideEffect.notStarted)
}

/** A handler that was entered has spent the call, whatever came of it. */
const wasEntered = ({ attempts, effect }: Governed): boolean => attempts.length > 0 || effect._tag !== "NotStarted"

const restOf = ({ budgets }: Deps, { now }: Governed, run: string, limit: number): Effect.Effect<number> =>
  Effect.map(
    budgets.usage(run),
    Option.match({ onNone: () => limit, onSome: ({ startedAt }) => limit - (now - startedAt) })
  )

/** When the call has to have ended, and how long its run may still take. */
interface Ends {
  readonly until: number
  readonly runMs?: number | undefined
}

const spend = (deps: Deps, call: Governed, build: Build, { runMs, until }: Ends): Effect.Effect<Outcome> => {
  const { options, slots } = deps
  const { retryPolicy } = call.request
  const whole = wholeLimit({ callMs: until - call.now, runMs })
  if (whole.ms === 0) return Effect.succeed(Attempts.expired(call, whole))
  const plan: Attempts.Plan = {
    build,
    attemptMs: attemptMsOf(call, build, options.attemptTimeoutMs),
    whole,
    fromMs: call.elapsedMs,
    policy: retryPolicy,
    jitter: options.jitter,
    isTraced: options.observability === "full",
    costOf: options.costOf
  }
  const full = Effect.sync(() => Attempts.expired(call, whole))
  return slots.within(build, whole.ms, Attempts.run(call, plan), full)
}

/** The smallest of what the caller, the tool's manifest and its annotations say. */
const attemptMsOf = ({ request }: Governed, { definition, manifest }: Build, byDefault: number): number =>
  Math.min(
    request.timeoutMs ?? manifest?.limits.timeout_ms_default ?? byDefault,
    definition.annotations.limits?.timeoutMs ?? Number.POSITIVE_INFINITY
  )
