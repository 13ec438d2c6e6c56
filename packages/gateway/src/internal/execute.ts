/** From the approval of a call to its outcome: the part that spends something. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Authorizer from "../Authorizer.ts"
import type { Build } from "../Catalog.ts"
import * as Attempts from "./attempts.ts"
import { authorize } from "./authorize.ts"
import type { Deps } from "./deps.ts"
import type { Governed } from "./governed.ts"
import { wholeLimit } from "./limits.ts"
import * as Sentences from "./sentences.ts"

/** Approval, budget, room, attempts, in this order. What is refused leaves everything after it untouched. */
export const execute = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  build: Build,
  verdict: Authorizer.Verdict
): Effect.fn.Return<Outcome> {
  if (verdict._tag === "Ask") {
    const refused = yield* approve(deps, call, build, verdict)
    if (refused !== undefined) return refused
  }
  const exhausted = yield* reserve(deps, call)
  if (exhausted !== undefined) return exhausted
  const outcome = yield* Effect.onInterrupt(spend(deps, call, build), () => refundUnspent(deps, call))
  yield* refundUnspent(deps, call)
  return outcome
})

/** Waiting for a person costs the call no time of its own. What has changed meanwhile is judged again. */
const approve = Effect.fnUntraced(function* (
  { authorizer, gate }: Deps,
  call: Governed,
  build: Build,
  { gateId, reason }: Extract<Authorizer.Verdict, { readonly _tag: "Ask" }>
) {
  const { context, request } = call
  const principals = request.principalChain.map(({ id, kind }) => `${kind}:${id}`)
  const asked = { build, input: objectOf(request.input), reason, context, principals }
  const answer = yield* gate.ask(gateId === undefined ? asked : { ...asked, gateId })
  if (Result.isFailure(answer)) return call.end(answer.failure, SideEffect.notStarted)
  call.governance = { ...call.governance, approval: answer.success }
  const again = yield* authorize(authorizer, call, build)
  return again._tag === "Deny" ? call.end(again.leaf, SideEffect.notStarted) : undefined
})

/** An input that is no object has not passed the schema of any tool; whoever is asked sees it anyway. */
const objectOf = (input: Schema.Json): Schema.JsonObject => (isObject(input) ? input : { input })

const isObject = Schema.is(Schema.JsonObject)

const reserve = Effect.fnUntraced(function* ({ budgets }: Deps, call: Governed) {
  const { runId } = call
  const { run } = call.options
  if (runId === undefined || run === undefined) return undefined
  const exhausted = yield* budgets.reserve({ id: runId, budget: run.run_budget, now: call.now })
  if (Option.isNone(exhausted)) return undefined
  const { limit, name, used } = exhausted.value
  const message = Sentences.budgetUsedUp(name, limit, used)
  return call.end(Leaf.make("Denied.Budget", { message, budget: { name, limit, used } }), SideEffect.notStarted)
})

/** A handler that was entered has spent the call, whatever came of it. */
const refundUnspent = ({ budgets }: Deps, { attempts, effect, runId }: Governed) =>
  runId === undefined || attempts.length > 0 || effect._tag !== "NotStarted" ? Effect.void : budgets.refund(runId)

const spend = Effect.fnUntraced(function* (deps: Deps, call: Governed, build: Build): Effect.fn.Return<Outcome> {
  const { budgets, options, slots } = deps
  const { deadlineUnixMs, retryPolicy } = call.request
  const callMs = deadlineUnixMs === undefined ? options.callTimeoutMs : deadlineUnixMs - call.now
  const whole = wholeLimit({ callMs, runMs: yield* runRestMs(deps, call) })
  if (whole.ms === 0) return Attempts.expired(call, whole)
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
  const outcome = yield* slots.within(build, whole.ms, Attempts.run(call, plan))
  if (call.runId !== undefined && call.costCents > 0) yield* budgets.charge(call.runId, call.costCents)
  return Option.getOrElse(outcome, () => Attempts.expired(call, whole))
})

/** The smallest of what the caller, the tool's manifest and its annotations say. */
const attemptMsOf = ({ request }: Governed, { definition, manifest }: Build, byDefault: number): number =>
  Math.min(
    request.timeoutMs ?? manifest?.limits.timeout_ms_default ?? byDefault,
    definition.annotations.limits?.timeoutMs ?? Number.POSITIVE_INFINITY
  )

const runRestMs = Effect.fnUntraced(function* ({ budgets }: Deps, { now, options, runId }: Governed) {
  const limit = options.run?.run_budget.wall_clock_ms
  if (limit === undefined || runId === undefined) return undefined
  const usage = yield* budgets.usage(runId)
  return Option.match(usage, { onNone: () => limit, onSome: ({ startedAt }) => limit - (now - startedAt) })
})
