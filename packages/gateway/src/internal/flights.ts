/** Calls that run under a key, and those who wait for them. */
import * as SideEffect from "@haft/core/SideEffect"
import type { Outcome } from "@haft/wire/Outcome"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Option from "effect/Option"
import type { Governed } from "./governed.ts"
import type { Key } from "./keys.ts"

/** One execution and how many wait for it. */
export interface Flight {
  readonly inputDigest: string
  readonly arrival: Deferred.Deferred<Outcome>
  fiber: Fiber.Fiber<Outcome> | undefined
  waiting: number
}

export type Flights = Map<string, Flight>

/** Runs the call apart from whoever asked for it first, so that this one may leave and the others still get an outcome. */
export const depart = (
  flights: Flights,
  { inputDigest, storeKey }: Key,
  call: Governed,
  execution: Effect.Effect<Outcome>
): Effect.Effect<Outcome> => {
  // In the same step in which nobody was found to be running it.
  const flight: Flight = { inputDigest, arrival: Deferred.makeUnsafe(), fiber: undefined, waiting: 0 }
  flights.set(storeKey, flight)
  const flying = Effect.onExit(execution, (exit) => {
    flights.delete(storeKey)
    return Deferred.done(flight.arrival, exit)
  })
  return Effect.uninterruptibleMask((restore) =>
    // At once: a turn of the event loop for every call would cost more than governing it.
    Effect.flatMap(Effect.forkDetach(flying, { startImmediately: true }), (fiber) => {
      flight.fiber = fiber
      const exit = fiber.pollUnsafe()
      // What has ended well while it started leaves nobody anything to wait for.
      return exit !== undefined && Exit.isSuccess(exit) ? exit : restore(join(flight, call))
    })
  )
}

/** Nothing if the time was over before: what runs goes on, for whoever asks again. */
export const joinFor = (flight: Flight, call: Governed, restMs: number): Effect.Effect<Option.Option<Outcome>> =>
  waitingFor(flight, call, Effect.timeoutOption(Deferred.await(flight.arrival), Math.max(0, restMs)))

const join = (flight: Flight, call: Governed): Effect.Effect<Outcome> =>
  waitingFor(flight, call, Deferred.await(flight.arrival))

/** Whoever leaves leaves the others alone; the last one to leave stops the execution, and waits until it has stopped. */
const waitingFor = <A>(flight: Flight, call: Governed, arrival: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    flight.waiting++
    return Effect.onExit(arrival, (exit) => {
      flight.waiting--
      return Exit.isSuccess(exit) ? Effect.void : leave(flight, call)
    })
  })

const leave = (flight: Flight, call: Governed): Effect.Effect<void> => {
  call.effect = SideEffect.unknown
  if (flight.waiting > 0 || flight.fiber === undefined) return Effect.void
  return Effect.andThen(
    Fiber.interrupt(flight.fiber),
    Effect.map(Effect.exit(Deferred.await(flight.arrival)), (exit) => {
      if (Exit.isSuccess(exit)) call.effect = exit.value.effect
    })
  )
}
