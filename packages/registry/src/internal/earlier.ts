/** What an earlier call with the same identity means for this one. */
import * as Materialization from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Call } from "./call.ts"
import type { Deadline } from "./deadline.ts"
import { exitOf } from "./eager.ts"
import { endInTime, startNow } from "./inTime.ts"
import * as InFlight from "./inFlight.ts"
import type { Journey, Settled } from "./journey.ts"
import * as Settlements from "./settlements.ts"
import type { Turn } from "./turn.ts"

/**
 * What the store knows about the call. One that does not answer must not outlast the deadline. Nothing has begun when it
 * is asked, so it can be left.
 */
export const find = ({ calls }: Turn, call: Call, deadline: Deadline | undefined): Found => {
  const found = calls.find(call.identity)
  return deadline === undefined || exitOf(found) !== undefined ? found : inTime(found, deadline)
}

const inTime = (found: Found, deadline: Deadline): Found =>
  Effect.uninterruptibleMask((restore) => findInTime(restore, found, deadline))

type Found = ReturnType<SettlementStore.Interface["find"]>

const findInTime = Effect.fnUntraced(function* (restore: Journey["restore"], found: Found, deadline: Deadline) {
  const fiber = yield* Effect.forkDetach(found, startNow)
  const ended = yield* endInTime(restore, fiber, deadline)
  if (Option.isSome(ended)) return yield* ended.value
  return yield* Effect.fail(new SettlementStore.StorageError({ operation: "find", cause: unanswered }))
})

const unanswered = new Error("the store did not answer before the deadline of the call")

/** The host may ask for another attempt at the same thing, if there is no settlement to give instead. */
export const mayRepeat = ({ call, request }: Journey, record: SettlementStore.CallRecord): boolean =>
  request.repeat === true && isOver(record) && call.asksFor(record.begun)

const isOver = (record: SettlementStore.CallRecord): boolean =>
  record._tag === "Unfinished" || (record._tag === "Ended" && record.ended._tag !== "Settled")

/** Gives the settlement of before, waits for the one under way, or says why there is none. Executes nothing itself. */
export const recall = (journey: Journey, record: SettlementStore.CallRecord): Settled => {
  if (!journey.call.asksFor(record.begun)) return Effect.succeed(Settlements.duplicate(journey))
  switch (record._tag) {
    case "Running":
      return join(journey)
    case "Unfinished":
      return Effect.fail(ended("Unfinished", record.begun.effectPossible ? SideEffect.unknown : SideEffect.none))
    case "Ended":
      return standing(record.ended)
  }
}

/** What a caller gets for the end that stands. */
export const standing = (end: SettlementStore.Ended): Settled =>
  end._tag === "Settled" ? Effect.succeed(end.settlement) : Effect.fail(ended(end._tag, end.effect))

const ended = (end: Materialization.CallAlreadyEnded["end"], effect: SideEffect.SideEffect) =>
  new Materialization.CallAlreadyEnded({ end, effect })

/** What interrupts or kills the call that is waited for is not what happens to this one, so it looks again. */
const join = (journey: Journey): Settled => {
  const { call, restore, turn } = journey
  const flight = turn.flights.find(call.identity)
  if (flight === undefined) return lookAgain(journey)
  return Effect.flatMap(restore(landingInTime(journey, flight)), (exit) =>
    Exit.isFailure(exit) && !Cause.hasFails(exit.cause) ? again(journey) : exit
  )
}

/** A request that joins has its own deadline; the call goes on without it. */
const landingInTime = ({ deadline }: Journey, flight: InFlight.Flight) => {
  if (deadline === undefined) return InFlight.landing(flight)
  return Effect.map(
    Effect.timeoutOption(InFlight.landing(flight), deadline.restMs),
    Option.getOrElse(() => Exit.fail(new Materialization.CallInProgress()))
  )
}

/** Goes through all stages anew, with the time that is left. */
const again = (journey: Journey): Settled =>
  Effect.flatMap(findAgain(journey), (known) => journey.proceed(journey, known))

const findAgain = ({ call, deadline, restore, turn }: Journey) =>
  restore(Effect.suspend(() => find(turn, call, deadline)))

/** It landed between the store's answer and now, or it is none of this process. */
const lookAgain = (journey: Journey): Settled =>
  Effect.flatMap(findAgain(journey), (record) =>
    Option.isSome(record) && record.value._tag !== "Running"
      ? recall(journey, record.value)
      : Effect.fail(new Materialization.CallInProgress())
  )

/** Records a call that ended before it could begin. */
export const conclude = Effect.fnUntraced(function* (
  journey: Journey,
  settlement: Settlement
): Effect.fn.Return<Settlement, Materialization.SettleError> {
  const { call, turn } = journey
  const bounded = yield* turn.bounds.bound(settlement)
  // If it fails it may have been written all the same, so what it refers to is kept.
  const earlier = yield* turn.store.begin(call, { ended: { _tag: "Settled", settlement: bounded } })
  if (Option.isNone(earlier)) return bounded
  yield* turn.bounds.withdraw(bounded)
  return yield* recall(journey, earlier.value)
})
