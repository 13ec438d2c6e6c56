/** Reads what a target leads to, once that is allowed. */
import * as Effect from "effect/Effect"
import type { Dirent } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { attempt, attemptPromise } from "./attempt.ts"
import * as Errors from "./fileErrors.ts"
import { kindOf } from "./identity.ts"
import { nearest } from "./nearest.ts"
import * as PathText from "./pathText.ts"
import { list, openForReading, type Pin } from "./pins.ts"
import { obstacleError, type Reached, type Target, type Targets } from "./targets.ts"
import { readInto } from "./transfer.ts"

/** A name in a directory. */
export interface Entry {
  /** Bytes that are not UTF-8 are shown as `\xff`. */
  readonly name: string
  readonly type: "file" | "directory" | "link" | "other"
  /** Whether a call can name it. */
  readonly isNameable: boolean
}

/** An open regular file. Its size may change while it is read. */
export interface OpenFile {
  readonly _tag: "File"
  readonly size: number
  /** From `position` on, `length` bytes or as many as there are. */
  readonly read: (position: number, length: number) => Effect.Effect<Uint8Array, Errors.FileError>
}

/** An open directory. */
export interface OpenDirectory {
  readonly _tag: "Directory"
  /** Leads to this very directory as long as the Scope is open, for a program that searches it. */
  readonly place: string
  /** Sorted by name. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>, Errors.FileError>
}

/** In the Scope until it closes. */
export const open = Effect.fnUntraced(function* (targets: Targets, target: Target, refuseHardLinks: boolean) {
  const reached = yield* Effect.acquireRelease(
    attempt(target.path, () => targets.reach(target)),
    ({ release }) => Effect.sync(release)
  )
  const pin = yield* existing(target, reached)
  if (pin.stats.isDirectory()) return openedDirectory(target.path, pin)
  yield* assertRegular(target.path, pin, refuseHardLinks)
  const handle = yield* Effect.acquireRelease(
    attemptPromise(target.path, () => openForReading(reached.root.access, pin)),
    (handle) => Effect.promise(() => handle.close())
  )
  return openedFile(target.path, pin, handle)
})

const existing = (target: Target, { descent, leaf, parent, root }: Reached): Effect.Effect<Pin, Errors.FileError> => {
  if (descent.obstacle !== undefined) return Effect.fail(obstacleError(target.path, descent.obstacle, root))
  return leaf === undefined ? missing(target, descent.pins.length, parent) : Effect.succeed(leaf)
}

/** A device or a pipe is never opened: that alone could block or act. */
export const assertRegular = (path: string, { stats }: Pin, refuseHardLinks: boolean) => {
  const found = stats.isFile() && refuseHardLinks && stats.nlink > 1n ? "HardLink" : kindOf(stats)
  return found === "File" ? Effect.void : Effect.fail(new Errors.WrongKindError({ path, expected: "File", found }))
}

const openedFile = (path: string, { stats }: Pin, handle: FileHandle): OpenFile => ({
  _tag: "File",
  size: Number(stats.size),
  read: (position, length) => {
    const buffer = new Uint8Array(length)
    return Effect.map(readInto(path, handle, buffer, position), (filled) => buffer.subarray(0, filled))
  }
})

const openedDirectory = (path: string, pin: Pin): OpenDirectory => ({
  _tag: "Directory",
  place: pin.place,
  entries: entriesOf(path, pin)
})

const entriesOf = (path: string, pin: Pin) =>
  Effect.map(
    attemptPromise(path, () => list(pin)),
    (found) => found.map(entryOf).toSorted((left, right) => (left.name < right.name ? -1 : 1))
  )

const entryOf = (found: Dirent<Buffer>): Entry => {
  const name = found.name.toString("utf8")
  const isNameable = Buffer.from(name, "utf8").equals(found.name)
  return { name: isNameable ? name : escaped(found.name), type: typeOf(found), isNameable }
}

const escaped = (name: Buffer): string =>
  name.toString("latin1").replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)

const typeOf = (found: Dirent<Buffer>): Entry["type"] => {
  if (found.isFile()) return "file"
  if (found.isDirectory()) return "directory"
  return found.isSymbolicLink() ? "link" : "other"
}

/** Looks for names that were meant in the first place where the path leads nowhere. */
const missing = Effect.fnUntraced(function* ({ external, names, path }: Target, depth: number, parent: Pin) {
  // A directory that may be searched and not be listed gives no suggestions.
  const entries = yield* Effect.orElseSucceed(entriesOf(path, parent), () => [])
  const [name = ""] = names.slice(depth)
  const nameable = entries.filter(({ isNameable }) => isNameable).map(({ name }) => name)
  const start = external === undefined ? [] : PathText.componentsOf(external.directory)
  const pathTo = (other: string) => {
    const to = [...start, ...names.slice(0, depth), other]
    return external === undefined ? PathText.relative(to) : PathText.absolute(to)
  }
  return yield* new Errors.NotFoundError({
    path,
    nearest: nearest(name, nameable).map(pathTo),
    isNameUnreadable: entries.some((entry) => !entry.isNameable && entry.name === name)
  })
})
