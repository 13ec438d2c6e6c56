/** Ends a call that has begun: one record of how, and what its caller gets for it. */
import type { InvalidOutput } from "@haft/core/InvalidOutput"
import * as Materialization from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as SideEffect from "@haft/core/SideEffect"
import type { ToolFailure } from "@haft/core/ToolFailure"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { Deadline } from "./deadline.ts"
import { attempt, successOf } from "./eager.ts"
import type { Executed } from "./execution.ts"
import { standing } from "./earlier.ts"
import type { Journey, Settled } from "./journey.ts"
import * as Settlements from "./settlements.ts"
import type { Signals } from "./signals.ts"

/** Nothing here can be interrupted. Call it where what a store throws is looked after. */
export const end = (journey: Journey, signals: Signals, exit: Executed): Settled => {
  if (exit instanceof Deadline) return persist(journey, Settlements.expired(journey, exit, signals.close("stop")))
  if (Exit.isSuccess(exit))
    return persist(journey, Settlements.succeeded(journey, exit.value, signals.close("success")))
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error)) return stop(journey, signals, error.failure)
  if (Cause.hasDies(exit.cause)) return die(journey, signals.close("stop"), unexpected(exit.cause))
  if (!Cause.hasInterrupts(exit.cause)) return fail(journey, signals, error.success)
  return Effect.flatMap(isInterrupted(journey), (isInterrupted) =>
    isInterrupted ? stop(journey, signals, unexpected(exit.cause)) : fail(journey, signals, error.success)
  )
}

const fail = (journey: Journey, signals: Signals, error: ToolFailure | InvalidOutput): Settled =>
  error._tag === "InvalidOutput"
    ? operational(journey, signals.close("success"), error)
    : persist(journey, Settlements.failed(journey, error, signals.close("failure")))

/** By its caller; an executor may also interrupt what it has started, or itself. */
const isInterrupted = ({ restore }: Journey): Effect.Effect<boolean> =>
  Effect.map(Effect.exit(restore(Effect.void)), Exit.isFailure)

/** Bound and persist. What cannot be kept whole or cannot be recorded is not shown. */
const persist = (journey: Journey, settlement: Settlement): Settled => {
  const bounding = attempt(bound, journey, settlement)
  const bounded = successOf(bounding)
  return bounded === undefined
    ? persistLater(journey, settlement, bounding)
    : completed(journey, settlement, bounded.value)
}

type Bounded = Exit.Exit<Settlement, OutputStore.StorageError>

const persistLater = (journey: Journey, settlement: Settlement, bounding: Effect.Effect<Bounded>): Settled =>
  Effect.flatMap(bounding, (bounded) => completed(journey, settlement, bounded))

const bound = ({ turn }: Journey, settlement: Settlement) => turn.bound(settlement)

const completed = (journey: Journey, { effect }: Settlement, bounded: Bounded): Settled => {
  const { call, turn } = journey
  if (Exit.isSuccess(bounded)) {
    // If it fails, the store may still write it down later, so what it refers to is kept.
    return Effect.flatMapEager(
      turn.calls.complete(call.identity, { _tag: "Settled", settlement: bounded.value }),
      standing
    )
  }
  const error = Cause.findError(bounded.cause)
  return Result.isSuccess(error) ? operational(journey, effect, error.success) : die(journey, effect, error.failure)
}

/** A defect, or an interruption: of the whole call by its caller, or of the executor by itself. */
const stop = Effect.fnUntraced(function* (
  journey: Journey,
  signals: Signals,
  cause: Cause.Cause<never>
): Effect.fn.Return<never, Materialization.SettleError> {
  const effect = signals.close("stop")
  if (Cause.hasDies(cause)) return yield* die(journey, effect, cause)
  if (signals.unrecorded !== undefined) return yield* operational(journey, effect, signals.unrecorded)
  if (!(yield* isInterrupted(journey))) {
    return yield* operational(journey, effect, new Materialization.SelfInterrupted({ effect }))
  }
  yield* record(journey, { _tag: "Interrupted", effect })
  return yield* Effect.failCause(cause)
})

const die = (journey: Journey, effect: SideEffect.SideEffect, cause: Cause.Cause<never>): Effect.Effect<never> =>
  Effect.andThen(record(journey, { _tag: "Died", effect }), Effect.failCause(cause))

const operational = <E extends Materialization.SettleError>(
  journey: Journey,
  effect: SideEffect.SideEffect,
  error: E
): Effect.Effect<never, E> =>
  Effect.andThen(record(journey, { _tag: "Operational", effect, code: error._tag }), Effect.fail(error))

/** The caller learns what ended its call, also where the store cannot: recovery will find the call unfinished. */
const record = ({ call, turn }: Journey, ended: SettlementStore.Ended): Effect.Effect<unknown> =>
  Effect.catch(
    Effect.suspend(() => turn.store.complete(call.identity, ended)),
    () =>
      // What a store says about its failure may quote the record.
      Effect.annotateLogs(Effect.logWarning("The end of a call was not recorded"), {
        "haft.call.id": call.context.toolCallID,
        "haft.ended": ended._tag
      })
  )

/** An expected failure beside a defect or an interruption says nothing any more. */
const unexpected = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))
