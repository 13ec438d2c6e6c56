/** Keeps complete outputs that were too large for a model. What it says it kept, it has kept to the last byte. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as ManagedOutput from "./ManagedOutput.ts"
import type * as Session from "./Session.ts"

/**
 * What to keep, as a stream, so that it never has to be in memory twice. A chunk holds until the next one is asked for:
 * its memory may be used again, so a store copies what it does not write at once.
 */
export interface Content {
  readonly mimeType: string
  readonly bytes: Stream.Stream<Uint8Array>
}

/** What was kept, and where to find it. A line ends with a line feed or with the output. */
export interface Retained {
  readonly ref: ManagedOutput.Ref
  readonly bytes: number
  readonly lines: number
}

/** A part of an output, or as much of it as there is. Made with `bytes` or `lines`. */
export type Range =
  | { readonly _tag: "Bytes"; readonly offset: number; readonly length: number }
  | { readonly _tag: "Lines"; readonly first: number; readonly count: number }

/** From `offset` on, `length` bytes. Throws on what is no number of bytes. */
export const bytes = (offset: number, length: number): Range => ({
  _tag: "Bytes",
  offset: atLeast(0, offset),
  length: atLeast(0, length)
})

/** From the line `first` on, counted from 1, `count` lines with their ends. Throws on what is no number of lines. */
export const lines = (first: number, count: number): Range => ({
  _tag: "Lines",
  first: atLeast(1, first),
  count: atLeast(0, count)
})

const atLeast = (minimum: number, value: number): number => {
  if (Number.isSafeInteger(value) && value >= minimum) return value
  throw new RangeError(`expected a whole number of at least ${minimum}, got ${value}`)
}

/** An output that stays readable until its Scope closes, whatever is swept meanwhile. */
export interface Opened {
  readonly mimeType: string
  /** Of the whole output, as is `lines`. */
  readonly bytes: number
  readonly lines: number
  /** The byte where `content` begins; the end of the output if the range lies beyond it. */
  readonly offset: number
  readonly content: Stream.Stream<Uint8Array, StorageError>
}

/** What to look for, line by line. */
export interface Query {
  /** In the syntax of RE2, which has no look-around and no back-references, and takes linear time. */
  readonly pattern: string
  readonly ignoreCase?: boolean
  /** The byte to begin at; what is before it is not searched, only counted. */
  readonly offset?: number
}

/**
 * The first match in a line. In a line of more than 64 KiB each match is one, as far as they do not overlap; one that is
 * longer than 4 KiB can be missed there, or be told in pieces.
 */
export interface Match {
  /** From 1. */
  readonly line: number
  /** The byte where the match begins. */
  readonly offset: number
  /** The line without its end, or as much around the match as is short enough to show. */
  readonly text: string
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

/** Disk full, not allowed, over quota: the call that wanted to keep something ends as an operational error. */
export class StorageError extends Schema.TaggedError<StorageError>()("OutputStore.StorageError", {
  operation: Schema.Literals(["retain", "open", "search", "release", "sweep"]),
  /** The limit that would be exceeded, if that is the reason. */
  limit: Schema.optionalKey(Schema.Literals(["output", "session", "store"])),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The reference leads nowhere: it never did or belongs to another session, the output is too old, or it is damaged. */
export class UnavailableError extends Schema.TaggedError<UnavailableError>()("OutputStore.UnavailableError", {
  reason: Schema.Literals(["Unknown", "Expired", "Lost"])
}) {}

/** Nobody can search for this. */
export class PatternError extends Schema.TaggedError<PatternError>()("OutputStore.PatternError", {
  /** For whoever wrote the pattern: what is wrong with it. */
  message: Schema.String
}) {}

/** The search took too long. What it found before stands. */
export class SearchStoppedError extends Schema.TaggedError<SearchStoppedError>()("OutputStore.SearchStoppedError", {
  limitMs: Schema.Finite,
  /** The byte to go on from. */
  offset: Schema.Finite
}) {}

/** Why a search ended early. */
export type SearchError = StorageError | UnavailableError | PatternError | SearchStoppedError

export interface Interface {
  /**
   * Returns once the content is complete and durable. Interrupted or failed, it leaves nothing behind. The session is
   * live from here on, even if it had been released.
   */
  readonly retain: (sessionID: Session.ID, content: Content) => Effect.Effect<Retained, StorageError>
  readonly open: (
    sessionID: Session.ID,
    ref: ManagedOutput.Ref,
    range: Range
  ) => Effect.Effect<Opened, StorageError | UnavailableError, Scope.Scope>
  /** In the order of the output, as they are found. */
  readonly search: (sessionID: Session.ID, ref: ManagedOutput.Ref, query: Query) => Stream.Stream<Match, SearchError>
  /**
   * The session is over and its outputs may be removed when they are old or in the way: a host says so whenever a session
   * ends. One that kept and opened nothing for long enough counts as released until it does again. With `refs`, just
   * these are forgotten, because nothing came to refer to them.
   */
  readonly release: (
    sessionID: Session.ID,
    refs?: ReadonlyArray<ManagedOutput.Ref>
  ) => Effect.Effect<void, StorageError>
  /**
   * Removes what is too old or was left by a process that died. Gives the number of bytes freed. A host runs it from time
   * to time.
   */
  readonly sweep: Effect.Effect<number, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/OutputStore") {}
