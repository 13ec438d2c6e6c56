/** The calls that this process is executing right now, so that a repeated one joins instead of running again. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Call } from "./call.ts"

type Landing = Exit.Exit<Settlement, SettleError>

export interface Flight {
  /** The one that the store let begin, or is about to ask it. */
  call: Call
  /** Made by the first that waits for it. */
  landing: Deferred.Deferred<Landing> | undefined
}

/** By the key of the call. */
export type Flights = Map<string, Flight>

/** Registries that share a store share what is in flight. */
const flightsByStore = new WeakMap<SettlementStore.Interface, Flights>()

export const flightsOf = (store: SettlementStore.Interface): Flights => {
  const flights = flightsByStore.get(store) ?? new Map<string, Flight>()
  flightsByStore.set(store, flights)
  return flights
}

/** The first of two with one identity flies; the store will tell the other. */
export const depart = (flights: Flights, call: Call): void => {
  if (!flights.has(call.key)) flights.set(call.key, { call, landing: undefined })
}

/** The store let this one begin: whoever waits, waits for it. */
export const fly = (flights: Flights, call: Call): void => {
  const flight = flights.get(call.key)
  if (flight === undefined) flights.set(call.key, { call, landing: undefined })
  else flight.call = call
}

/** The call did not begin after all. Who waits for it looks again. */
export const cancel = (flights: Flights, call: Call): void => arrive(flights, call, Exit.interrupt())

/** Tells everyone who waits how the call ended. */
export const arrive = (flights: Flights, call: Call, exit: Landing): void => {
  const flight = flights.get(call.key)
  if (flight?.call !== call) return
  flights.delete(call.key)
  if (flight.landing !== undefined) Deferred.doneUnsafe(flight.landing, Effect.succeed(exit))
}

/** How the flight ended, as a value: what interrupted it does not interrupt who waits for it. */
export const landing = (flight: Flight): Effect.Effect<Landing> => {
  flight.landing ??= Deferred.makeUnsafe()
  return Deferred.await(flight.landing)
}
