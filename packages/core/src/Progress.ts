/** Live reports from a running call, for whoever watches. Nobody has to: without a listener a report goes nowhere. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** `completed` and `total` are in whatever unit the tool counts in. */
export interface Update {
  readonly message?: string
  readonly completed?: number
  readonly total?: number
}

export interface Interface {
  /** Never fails and never waits for the listener. */
  readonly report: (update: Update) => Effect.Effect<void>
}

/** An executor may use it without declaring a dependency. */
export const Service = Context.Reference<Interface>("@haft/core/Progress", {
  defaultValue: () => ({ report: () => Effect.void })
})
