/**
 * How an executor says that it is about to change the world, and that it has. The record of the call then tells the
 * truth even if the process dies in between.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Mutation } from "./SideEffect.ts"

export interface Interface {
  /** From here on a change is possible. Returns once that is durable. */
  readonly starting: Effect.Effect<void>
  /** The change is done. */
  readonly committed: (mutations: ReadonlyArray<Mutation>) => Effect.Effect<void>
}

/** An executor may use it without declaring a dependency. */
export const Service = Context.Reference<Interface>("@haft/core/EffectSignal", {
  defaultValue: () => ({ starting: Effect.void, committed: () => Effect.void })
})
