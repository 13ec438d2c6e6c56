/**
 * What a layer must do to stand in for one of our stores, for authors of such layers. Each case is an effect that dies
 * with the reason when the layer is wrong, so any test runner can run it; each wants a store of its own that is empty.
 */
import type * as Effect from "effect/Effect"
import type * as Audit from "./Audit.ts"
import type * as CommitLedger from "./CommitLedger.ts"
import type * as IdempotencyStore from "./IdempotencyStore.ts"
import * as AuditCases from "./internal/auditConformance.ts"
import * as LedgerCases from "./internal/commitLedgerConformance.ts"
import * as StoreCases from "./internal/idempotencyStoreConformance.ts"

/** One property of a store, in a sentence. */
export interface Case<S> {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, S>
}

/** For every `IdempotencyStore`, those in memory included. */
export const idempotencyStore: ReadonlyArray<Case<IdempotencyStore.Service>> = StoreCases.cases

/** For every `Audit`. */
export const audit: ReadonlyArray<Case<Audit.Service>> = AuditCases.cases

/** For every `CommitLedger`. */
export const commitLedger: ReadonlyArray<Case<CommitLedger.Service>> = LedgerCases.cases
