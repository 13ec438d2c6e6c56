/**
 * Governs calls: resolves which build runs, holds input against its schema, authorises, keeps deadlines and budgets, retries
 * only what cannot act twice, answers duplicates with the first outcome, and accounts for every call. Whatever happens, the
 * answer is an outcome.
 */
import type { CallRequest } from "@haft/wire/CallRequest"
import type { Outcome } from "@haft/wire/Outcome"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApprovalGate from "./ApprovalGate.ts"
import * as Audit from "./Audit.ts"
import * as Authorizer from "./Authorizer.ts"
import * as Budgets from "./Budgets.ts"
import * as Catalog from "./Catalog.ts"
import * as ClaimVerifier from "./ClaimVerifier.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import type * as Deps from "./internal/deps.ts"
import { compact } from "./internal/compact.ts"
import { govern } from "./internal/govern.ts"
import type * as Governed from "./internal/governed.ts"
import { escalated } from "./internal/records.ts"
import { scrubbedClosing, scrubbedRequest } from "./internal/redact.ts"
import { Slots } from "./internal/slots.ts"
import * as Secrets from "./Secrets.ts"

/** What a host may choose about all calls. */
export type Options = Deps.Options

/** What a host knows about one call and its request does not say. */
export type CallOptions = Governed.CallOptions

/** Why somebody dropped a call before it came here. */
export type Reason = Pick<Audit.Skipped, "reason_code" | "reason" | "policy_decision_id" | "confidence">

export interface Interface {
  /** One outcome for each call. Interrupting it stops the call, unless others wait for the same one. */
  readonly call: (request: CallRequest, options?: CallOptions) => Effect.Effect<Outcome>
  /** Accounts for a call that will not be made. */
  readonly skip: (request: CallRequest, reason: Reason) => Effect.Effect<void, Audit.StorageError>
  /** Closes the account of calls whose process is gone, and says how many there were. It runs none of them. */
  readonly recover: Effect.Effect<number, Audit.StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Gateway") {}

/** What most tools need, and the least that people wait for. */
export const defaultAttemptTimeoutMs = 30_000

/** How long a model is kept waiting at most. */
export const defaultCallTimeoutMs = 120_000

/** An hour: longer than anybody waits for an answer, and short enough that what a dead process held is free again. */
export const defaultMaxCallTimeoutMs = 60 * 60 * 1000

/** A day: whoever repeats a call after that means a new one. */
export const defaultKeyTimeToLiveMs = 24 * 60 * 60 * 1000

/** Stores and the catalog are the host's to choose; authorizer, claim verifier, approval gate and secrets have defaults. */
export const layer = (
  options: Options = {}
): Layer.Layer<Service, never, Catalog.Service | IdempotencyStore.Service | Audit.Service | Budgets.Service> =>
  Layer.effect(Service, make(options))

/** Keeps keys, account and budgets in memory. For tests, and where a restart may forget. */
export const layerMemory = (
  options: Options = {}
): Layer.Layer<Service | IdempotencyStore.Service | Audit.Service | Budgets.Service, never, Catalog.Service> =>
  layer(options).pipe(
    Layer.provideMerge(Layer.mergeAll(IdempotencyStore.layerMemory, Audit.layerMemory, Budgets.layerMemory))
  )

const make = Effect.fnUntraced(function* (options: Options) {
  const deps: Deps.Deps = {
    catalog: yield* Catalog.Service,
    keys: yield* IdempotencyStore.Service,
    audit: yield* Audit.Service,
    budgets: yield* Budgets.Service,
    authorizer: yield* Authorizer.Service,
    claims: yield* ClaimVerifier.Service,
    gate: yield* ApprovalGate.Service,
    secrets: yield* Secrets.Service,
    options: {
      attemptTimeoutMs: defaultAttemptTimeoutMs,
      callTimeoutMs: defaultCallTimeoutMs,
      maxCallTimeoutMs: defaultMaxCallTimeoutMs,
      keyTimeToLiveMs: defaultKeyTimeToLiveMs,
      repair: "strict",
      observability: "full",
      exhausted: "continue",
      ...options
    },
    slots: new Slots(),
    flights: new Map()
  }
  return Service.of({
    call: (request, options = {}) => govern(deps, request, options),
    skip: (request, reason) => skip(deps, request, reason),
    recover: Effect.suspend(() => recover(deps))
  })
})

const skip = Effect.fnUntraced(function* (deps: Deps.Deps, request: CallRequest, reason: Reason) {
  const { audit } = deps
  const at = yield* Clock.currentTimeMillis
  const { callId, fn, runId, toolName, trace } = request
  const [recordId, toolId] = [SecureRandom.uuidV4Unsafe(), request.toolId ?? toolName]
  const actor = request.actor ?? request.agent ?? ""
  const traceId = trace?.traceId
  const requested = compact({ recordId, callId, toolId, fn, actor, runId, traceId, at, leaseUntil: at })
  const skipped = compact({
    record_id: recordId,
    kind: "SKIPPED",
    call_id: callId,
    tool_id: toolId,
    fn,
    ...reason,
    actor_id: actor,
    run_id: runId,
    trace_id: traceId,
    at: new Date(at).toISOString()
  })
  yield* audit.request(scrubbedRequest(deps, requested))
  yield* audit.close(scrubbedClosing(deps, skipped))
})

const recover = Effect.fnUntraced(function* ({ audit }: Deps.Deps) {
  const now = yield* Clock.currentTimeMillis
  const unclosed = yield* audit.unclosed(now)
  for (const requested of unclosed) yield* audit.close(escalated(requested, now))
  return unclosed.length
})
