/** The capability `files`: the files of the Location, by paths relative to its root. The host decides what is in reach. */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Capability from "./Capability.ts"

/** The path leads to nothing that the plugin may use in this way. */
export class FileError extends Schema.TaggedError<FileError>()("Files.FileError", {
  path: Schema.String,
  /** For people: what is wrong with it. */
  message: Schema.String
}) {}

export interface Interface {
  readonly read: (path: string) => Effect.Effect<Uint8Array, FileError>
  /** The names in a directory, sorted. */
  readonly list: (path: string) => Effect.Effect<ReadonlyArray<string>, FileError>
  /** The whole file, or nothing of it. */
  readonly write: (path: string, content: Uint8Array) => Effect.Effect<void, FileError>
}

export class Service extends Capability.Service<Service, Interface>()("files") {}
