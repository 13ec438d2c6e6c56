/** What a turn offered, and what settling its calls needs. */
import type * as OutputBounds from "../OutputBounds.ts"
import type { Settlement } from "@haft/core/Settlement"
import type * as ArgumentRepair from "@haft/core/ArgumentRepair"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import type { Effective, Offer } from "./effective.ts"
import type { Flight } from "./inFlight.ts"
import type { Entry } from "./overlay.ts"
import type { Permits } from "./permits.ts"

export interface Turn {
  readonly offer: Offer
  readonly effective: Effective
  readonly store: SettlementStore.Interface
  readonly bounds: OutputBounds.Boundary
  readonly flights: Map<string, Flight>
  readonly timeoutMs: number | undefined
  /** How much of arguments that do not fit is repaired. A tool may allow less. */
  readonly repair: ArgumentRepair.Level
  /** The limits that a call of this entry has to wait for, in this order. Usually none. */
  readonly permitsFor: (entry: Entry) => ReadonlyArray<Permits>
}

/** What was kept for a settlement is kept for nobody if that is not recorded. */
export const recording = <A, E>(
  { bounds }: Turn,
  settlement: Settlement,
  record: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  settlement.managed.length === 0 ? record : Effect.onError(record, () => bounds.withdraw(settlement))
