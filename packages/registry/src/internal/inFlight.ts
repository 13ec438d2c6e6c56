/** The calls that this process is executing right now, so that a repeated one joins instead of running again. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as ToolCall from "@haft/core/ToolCall"
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
  /** Of another session or message that uses the same id for its call. */
  next: Flight | undefined
}

/** Found without a text of the whole identity, and where calls come one after the other without a map. */
export class Flights {
  /** The one that departed while no other had this place. */
  private single: Flight | undefined
  /** The others by the id of their call, which is nearly always one flight. */
  private readonly byCallID = new Map<string, Flight>()

  get isEmpty(): boolean {
    return this.single === undefined && this.byCallID.size === 0
  }

  find(identity: ToolCall.Identity): Flight | undefined {
    if (this.single !== undefined && isOf(this.single, identity)) return this.single
    if (this.byCallID.size === 0) return undefined
    let flight = this.byCallID.get(identity.toolCallID)
    while (flight !== undefined && !isOf(flight, identity)) flight = flight.next
    return flight
  }

  add(call: Call): void {
    const flight: Flight = { call, landing: undefined, next: undefined }
    if (this.single === undefined) {
      this.single = flight
      return
    }
    flight.next = this.byCallID.get(call.identity.toolCallID)
    this.byCallID.set(call.identity.toolCallID, flight)
  }

  remove(flight: Flight): void {
    if (this.single === flight) this.single = undefined
    else this.unchain(flight.call.identity.toolCallID, flight)
  }

  private unchain(toolCallID: string, flight: Flight): void {
    let before = this.byCallID.get(toolCallID)
    if (before !== flight) {
      while (before !== undefined && before.next !== flight) before = before.next
      if (before !== undefined) before.next = flight.next
    } else if (flight.next === undefined) this.byCallID.delete(toolCallID)
    else this.byCallID.set(toolCallID, flight.next)
  }
}

const isOf = ({ call }: Flight, { assistantMessageID, sessionID, toolCallID }: ToolCall.Identity): boolean =>
  call.identity.toolCallID === toolCallID &&
  call.identity.assistantMessageID === assistantMessageID &&
  call.identity.sessionID === sessionID

/** Registries that share a store share what is in flight. */
const flightsByStore = new WeakMap<SettlementStore.Interface, Flights>()

export const flightsOf = (store: SettlementStore.Interface): Flights => {
  const flights = flightsByStore.get(store) ?? new Flights()
  flightsByStore.set(store, flights)
  return flights
}

/** The first of two with one identity flies; the store will tell the other. */
export const depart = (flights: Flights, call: Call): void => {
  if (flights.find(call.identity) === undefined) flights.add(call)
}

/** The store let this one begin: whoever waits, waits for it. */
export const fly = (flights: Flights, call: Call): void => {
  const flight = flights.find(call.identity)
  if (flight === undefined) flights.add(call)
  else flight.call = call
}

/** The call did not begin after all. Who waits for it looks again. */
export const cancel = (flights: Flights, call: Call): void => arrive(flights, call, Exit.interrupt())

/** Tells everyone who waits how the call ended. */
export const arrive = (flights: Flights, call: Call, exit: Landing): void => {
  const flight = flights.find(call.identity)
  if (flight?.call !== call) return
  flights.remove(flight)
  if (flight.landing !== undefined) Deferred.doneUnsafe(flight.landing, Effect.succeed(exit))
}

/** How the flight ended, as a value: what interrupted it does not interrupt who waits for it. */
export const landing = (flight: Flight): Effect.Effect<Landing> => {
  flight.landing ??= Deferred.makeUnsafe()
  return Deferred.await(flight.landing)
}
