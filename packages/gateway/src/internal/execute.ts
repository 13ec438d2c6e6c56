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

/** What is refused leaves everything after it untouched. */
export const execute = (deps: Deps, call: Governed, build: Build): Effect.Effect<Outcome> => {
  const { run } = call.options
  return run === undefined ? spend(deps, call, build, undefined) : accounted(deps, call, build, run)
}

/** Within the budget of a run. */
const accounted = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  build: Build,
  { run_budget: budget, run_id, tenant_id }: RunContext
): Effect.fn.Return<Outcome> {
  const { budgets } = deps
  const id = JSON.stringify([tenant_id, run_id])
  const exhausted = yield* budgets.reserve({ id, budget, now: call.now })
  if (Option.isSome(exhausted)) return refusal(call, exhausted.value)
  const restMs = budget.wall_clock_ms === undefined ? undefined : yield* restOf(deps, call, id, budget.wall_clock_ms)
  const refund = Effect.suspend(() => (wasEntered(call) ? Effect.void : budgets.refund(id)))
  const outcome = yield* Effect.onInterrupt(spend(deps, call, build, restMs), () => refund)
  yield* refund
  if (call.costCents > 0) yield* budgets.charge(id, call.costCents)
  return outcome
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

const spend = (deps: Deps, call: Governed, build: Build, runMs: number | undefined): Effect.Effect<Outcome> => {
  const { options, slots } = deps
  const { deadlineUnixMs, retryPolicy } = call.request
  const callMs = deadlineUnixMs === undefined ? options.callTimeoutMs : deadlineUnixMs - call.now
  const whole = wholeLimit({ callMs, runMs })
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
