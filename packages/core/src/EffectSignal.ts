/**
 * How an executor, and the permission it asks for, say that the world is about to change, and that it has. The record of
 * the call then tells the truth even if the process dies in between.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ApprovalSpentError } from "./SettlementStore.ts"
import type { Mutation } from "./SideEffect.ts"

export interface Interface {
  /** Said by whoever decides about a permission: the executor waits for an answer, and changes nothing meanwhile. */
  readonly asking: Effect.Effect<void>
  /**
   * The permission was granted, so a change is possible. Returns once that is durable, and spends the approval in the same
   * step if a person gave one: an approval is good for one call. `approver` is who that was, where it is known.
   */
  readonly granted: (approvalID?: string, approver?: string) => Effect.Effect<void, ApprovalSpentError>
  /** From here on a change is possible. Returns once that is durable. */
  readonly starting: Effect.Effect<void>
  /** The change is done. */
  readonly committed: (mutations: ReadonlyArray<Mutation>) => Effect.Effect<void>
}

/** An executor may use it without declaring a dependency. */
export const Service = Context.Reference<Interface>("@haft/core/EffectSignal", {
  defaultValue: () => ({
    asking: Effect.void,
    granted: () => Effect.void,
    starting: Effect.void,
    committed: () => Effect.void
  })
})
