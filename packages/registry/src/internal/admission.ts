/** Whether a call may execute now, and until when. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { elapsedMs, type Journey } from "./journey.ts"
import { definitionOf, type Entry } from "./overlay.ts"
import { type Permits, Ticket } from "./permits.ts"

export interface Admission {
  /** Time for the whole call from its arrival on, if there is a limit. */
  readonly limitMs: number | undefined
  /** The limit that passed before the call could begin. */
  readonly expiredMs: number | undefined
  /** Lets the next one in, if this one took a place. Does nothing the second time. */
  readonly release: (() => void) | undefined
}

const unlimited: Admission = { limitMs: undefined, expiredMs: undefined, release: undefined }

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
): Effect.Effect<Admission> =>
  Effect.suspend(() => {
    const ticket = new Ticket(permits)
    const inTime =
      limitMs === undefined ? Effect.asSome(ticket.wait) : Effect.timeoutOption(ticket.wait, restMs(journey, limitMs))
    return journey.restore(inTime).pipe(
      Effect.onInterrupt(() => Effect.sync(() => ticket.return())),
      Effect.map((valid): Admission => {
        if (Option.isNone(valid)) ticket.return()
        return { limitMs, expiredMs: Option.isSome(valid) ? undefined : limitMs, release: () => ticket.return() }
      })
    )
  })
