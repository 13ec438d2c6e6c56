/** How long a call may take, from its arrival on. Waiting counts. */
import type { Request } from "@haft/core/Materialization"
import type * as Clock from "effect/Clock"
import type { Turn } from "./turn.ts"

const nanosPerMilli = 1e6

/** On the monotonic clock: it does not move when somebody sets the time. */
export class Deadline {
  readonly limitMs: number
  private readonly clock: Clock.Clock
  private readonly startedNanos: bigint

  constructor(limitMs: number, clock: Clock.Clock) {
    this.limitMs = limitMs
    this.clock = clock
    this.startedNanos = clock.monotonicTimeNanosUnsafe()
  }

  /** What is left, at least 0. */
  get restMs(): number {
    return Math.max(0, this.limitMs - Number(this.clock.monotonicTimeNanosUnsafe() - this.startedNanos) / nanosPerMilli)
  }

  get hasPassed(): boolean {
    return this.restMs === 0
  }
}

/** By the smallest of the limits that request, turn and tool give, if they give any. Less than nothing is nothing. */
export const deadlineOf = (turn: Turn, { call, timeoutMs }: Request, clock: Clock.Clock): Deadline | undefined => {
  if (Number.isNaN(timeoutMs)) throw new RangeError("timeoutMs must be a number of milliseconds")
  const ofTool = turn.offer.byName.get(call.name)?.annotations.limits?.timeoutMs
  const limitMs = smallest(smallest(timeoutMs, turn.timeoutMs), ofTool)
  return limitMs === undefined ? undefined : new Deadline(Math.max(0, limitMs), clock)
}

const smallest = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)
