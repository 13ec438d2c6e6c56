/** Whether a call may execute now, and until when. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { elapsedMs, type Journey } from "./journey.ts"
import { definitionOf, type Entry } from "./overlay.ts"
import type { Permits, Ticket } from "./permits.ts"

export interface Admission {
  /** Time for the whole call from its arrival on, if there is a limit. */
  readonly limitMs: number | undefined
  /** The limit that passed before the call could begin. */
  readonly expiredMs: number | undefined
  /** Lets the next one in. Does nothing the second time. */
  readonly release: () => void
}

const unlimited: Admission = { limitMs: undefined, expiredMs: undefined, release: () => {} }

/** Waiting counts against the deadline. Who is interrupted while waiting leaves the queue. */
export const admit = (journey: Journey, entry: Entry): Effect.Effect<Admission> => {
  const limitMs = limitOf(journey, entry)
  const permits = journey.turn.permitsFor(entry)
  if (permits.length > 0) return wait(journey, permits, limitMs)
  if (limitMs === undefined) return admitted
  const expiredMs = restMs(journey, limitMs) > 0 ? undefined : limitMs
  return Effect.succeed({ ...unlimited, limitMs, expiredMs })
}

/** What is left of the time for the whole call. */
export const restMs = (journey: Journey, limitMs: number): number => Math.max(0, limitMs - elapsedMs(journey))

const admitted = Effect.succeed(unlimited)

/** The smallest of those that are given. */
const limitOf = (journey: Journey, entry: Entry): number | undefined =>
  smallest(requestedMs(journey), definitionOf(entry).annotations.limits?.timeoutMs)

/** What the host asks for, whichever tool is called. */
export const requestedMs = ({ request, turn }: Journey): number | undefined => {
  if (Number.isNaN(request.timeoutMs)) throw new RangeError("timeoutMs must be a number of milliseconds")
  return smallest(request.timeoutMs, turn.timeoutMs)
}

const smallest = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)

const wait = (
  journey: Journey,
  permits: ReadonlyArray<Permits>,
  limitMs: number | undefined
): Effect.Effect<Admission> => {
  const tickets: Array<Ticket> = []
  const release = () => tickets.forEach((ticket) => ticket.return())
  const entered = Effect.forEach(permits, (permit) => waitFor(permit, tickets), { discard: true })
  const inTime =
    limitMs === undefined ? Effect.asSome(entered) : Effect.timeoutOption(entered, restMs(journey, limitMs))
  return journey.restore(inTime).pipe(
    Effect.onInterrupt(() => Effect.sync(release)),
    Effect.map((valid) => {
      if (Option.isSome(valid)) return { limitMs, expiredMs: undefined, release }
      release()
      return { limitMs, expiredMs: limitMs, release }
    })
  )
}

const waitFor = (permits: Permits, tickets: Array<Ticket>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const ticket = permits.take()
    tickets.push(ticket)
    return ticket.wait
  })
