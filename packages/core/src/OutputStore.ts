/** Keeps complete outputs that were too large for a model. What it says it kept, it has kept to the last byte. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as ManagedOutput from "./ManagedOutput.ts"
import type * as Session from "./Session.ts"

/** What to keep, as a stream, so that it never has to be in memory twice. */
export interface Content {
  readonly mimeType: string
  readonly bytes: Stream.Stream<Uint8Array>
}

/** What was kept, and where to find it. */
export interface Retained {
  readonly ref: ManagedOutput.Ref
  readonly bytes: number
  readonly lines: number
}

/** From `offset` on, `length` bytes or as many as there are. */
export interface Range {
  readonly offset: number
  readonly length: number
}

/** One line that a search found. */
export interface Match {
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** Disk full, not allowed, over quota: the call that wanted to keep something ends as an operational error. */
export class StorageError extends Schema.TaggedError<StorageError>()("OutputStore.StorageError", {
  operation: Schema.Literals(["retain", "open", "search", "release", "sweep"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The reference leads nowhere: it never did, the output is too old, or it belongs to another session. */
export class UnavailableError extends Schema.TaggedError<UnavailableError>()("OutputStore.UnavailableError", {
  reason: Schema.Literals(["Unknown", "Expired", "Lost"])
}) {}

export interface Interface {
  /** Returns once the content is complete and durable. Interrupted or failed, it leaves nothing behind. */
  readonly retain: (sessionID: Session.ID, content: Content) => Effect.Effect<Retained, StorageError>
  readonly open: (
    sessionID: Session.ID,
    ref: ManagedOutput.Ref,
    range: Range
  ) => Stream.Stream<Uint8Array, StorageError | UnavailableError>
  /** Lines that match a linear-time regular expression. */
  readonly search: (
    sessionID: Session.ID,
    ref: ManagedOutput.Ref,
    pattern: string
  ) => Stream.Stream<Match, StorageError | UnavailableError>
  /** The session is over: nothing refers to its outputs any more. */
  readonly release: (sessionID: Session.ID) => Effect.Effect<void, StorageError>
  /** Removes what is too old or over quota and not referred to. Gives the number of bytes freed. */
  readonly sweep: Effect.Effect<number, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/OutputStore") {}
