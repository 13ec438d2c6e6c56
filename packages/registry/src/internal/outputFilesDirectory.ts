/**
 * The directory of an output store: a file for each content, named by its SHA-256, and files that are being written, named
 * by their writer. Whatever has another name belongs to somebody else and is never touched.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"

export interface Directory {
  readonly files: FileSystem.FileSystem
  readonly path: string
  /** Open for as long as the store is. */
  readonly handle: FileSystem.File
}

export const privateDirectory = 0o700
export const privateFile = 0o600
/** The permissions of anybody but the owner. */
export const others = 0o077

const contentName = /^[0-9a-f]{64}$/
const temporaryName = /^(.{1,64})\.[0-9a-f]{32}\.tmp$/

const contentPath = ({ path }: Directory, hash: string): string => `${path}/${hash}`

export const temporaryPath = ({ path }: Directory, owner: string, random: string): string =>
  `${path}/${owner}.${random}.tmp`

/** What was there under the same name had the same content, or was damaged. */
export const place = (directory: Directory, temporary: string, hash: string) =>
  directory.files.rename(temporary, contentPath(directory, hash))

/** Names are durable only after this. */
export const sync = ({ handle }: Directory): Effect.Effect<void, PlatformError.PlatformError> => handle.sync

/** A link in the place of a content is not followed. */
export const openContent = (directory: Directory, hash: string) =>
  directory.files.open(contentPath(directory, hash), { noFollow: true })

export const removeContent = (directory: Directory, hash: string): Effect.Effect<void, PlatformError.PlatformError> =>
  directory.files.remove(contentPath(directory, hash), { force: true })

/** A file that no row tells of may be one of these. */
export interface Leftovers {
  readonly contents: ReadonlyArray<string>
  readonly temporaries: ReadonlyArray<{ readonly name: string; readonly owner: string }>
}

export const list = Effect.fnUntraced(function* ({ files, path }: Directory) {
  const entries = yield* files.readDirectoryEntries(path)
  const names = entries.filter(({ type }) => type === "File").map(({ name }) => name)
  const leftovers: Leftovers = {
    contents: names.filter((name) => contentName.test(name)),
    temporaries: names.flatMap((name) => {
      const owner = temporaryName.exec(name)?.[1]
      return owner === undefined ? [] : [{ name, owner }]
    })
  }
  return leftovers
})

/** Removes a file of ours and gives its size; a file that is gone already has none. */
export const removeFile = Effect.fnUntraced(function* ({ files, path }: Directory, name: string) {
  const file = `${path}/${name}`
  const info = yield* Effect.option(files.lstat(file))
  yield* files.remove(file, { force: true })
  return Option.match(info, { onNone: () => 0, onSome: ({ size }) => ByteSize.toNumberUnsafe(size) })
})
