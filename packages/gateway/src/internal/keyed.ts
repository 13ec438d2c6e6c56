/** Calls under a key: joined while they run, given again when they have ended, refused if they ask for something else. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Leaf from "@haft/wire/Leaf"
import type * as Outcome from "@haft/wire/Outcome"
import * as Retry from "@haft/wire/Retry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Authorizer from "../Authorizer.ts"
import type { Build } from "../Catalog.ts"
import type * as IdempotencyStore from "../IdempotencyStore.ts"
import { approve } from "./approve.ts"
import type { Deps } from "./deps.ts"
import { endOf, execute } from "./execute.ts"
import * as Flights from "./flights.ts"
import { type Governed, leaseGraceMs } from "./governed.ts"
import type { Key } from "./keys.ts"
import * as Sentences from "./sentences.ts"
import { scrubbed } from "./redact.ts"
import { stopped } from "./stopped.ts"

/** Enough of a key to recognise it, and not enough to use it. */
const keyLength = 8

/** How long another process has before it is asked again. */
const pollMs = 100

export const keyed = (
  deps: Deps,
  call: Governed,
  build: Build,
  verdict: Authorizer.Verdict,
  key: Key
): Effect.Effect<Outcome.Outcome> =>
  Effect.suspend(() => {
    const running = deps.flights.get(key.storeKey)
    if (running === undefined) {
      return Flights.depart(deps.flights, key, call, claimed(deps, call, build, verdict, key))
    }
    if (running.inputDigest !== key.inputDigest) return Effect.succeed(conflict(call, key))
    return Effect.map(
      Flights.joinFor(running, call, restOf(deps, call, verdict)),
      Option.match({ onNone: () => pending(call), onSome: (outcome) => replayed(call, outcome) })
    )
  })

/** Whoever joins has the time of their own call, and waits with the others for whoever is asked. */
const restOf = ({ gate, options }: Deps, { now, request }: Governed, verdict: Authorizer.Verdict): number =>
  request.deadlineUnixMs === undefined
    ? options.callTimeoutMs + (verdict._tag === "Ask" ? (gate.maxWaitMs ?? 0) : 0)
    : request.deadlineUnixMs - now

/** Somebody else runs it, for longer than there is time. */
const pending = (call: Governed): Outcome.Outcome =>
  call.end(
    Leaf.make("Pending.External", { requestId: call.request.callId, retryAfterMs: pollMs }),
    SideEffect.notStarted
  )

const conflict = (call: Governed, { key }: Key): Outcome.Outcome =>
  call.end(
    Leaf.make("Rejected.IdempotencyConflict", { key: key.slice(0, keyLength).toWellFormed() }),
    SideEffect.notStarted
  )

/** Somebody else's outcome, as the answer to this call. It keeps its id: there was one settlement. */
const replayed = (call: Governed, outcome: Outcome.Outcome): Outcome.Outcome => ({
  ...call.timed(outcome),
  call: { ...outcome.call, callId: call.request.callId },
  ...(call.request.trace === undefined ? {} : { trace: call.request.trace }),
  idempotency: { ...outcome.idempotency, replayed: true }
})

/** Runs in a fiber of its own, which gives an outcome whatever happens. */
const claimed = (
  deps: Deps,
  call: Governed,
  build: Build,
  verdict: Authorizer.Verdict,
  key: Key
): Effect.Effect<Outcome.Outcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.catchTag(claiming(deps, call, build, verdict, key, restore), "IdempotencyStore.StorageError", () =>
      // What failed may have been written all the same, and nothing runs under it.
      Effect.as(
        Effect.ignore(deps.keys.release({ storeKey: key.storeKey, owner: call.id })),
        call.end(Leaf.make("Operational.RetentionFailed", { ref: call.id }))
      )
    )
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Nobody holds the key while a person is asked: a process that dies meanwhile leaves nothing behind that ran. */
const claiming = Effect.fnUntraced(function* (
  deps: Deps,
  call: Governed,
  build: Build,
  verdict: Authorizer.Verdict,
  key: Key,
  restore: Restore
): Effect.fn.Return<Outcome.Outcome, IdempotencyStore.StorageError> {
  let until = endOf(deps, call)
  let claim = yield* Effect.exit(restore(claimInTime(deps, call, key, until)))
  if (verdict._tag === "Ask" && Exit.isSuccess(claim) && claim.value._tag === "Mine") {
    yield* deps.keys.release({ storeKey: key.storeKey, owner: call.id })
    const refused = yield* Effect.exit(restore(approve(deps, call, build, verdict)))
    if (Exit.isFailure(refused)) return yield* stopped(call, refused.cause)
    if (refused.value !== undefined) return refused.value
    until = endOf(deps, call)
    claim = yield* Effect.exit(restore(claimInTime(deps, call, key, until)))
  }
  if (Exit.isFailure(claim)) return yield* unclaimed(call, claim.cause)
  const { value } = claim
  if (value._tag !== "Mine" && value.inputDigest !== key.inputDigest) return conflict(call, key)
  switch (value._tag) {
    case "Settled":
      return replayed(call, value.outcome)
    case "Running":
      return pending(call)
    case "Abandoned":
      return yield* abandoned(deps, call, key, value.owner)
    case "Mine":
      return yield* settled(deps, call, key, yield* Effect.exit(restore(execute(deps, call, build, until))))
  }
})

/** A store that failed is told apart from a caller that left. */
const unclaimed = (call: Governed, cause: Cause.Cause<IdempotencyStore.StorageError>) => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error) ? Effect.fail(error.success) : stopped(call, cause)
}

/** What another process runs is waited for, in the time of the call: what it then runs ends before its lease does. */
const claimInTime = (
  deps: Deps,
  call: Governed,
  key: Key,
  until: number
): Effect.Effect<IdempotencyStore.Claimed, IdempotencyStore.StorageError> => {
  const claim = Effect.suspend(() => claimOnce(deps, call, key, until))
  const retried = (
    claimed: IdempotencyStore.Claimed
  ): Effect.Effect<IdempotencyStore.Claimed, IdempotencyStore.StorageError> => {
    const isOurs = claimed._tag === "Running" && claimed.inputDigest === key.inputDigest
    if (!isOurs || call.now + pollMs >= until) return Effect.succeed(claimed)
    return Effect.flatMap(Effect.andThen(Effect.sleep(pollMs), claim), retried)
  }
  return Effect.flatMap(claim, retried)
}

const claimOnce = (deps: Deps, call: Governed, { inputDigest, isDerived, storeKey }: Key, until: number) => {
  const { id: owner, now } = call
  const takeOver = isDerived || call.determinism !== "side_effectful"
  return deps.keys.claim({
    storeKey,
    owner,
    inputDigest,
    now,
    leaseUntil: Math.max(now, until) + leaseGraceMs,
    takeOver
  })
}

/** Whether it ran is not known, so it never runs again under this key, and everybody is told so. */
const abandoned = Effect.fnUntraced(function* (deps: Deps, call: Governed, key: Key, owner: string) {
  const leaf = Leaf.make("Operational.Defect", { message: Sentences.abandoned, ref: call.id })
  const outcome = call.end(leaf, SideEffect.unknown)
  yield* keep(deps, call, { storeKey: key.storeKey, owner }, outcome)
  return outcome
})

/** Successes, and whatever could be done twice, are kept; the key of everything else is free again. */
const settled = (
  deps: Deps,
  call: Governed,
  key: Key,
  exit: Exit.Exit<Outcome.Outcome>
): Effect.Effect<Outcome.Outcome> => {
  if (Exit.isSuccess(exit)) return written(deps, call, key, scrubbed(deps, exit.value))
  return Effect.flatMap(stopped(call, exit.cause), (outcome) => written(deps, call, key, scrubbed(deps, outcome)))
}

const written = (deps: Deps, call: Governed, key: Key, outcome: Outcome.Outcome): Effect.Effect<Outcome.Outcome> => {
  const holder = { storeKey: key.storeKey, owner: call.id }
  const isKept = mustKeep(call, outcome) && (!key.isDerived || deps.options.replayDerived === true)
  return Effect.map(Effect.exit(isKept ? keep(deps, call, holder, outcome) : deps.keys.release(holder)), (exit) =>
    Exit.isSuccess(exit)
      ? outcome
      : call.end(Leaf.make("Operational.RetentionFailed", { ref: call.id }), outcome.effect)
  )
}

const keep = (deps: Deps, call: Governed, holder: IdempotencyStore.Holder, outcome: Outcome.Outcome) =>
  deps.keys.settle(holder, { outcome, expiresAt: call.now + deps.options.keyTimeToLiveMs })

const mustKeep = ({ determinism }: Governed, { effect, leaf }: Outcome.Outcome): boolean =>
  leaf._tag.startsWith("Success.") ||
  leaf._tag === "Prepared" ||
  !Retry.isRepeatSafe(effect, { determinism, hasKey: true })
