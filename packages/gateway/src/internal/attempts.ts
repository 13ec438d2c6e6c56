/** Tries a call until it has ended for good: never once more than is safe, and never beyond its time. */
import type * as Materialization from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import type { Settlement } from "@haft/core/Settlement"
import * as SideEffect from "@haft/core/SideEffect"
import type { RetryPolicy } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import * as Outcome from "@haft/wire/Outcome"
import * as Settled from "@haft/wire/Settled"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Backoff from "../Backoff.ts"
import type { Build } from "../Catalog.ts"
import type { Governed } from "./governed.ts"
import { attemptLimit, type Limit } from "./limits.ts"
import * as Sentences from "./sentences.ts"
import * as Watch from "./watch.ts"

/** What is fixed for all attempts of a call. */
export interface Plan {
  readonly build: Build
  readonly attemptMs: number
  /** For the whole call, from when `elapsedMs` was `fromMs` on. */
  readonly whole: Limit
  readonly fromMs: number
  readonly policy: RetryPolicy | undefined
  readonly jitter: Backoff.Jitter | undefined
  /** Whether each attempt has a span. */
  readonly isTraced: boolean
  /** What an attempt cost, told after it has ended. */
  readonly costOf: ((build: Build, outcome: Outcome.Outcome) => number) | undefined
}

type Settling = Exit.Exit<Settlement, Materialization.SettleError>

/** Fails only if it is interrupted; what is known by then is in the call. */
export const run = Effect.fnUntraced(function* (call: Governed, plan: Plan): Effect.fn.Return<Outcome.Outcome> {
  for (let attempt = 1, waitedMs = 0; ; attempt++) {
    const rest = restOf(call, plan)
    const limit = attemptLimit(plan.attemptMs, rest)
    if (limit.ms === 0) return expired(call, limit)
    call.limits = { timeoutMs: limit.ms, deadline: call.now + rest.ms, boundBy: limit.boundBy }
    const outcome = yield* tried(call, plan, { attempt, waitedMs, limit })
    const waitMs = waitAfter(outcome, plan, attempt)
    if (waitMs === undefined) return outcome
    const told = withRetryAfter(outcome, waitMs)
    if (attempt >= attemptsAllowed(outcome, plan) || waitMs >= restOf(call, plan).ms) return told
    yield* Effect.sleep(waitMs)
    waitedMs = waitMs
  }
})

const restOf = (call: Governed, { fromMs, whole }: Plan): Limit => ({
  ms: Math.max(0, whole.ms - (call.elapsedMs - fromMs)),
  boundBy: whole.boundBy
})

/** Its time was over before a handler was entered. */
export const expired = (call: Governed, { boundBy, ms }: Limit): Outcome.Outcome =>
  call.end(
    Leaf.make("TimedOut.EffectNone", { message: Sentences.timedOut(ms), timeoutMs: ms, boundBy }),
    SideEffect.notStarted
  )

/** Some failures deserve one repeat, also of a caller that said nothing about repeating. */
const attemptsAllowed = ({ retry }: Outcome.Outcome, { policy }: Plan): number => {
  if (policy !== undefined) return Math.min(policy.maxAttempts, Backoff.maxAttempts)
  return retry.runtime === "once" ? 2 : Backoff.defaultPolicy.maxAttempts
}

/** Nothing if the call must not be sent again. */
const waitAfter = (outcome: Outcome.Outcome, plan: Plan, attempt: number): number | undefined => {
  const { leaf, retry } = outcome
  if (retry.runtime === "never" || leaf._tag === "Pending.External") return undefined
  if (retry.runtime === "after" && "retryAfterMs" in leaf && leaf.retryAfterMs !== undefined) return leaf.retryAfterMs
  return Backoff.waitMs(plan.policy ?? Backoff.defaultPolicy, plan.build.toolId, attempt, plan.jitter)
}

/** Whoever is told to come back later is told when. */
const withRetryAfter = (outcome: Outcome.Outcome, retryAfterMs: number): Outcome.Outcome =>
  outcome.leaf._tag === "Failure.RateLimited" ? { ...outcome, leaf: { ...outcome.leaf, retryAfterMs } } : outcome

interface Try {
  readonly attempt: number
  readonly waitedMs: number
  readonly limit: Limit
}

const tried = (call: Governed, plan: Plan, trying: Try): Effect.Effect<Outcome.Outcome> => {
  const { attempt, limit } = trying
  const startedAt = call.now
  const request = requestOf(call, plan.build, attempt, limit)
  // From here on something may happen, until it is known that nothing did.
  call.effect = call.determinism === "pure" ? SideEffect.none : SideEffect.unknown
  const settling = plan.build.materialization.settle(request)
  const watched = plan.isTraced ? Watch.inAttempt(settling, plan.build, attempt) : settling
  const stopped = Effect.onExit(Effect.exit(watched), (exit) =>
    Exit.isSuccess(exit) ? Effect.void : learnEffect(call, plan.build, request)
  )
  return Effect.flatMap(stopped, (exit) => {
    if (saysEffect(exit)) return Effect.succeed(concluded(call, plan, trying, startedAt, exit))
    return Effect.map(learnEffect(call, plan.build, request), () =>
      concluded(call, plan, trying, startedAt, exit, call.effect)
    )
  })
}

/** Remembers the attempt, with how it ended. */
const concluded = (
  call: Governed,
  plan: Plan,
  { attempt, limit, waitedMs }: Try,
  startedAt: number,
  exit: Settling,
  learned?: SideEffect.SideEffect
): Outcome.Outcome => {
  const trial = { n: attempt, startedAt, endedAt: call.now, tag: "", waitedMs }
  const known = { ...call.known, attempts: [...call.attempts, trial] }
  const settled = named(Settled.toOutcome(exit, known), limit)
  const outcome = learned === undefined ? settled : Outcome.make({ ...known, leaf: settled.leaf, effect: learned })
  const wasEntered = outcome.effect._tag !== "NotStarted"
  if (wasEntered) call.attempts = [...call.attempts, { ...trial, tag: outcome.leaf._tag }]
  call.effect = outcome.effect
  call.costCents += wasEntered ? (plan.costOf?.(plan.build, outcome) ?? 0) : 0
  const cost = call.costCents === 0 ? undefined : { costCents: call.costCents }
  return { ...outcome, attempts: call.attempts, timing: call.timing, ...cost }
}

/** The identity of a call stays the same but for its message: the store below never runs one identity twice. */
const requestOf = (call: Governed, build: Build, attempt: number, limit: Limit): Materialization.Request => {
  const { agent, assistantMessageID, sessionID, toolCallID } = call.context
  return {
    sessionID,
    agent,
    assistantMessageID: attempt === 1 ? assistantMessageID : Session.MessageID.make(`${assistantMessageID}~${attempt}`),
    call: { id: toolCallID, name: build.definition.name, input: call.request.input },
    timeoutMs: limit.ms
  }
}

/** A settlement and most errors say what was done. Of a defect the record does, which is asked without running anything. */
const saysEffect = (exit: Settling): boolean => Exit.isSuccess(exit) || Result.isSuccess(Cause.findError(exit.cause))

/** A call that has ended is never executed again, and one that has not begun has no time to. */
const learnEffect = (call: Governed, { materialization }: Build, request: Materialization.Request) =>
  Effect.map(Effect.exit(materialization.settle({ ...request, timeoutMs: 0 })), (exit) => {
    if (Exit.isSuccess(exit)) {
      call.effect = exit.value.effect
      return
    }
    const error = Cause.findError(exit.cause)
    if (Result.isFailure(error) || error.success._tag !== "Materialization.CallAlreadyEnded") return
    call.effect = error.success.effect
  })

/** The deadline that was kept below is one of ours, and here it is known which. */
const named = (outcome: Outcome.Outcome, { boundBy, ms }: Limit): Outcome.Outcome => {
  const { leaf } = outcome
  if (leaf._tag !== "TimedOut.EffectNone" && leaf._tag !== "TimedOut.EffectUnknown") return outcome
  return leaf.boundBy === "call" && leaf.timeoutMs === ms ? { ...outcome, leaf: { ...leaf, boundBy } } : outcome
}
