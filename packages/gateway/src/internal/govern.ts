/** The order of one governed call. A refusal leaves every later step untouched. */
import * as SideEffect from "@haft/core/SideEffect"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import type { Outcome } from "@haft/wire/Outcome"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import { randomUUID } from "node:crypto"
import { ExhaustedError } from "../Budgets.ts"
import type { Build } from "../Catalog.ts"
import { approve } from "./approve.ts"
import { authorize } from "./authorize.ts"
import type { Deps } from "./deps.ts"
import { execute } from "./execute.ts"
import { type CallOptions, Governed } from "./governed.ts"
import { keyed } from "./keyed.ts"
import { keyOf } from "./keys.ts"
import { accept } from "./preflight.ts"
import { recordOf } from "./records.ts"
import { scrubbed, scrubbedClosing, scrubbedRequest } from "./redact.ts"
import * as Sentences from "./sentences.ts"
import { stopped } from "./stopped.ts"
import * as Watch from "./watch.ts"

/** Interruptible while it decides, waits and runs; what was noted is always closed. */
export const govern = (deps: Deps, request: CallRequest, options: CallOptions): Effect.Effect<Outcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.contextWith((context: Context.Context<never>) => governed(deps, request, options, restore, context))
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const governed = Effect.fnUntraced(function* (
  deps: Deps,
  request: CallRequest,
  options: CallOptions,
  restore: Restore,
  context: Context.Context<never>
): Effect.fn.Return<Outcome> {
  const { callTimeoutMs, maxCallTimeoutMs } = deps.options
  const within = { callMs: callTimeoutMs, approvalMs: deps.gate.maxWaitMs ?? 0, maxMs: maxCallTimeoutMs }
  const call = new Governed(randomUUID(), request, options, Context.get(context, Clock.Clock), within)
  const span = deps.options.observability === "full" ? yield* Watch.openSpan(call) : undefined
  const noted = yield* Effect.exit(deps.audit.request(scrubbedRequest(deps, call.entry)))
  if (Exit.isFailure(noted)) return yield* watched(deps, call, unnoted(call), span, context)
  const deciding = decide(deps, call, context)
  const exit = yield* Effect.exit(
    restore(span === undefined ? deciding : Effect.provideService(deciding, Tracer.ParentSpan, span))
  )
  const outcome = scrubbed(deps, Exit.isSuccess(exit) ? exit.value : yield* stopped(call, exit.cause))
  const released = yield* watched(deps, call, yield* close(deps, call, outcome), span, context)
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  if (deps.options.exhausted === "error" && released.leaf._tag === "Denied.Budget") {
    const { budget, message } = released.leaf
    return yield* Effect.die(new ExhaustedError({ message, ...budget, outcome: released }))
  }
  return released
})

/** Nothing runs that is not on the account. */
const unnoted = (call: Governed): Outcome => call.end(Leaf.make("Operational.RetentionFailed", { ref: call.id }))

/** Lets the host see what it wants to see. */
const watched = (
  { options }: Deps,
  call: Governed,
  outcome: Outcome,
  span: Tracer.Span | undefined,
  context: Context.Context<never>
): Effect.Effect<Outcome> => {
  if (options.observability === "none") return Effect.succeed(outcome)
  if (call.build !== undefined) Watch.inFlight(call.build, -1, context)
  Watch.count(call, outcome, context)
  return span === undefined ? Effect.succeed(outcome) : Effect.as(Watch.closeSpan(span, call, outcome), outcome)
}

/** The record is written before anybody sees the outcome. Without it there is none to see, but what was done stays told. */
const close = (deps: Deps, call: Governed, outcome: Outcome): Effect.Effect<Outcome> => {
  const isHardStop = outcome.leaf._tag === "Denied.Budget" && deps.options.exhausted !== "continue"
  const record = scrubbedClosing(deps, recordOf(call, outcome, isHardStop))
  return Effect.map(Effect.exit(deps.audit.close(record)), (closed) => {
    if (outcome.leaf._tag === "Operational.Defect" && !outcome.idempotency.replayed) deps.options.onFault?.(outcome)
    if (Exit.isFailure(closed)) {
      return call.end(Leaf.make("Operational.RetentionFailed", { ref: call.id }), outcome.effect)
    }
    return isHardStop ? { ...outcome, warnings: [...outcome.warnings, runEnded] } : outcome
  })
}

/** The warning that the host ends a run whose budget is used up. */
const runEnded = "run_ended"

const decide = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  context: Context.Context<never>
): Effect.fn.Return<Outcome> {
  const resolution = yield* deps.catalog.resolve(call.request)
  if (Result.isFailure(resolution)) return call.end(resolution.failure)
  const build = resolution.success
  call.build = build
  if (deps.options.observability !== "none") Watch.inFlight(build, 1, context)
  const invalid = validate(deps, call, build)
  if (invalid !== undefined) return call.end(invalid)
  const verdict = yield* authorize(deps, call, build)
  if (verdict._tag === "Deny") return call.end(verdict.leaf)
  if (call.request.dryRun) return rehearsed(call, verdict._tag === "Ask")
  call.key = keyOf(call.request, build, call.determinism)
  if (call.key !== undefined) return yield* keyed(deps, call, build, verdict, call.key)
  const refused = verdict._tag === "Ask" ? yield* approve(deps, call, build, verdict) : undefined
  return refused ?? (yield* execute(deps, call, build))
})

/** A key is compared and stored; what is longer is somebody's data. */
export const maxKeyLength = 512

/** What is wrong with the request around the input. */
const faultsOf = ({ idempotencyKey = "", timeoutMs = 0 }: CallRequest, { manifest }: Build) => {
  const max = manifest?.limits.timeout_ms_max
  if (max === undefined && idempotencyKey.length <= maxKeyLength) return []
  const late = { path: "timeoutMs", code: "range", expected: Sentences.timeoutTooLong(max ?? 0), received: "number" }
  const long = {
    path: "idempotencyKey",
    code: "too_large",
    expected: Sentences.keyTooLong(maxKeyLength),
    received: "string"
  }
  return [
    ...(max !== undefined && timeoutMs > max ? [late] : []),
    ...(idempotencyKey.length > maxKeyLength ? [long] : [])
  ]
}

/** Everything that is wrong, or the input as it will run. */
const validate = (deps: Deps, call: Governed, build: Build): Leaf.Leaf | undefined => {
  const { request } = call
  const faults = faultsOf(request, build)
  const accepted = accept(build.definition, request.input, deps.options.repair)
  if (Result.isFailure(accepted)) {
    const { message, violations, violationsOmitted } = accepted.failure
    const omitted = violationsOmitted === 0 ? {} : { violationsOmitted }
    return Leaf.make("Rejected.InvalidInput", { message, violations: [...faults, ...violations], ...omitted })
  }
  call.request = { ...request, input: accepted.success }
  return faults.length === 0 ? undefined : Leaf.make("Rejected.InvalidInput", { violations: faults })
}

/** The warning of a call that was only looked at. */
const dryRun = "dry_run"
const approvalRequired = "approval_required"

const rehearsed = (call: Governed, needsApproval: boolean): Outcome => {
  call.warnings = [...call.warnings, dryRun, ...(needsApproval ? [approvalRequired] : [])]
  return call.end(Leaf.make("Success.Read", {}), SideEffect.none)
}
