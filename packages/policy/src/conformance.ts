/**
 * What a layer must do to stand in for one of our stores, for authors of such layers. Each case is an effect that dies
 * with the reason when the layer is wrong, so any test runner can run it; each wants a store of its own that is empty.
 */
import * as Conformance from "./internal/policyStoreConformance.ts"

/** One property of a store, in a sentence. */
export type Case = Conformance.Case

/** For every `PolicyStore`, those in memory included. */
export const policyStore: ReadonlyArray<Case> = Conformance.cases
