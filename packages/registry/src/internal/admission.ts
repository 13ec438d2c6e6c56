/** Whether a call may execute now. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Deadline } from "./deadline.ts"
import type { Journey } from "./journey.ts"
import type { Entry } from "./overlay.ts"
import { type Permits, Ticket } from "./permits.ts"

export interface Admission {
  /** The deadline passed before the call could begin. */
  readonly missed: Deadline | undefined
  /** Lets the next one in, if this one took a place. Does nothing the second time. */
  readonly release: (() => void) | undefined
}

/** At once where nothing limits the calls of the tool. */
export const admit = (journey: Journey, entry: Entry): Admission | Effect.Effect<Admission> => {
  const permits = journey.turn.permitsFor(entry)
  if (permits.length > 0) return wait(journey, permits)
  return journey.deadline?.hasPassed === true ? { missed: journey.deadline, release: undefined } : admitted
}

const admitted: Admission = { missed: undefined, release: undefined }

/** Waiting counts against the deadline. Who is interrupted while waiting leaves the queue. */
const wait = ({ deadline, restore }: Journey, permits: ReadonlyArray<Permits>): Effect.Effect<Admission> =>
  Effect.suspend(() => {
    const ticket = new Ticket(permits)
    const inTime =
      deadline === undefined ? Effect.asSome(ticket.wait) : Effect.timeoutOption(ticket.wait, deadline.restMs)
    return restore(inTime).pipe(
      Effect.onInterrupt(() => Effect.sync(() => ticket.return())),
      Effect.map((valid): Admission => {
        if (Option.isNone(valid)) ticket.return()
        return { missed: Option.isNone(valid) ? deadline : undefined, release: () => ticket.return() }
      })
    )
  })
