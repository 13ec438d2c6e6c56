/** What a turn offered, and what settling its calls needs. */
import type * as OutputBounds from "../OutputBounds.ts"
import type * as ArgumentRepair from "@haft/core/ArgumentRepair"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type { Effective, Offer } from "./effective.ts"
import type { Flights } from "./inFlight.ts"
import type { Entry } from "./overlay.ts"
import type { Calls } from "./memoryStore.ts"
import type { Permits } from "./permits.ts"

export interface Turn {
  readonly offer: Offer
  readonly effective: Effective
  readonly store: SettlementStore.Interface
  /** Of the store, each to be run once and right away: it may have been done when it was called. */
  readonly calls: Calls
  readonly bounds: OutputBounds.Boundary
  /** Of the bounds, likewise. */
  readonly bound: OutputBounds.Boundary["bound"]
  readonly flights: Flights
  readonly timeoutMs: number | undefined
  /** How much of arguments that do not fit is repaired. A tool may allow less. */
  readonly repair: ArgumentRepair.Level
  /** The limits in which a call of this entry needs a place. Usually none. */
  readonly permitsFor: (entry: Entry) => ReadonlyArray<Permits>
}
