/** One call in one turn, on its way to its settlement. */
import type { Request, SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Call } from "./call.ts"
import type { Deadline } from "./deadline.ts"
import type { Turn } from "./turn.ts"

export interface Journey {
  readonly turn: Turn
  readonly request: Request
  readonly call: Call
  readonly clock: Clock.Clock
  readonly deadline: Deadline | undefined
  /** Makes interruptible what the caller may interrupt; everything else is not. */
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Goes through all stages that follow the look at what the store knows. */
  readonly proceed: (journey: Journey, known: Known) => Settled
}

/** What the store knows about the call. */
export type Known = Option.Option<SettlementStore.CallRecord>

export type Settled = Effect.Effect<Settlement, SettleError>

/** Milliseconds since the epoch, and never before the call began. */
export const now = ({ call, clock }: Journey): number => Math.max(call.begunAt, clock.currentTimeMillisUnsafe())
