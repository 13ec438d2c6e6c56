/**
 * Writes down which files are being changed, in a directory of the host's that no tool can reach. Whoever starts after a
 * crash reads there what was going on, and believes it: what stands in a Location itself could be forged.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { attempt, attemptPromise } from "./attempt.ts"
import { type FileError, SystemError } from "./fileErrors.ts"
import { type Access, createFile, openDirectory, type Pin, rename, unlink } from "./pins.ts"
import { tidy } from "./tidy.ts"
import { writeAll } from "./transfer.ts"

/** A place below a directory that was pinned. */
export const Place = Schema.Struct({ root: Schema.String, names: Schema.Array(Schema.String) })
export type Place = typeof Place.Type

/** One name that is to change, with the names beside it that are ours. */
export const Step = Schema.Struct({
  place: Place,
  temporary: Schema.optionalKey(Schema.String),
  backup: Schema.String,
  /** Of the old file, and of the new one as soon as it is written. */
  before: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String)
})
export type Step = typeof Step.Type

/** One change to one file or several. */
export const Entry = Schema.Struct({
  /** Whether some of the names may have changed already, and others not yet. */
  isRenaming: Schema.Boolean,
  steps: Schema.Array(Step),
  /** Directories that are made for it, each after the one that it is in. */
  directories: Schema.Array(Place)
})
export type Entry = typeof Entry.Type

const encode = Schema.encodeSync(Schema.fromJsonString(Entry))

/** What came of a change. */
export interface Fate {
  /** It is half done, and neither the rest of it nor the way back was possible. */
  isStuck: boolean
}

/** A change that is written down. */
export interface Noted {
  /** Durable when it returns: from here on several names change. */
  readonly renaming: (steps: ReadonlyArray<Step>) => Effect.Effect<void, FileError>
}

export interface Journal {
  /** Written down until the Scope closes, or for good if it is stuck. `path` is for the error. */
  readonly note: (path: string, entry: Entry, fate: Fate) => Effect.Effect<Noted, FileError, Scope.Scope>
}

/** For hosts that have no place for it. */
export const none: Journal = { note: () => Effect.succeed({ renaming: () => Effect.void }) }

export const extension = ".json"

/** Not complete yet. */
export const draftExtension = ".new"

/** The name of an entry says whose it is. */
export const stemOf = (owner: string, id: string): string => `${Buffer.from(owner).toString("hex")}-${id}`

/** In a directory that is held, as one of its owners. */
export const make = (access: Access, directory: Pin, owner: string, randomText: Effect.Effect<string>): Journal => ({
  note: Effect.fnUntraced(function* (path, entry, fate) {
    const stem = stemOf(owner, yield* randomText)
    const write = (written: Entry, isDurable: boolean) =>
      replace({ access, directory, path, stem }, encode(written), isDurable)
    yield* Effect.acquireRelease(write(entry, false), () =>
      Effect.sync(() => (fate.isStuck ? undefined : tidy(() => unlink(directory, stem + extension))))
    )
    return { renaming: (steps) => write({ ...entry, steps, isRenaming: true }, true) }
  })
})

interface Written {
  readonly access: Access
  readonly directory: Pin
  readonly path: string
  readonly stem: string
}

/** Whoever reads it finds the entry from before or this one. A note of temporary names is not worth waiting for the disk. */
const replace = ({ access, directory, path, stem }: Written, text: string, isDurable: boolean) =>
  Effect.gen(function* () {
    yield* Effect.acquireUseRelease(
      attemptPromise(path, () => createFile(directory, stem + draftExtension, 0o600)),
      (handle) =>
        Effect.andThen(
          writeAll(path, handle, new TextEncoder().encode(text)),
          isDurable ? attemptPromise(path, () => handle.sync()) : Effect.void
        ),
      (handle) => Effect.promise(() => handle.close())
    )
    yield* attempt(path, () => rename(directory, stem + draftExtension, directory, stem + extension))
    if (isDurable) yield* flush(path, access, directory)
  }).pipe(
    Effect.tapError(() => Effect.sync(() => tidy(() => unlink(directory, stem + draftExtension)))),
    Effect.mapError((error) => (error._tag === systemError ? error : new SystemError({ path, code: "EIO" })))
  )

const systemError = "LocationFiles.SystemError"

/** Makes names durable. */
export const flush = (path: string, access: Access, directory: Pin): Effect.Effect<void, FileError> =>
  Effect.acquireUseRelease(
    attemptPromise(path, () => openDirectory(access, directory)),
    (handle) => attemptPromise(path, () => handle.sync()),
    (handle) => Effect.promise(() => handle.close())
  )
