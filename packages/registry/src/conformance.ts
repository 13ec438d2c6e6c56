/**
 * What a layer must do to stand in for one of ours, for authors of such layers. Each case is an effect that dies with the
 * reason when the layer is wrong, so any test runner can run it; each wants a store of its own that is empty.
 */
import * as Conformance from "./internal/settlementStoreConformance.ts"
import * as Reopening from "./internal/settlementStoreReopening.ts"

/** One property of a store, in a sentence. */
export type Case = Conformance.Case

/** One property of a store that is opened several times, in a sentence. */
export type ReopenCase = Reopening.ReopenCase

/** For every `SettlementStore`, those in memory included. */
export const settlementStore: ReadonlyArray<Case> = Conformance.cases

/** For every `SettlementStore` that outlives its process, besides. */
export const settlementStoreReopened: ReadonlyArray<ReopenCase> = Reopening.reopenCases
