/** Keeps what does not fit, for one settlement. */
import type { Ref } from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"

/** Knows what it kept, so that it can be let go of if the settlement comes to nothing. */
export class Keeping {
  readonly refs: Array<Ref> = []
  /** The tool that reads what is kept, if the turn offers it. */
  readonly reader: string | undefined
  private readonly store: OutputStore.Interface
  private readonly sessionID: Session.ID

  constructor(store: OutputStore.Interface, sessionID: Session.ID, reader: string | undefined) {
    this.store = store
    this.sessionID = sessionID
    this.reader = reader
  }

  keep(content: OutputStore.Content): Effect.Effect<OutputStore.Retained, OutputStore.StorageError> {
    return Effect.tap(this.store.retain(this.sessionID, content), ({ ref }) => {
      this.refs.push(ref)
      return Effect.void
    })
  }
}

/** Nothing refers to these. What cannot be removed now is left to the store's next sweep. */
export const letGo = (
  store: OutputStore.Interface,
  sessionID: Session.ID,
  refs: ReadonlyArray<Ref>
): Effect.Effect<void> =>
  refs.length === 0
    ? Effect.void
    : Effect.catch(store.release(sessionID, refs), () =>
        Effect.logWarning("Output that nothing refers to was not removed")
      )
