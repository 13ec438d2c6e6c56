/**
 * Where a runner keeps its conversations. Messages are only ever added, one after the other, so that what a model was
 * told once is what it is told again. The one that survives its process is in `@haft/runner/sql`.
 */
import type * as Session from "@haft/core/Session"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Message } from "./Message.ts"

/** The history could not be written or read. */
export class StorageError extends Schema.TaggedError<StorageError>()("History.StorageError", {
  operation: Schema.Literals(["open", "read", "append"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Somebody else has added to the session: another process is running it. Nothing was written. */
export class ConflictError extends Schema.TaggedError<ConflictError>()("History.ConflictError", {
  sessionID: Schema.String,
  position: Schema.Int
}) {}

export interface Interface {
  /** All messages of a session in order; none for a session that nobody knows. */
  readonly read: (sessionID: Session.ID) => Effect.Effect<ReadonlyArray<Message>, StorageError>
  /**
   * Durable when it returns. `position` is how many messages the session has as far as the caller knows: of two that add
   * at the same position one is refused, and no position is left out.
   */
  readonly append: (
    sessionID: Session.ID,
    position: number,
    message: Message
  ) => Effect.Effect<void, StorageError | ConflictError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/runner/History") {}

/** Keeps everything until the layer's Scope closes, each build for itself. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const sessions = new Map<Session.ID, ReadonlyArray<Message>>()
  const known = (sessionID: Session.ID) => sessions.get(sessionID) ?? []
  return {
    read: (sessionID) => Effect.sync(() => known(sessionID)),
    append: (sessionID, position, message) =>
      Effect.suspend(() => {
        const messages = known(sessionID)
        if (messages.length !== position) return Effect.fail(new ConflictError({ sessionID, position }))
        sessions.set(sessionID, [...messages, message])
        return Effect.void
      })
  }
}
