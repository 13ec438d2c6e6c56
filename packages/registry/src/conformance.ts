/**
 * What a layer must do to stand in for one of ours, for authors of such layers. Each case is an effect that dies with the
 * reason when the layer is wrong, so any test runner can run it; each wants a store of its own that is empty.
 */
import * as OutputStores from "./internal/outputStoreConformance.ts"
import * as OutputStoreIdle from "./internal/outputStoreIdle.ts"
import * as OutputStoreLimits from "./internal/outputStoreLimits.ts"
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

/** One property of an output store, in a sentence. */
export type OutputCase = OutputStores.Case

/** One property of an output store with limits, in a sentence. */
export type OutputLimitCase = OutputStoreLimits.LimitCase

/** One property of an output store that is opened several times, in a sentence. */
export type OutputReopenCase = OutputStoreLimits.ReopenCase

/** For every `OutputStore`, those in memory included. */
export const outputStore: ReadonlyArray<OutputCase> = OutputStores.cases

/** For every `OutputStore` that can be given limits. */
export const outputStoreLimited: ReadonlyArray<OutputLimitCase> = [
  ...OutputStoreLimits.limitCases,
  ...OutputStoreIdle.idleCases
]

/** For every `OutputStore` that outlives its process, besides. */
export const outputStoreReopened: ReadonlyArray<OutputReopenCase> = OutputStoreLimits.reopenCases
