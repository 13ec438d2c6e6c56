/** What a turn offered, and what settling its calls needs. */
import type * as OutputBounds from "../OutputBounds.ts"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type { Effective, Offer } from "./effective.ts"
import type { Flight } from "./inFlight.ts"
import type { Entry } from "./overlay.ts"
import type { Permits } from "./permits.ts"

export interface Turn {
  readonly offer: Offer
  readonly effective: Effective
  readonly store: SettlementStore.Interface
  readonly bounds: OutputBounds.Interface
  readonly flights: Map<string, Flight>
  readonly timeoutMs: number | undefined
  /** The limits that a call of this entry has to wait for, in this order. Usually none. */
  readonly permitsFor: (entry: Entry) => ReadonlyArray<Permits>
}
