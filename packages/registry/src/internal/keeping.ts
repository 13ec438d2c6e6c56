/** Keeps what does not fit, for one settlement. */
import type { Ref } from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Keys } from "./keys.ts"
import { unlessStalled } from "./stall.ts"

/** Knows what it kept, so that it can be let go of if the settlement comes to nothing. */
export class Keeping {
  readonly refs: Array<Ref> = []
  /** Of the objects in the settlement. */
  readonly keys: Keys
  /** The tool that reads what is kept, if the turn offers it. */
  readonly reader: string | undefined
  private readonly store: OutputStore.Interface
  private readonly sessionID: Session.ID

  constructor(store: OutputStore.Interface, sessionID: Session.ID, keys: Keys, reader: string | undefined) {
    this.store = store
    this.sessionID = sessionID
    this.keys = keys
    this.reader = reader
  }

  keep({ bytes, mimeType }: OutputStore.Content): Effect.Effect<OutputStore.Retained, OutputStore.StorageError> {
    let chunks = 0
    const counted = Stream.tap(bytes, () => Effect.sync(() => chunks++))
    const retaining = unlessStalled({
      operation: "retain",
      run: this.store.retain(this.sessionID, { mimeType, bytes: counted }),
      moves: () => chunks,
      tooLate: ({ ref }) => letGo(this.store, this.sessionID, [ref])
    })
    return Effect.tap(retaining, ({ ref }) => {
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
): Effect.Effect<void> => {
  if (refs.length === 0) return Effect.void
  const releasing = unlessStalled({
    operation: "release",
    run: store.release(sessionID, refs),
    moves: () => 0,
    tooLate: () => Effect.void
  })
  return Effect.catch(releasing, () => Effect.logWarning("Output that nothing refers to was not removed"))
}
