/**
 * What a layer must do to stand in for our history, for authors of such layers. Each case is an effect that dies with the
 * reason when the layer is wrong, so any test runner can run it; each wants a history of its own that is empty.
 */
import * as Conformance from "./internal/historyConformance.ts"

/** One property of a history, in a sentence. */
export type Case = Conformance.Case

/** For every `History`, those in memory included. */
export const history: ReadonlyArray<Case> = Conformance.cases
