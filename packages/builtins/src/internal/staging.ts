/** Writes new contents beside the files they are for, complete and flushed, under names that nobody else uses. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileHandle } from "node:fs/promises"
import { attempt, attemptPromise, codeOf } from "./attempt.ts"
import type { Step } from "./commit.ts"
import type { Change, Held } from "./fileChanges.ts"
import { ChangedError, type FileError } from "./fileErrors.ts"
import { contentOf } from "./identity.ts"
import type { Fate, Place, Step as NotedStep } from "./journal.ts"
import { at, createDirectory, createFile, openDirectory, type Pin, removeDirectory, unlink } from "./pins.ts"
import { randomText } from "./randomText.ts"
import { stagedNames } from "./stagedNames.ts"
import type { Reached, Target } from "./targets.ts"
import { tidy } from "./tidy.ts"
import { writeAll } from "./transfer.ts"

/** The kernel takes away what the user's mask and the directory's rules forbid. */
const newFileMode = 0o666

/** Until the content is complete and has its mode. */
const privateMode = 0o600

/** Reading, writing and executing; a program that changed must not keep the right to become another user. */
const plainModeBits = 0o777n

/** A change, and the names that it needs beside its file. */
export interface Prepared {
  readonly change: Change
  readonly held: Held
  readonly temporary: string | undefined
  readonly backup: string
  readonly place: Place
  /** Of the directories on the way that are missing. */
  readonly missing: ReadonlyArray<Place>
}

/** A change that only its names are missing of. */
export interface Staged {
  readonly step: Step
  readonly noted: NotedStep
  readonly resource: string
  /** Of the directory, to flush it. */
  readonly directory: FileHandle
  /** Of the new content. */
  readonly handle: FileHandle | undefined
  readonly bytes: number | undefined
}

/** Touches nothing. */
export const prepare = Effect.fnUntraced(function* (
  change: Change,
  all: ReadonlyArray<Held>
): Effect.fn.Return<Prepared> {
  const held = yield* heldOf(change.target, all)
  const { backup, temporary } = stagedNames(yield* randomText)
  const { descent, root } = held.reached
  const { names } = change.target
  const ends = names.slice(descent.pins.length, -1).map((_, index) => descent.pins.length + index + 1)
  return {
    change,
    held,
    temporary: change._tag === "Put" ? temporary : undefined,
    backup,
    place: { root: root.path, names },
    missing: ends.map((end) => ({ root: root.path, names: names.slice(0, end) }))
  }
})

/** As it is written down before the first file is touched. */
export const notedOf = ({ backup, held, place, temporary }: Prepared): NotedStep => {
  const leaf = held.reached.leaf
  return {
    place,
    backup,
    ...(temporary === undefined ? {} : { temporary }),
    ...(leaf === undefined ? {} : { before: contentOf(leaf.stats) })
  }
}

export const stage = Effect.fnUntraced(function* (
  prepared: Prepared,
  all: ReadonlyArray<Held>,
  fate: Fate
): Effect.fn.Return<Staged, FileError, Scope.Scope> {
  const { backup, change, held, temporary } = prepared
  const { before, reached, target } = held
  const { access } = reached.root
  const parent = yield* makeDirectories(target, reached)
  yield* removedAfter(parent, prepared, fate)
  const directory = yield* opened(target.path, () => openDirectory(access, parent))
  const content =
    change._tag === "Put" && temporary !== undefined ? yield* write(change, temporary, parent, all) : undefined
  const after = content === undefined ? {} : { after: yield* contentAfter(target.path, content) }
  return {
    step: { path: target.path, access, directory: parent, name: target.names.at(-1) ?? "", before, temporary, backup },
    noted: { ...notedOf(prepared), ...after },
    resource: target.resource,
    directory,
    handle: content,
    bytes: change._tag === "Put" ? change.bytes.length : undefined
  }
})

const contentAfter = (path: string, handle: FileHandle) =>
  Effect.map(
    attemptPromise(path, () => handle.stat({ bigint: true })),
    contentOf
  )

/** A plan that changes a file which it did not ask for has a bug. */
const heldOf = (target: Target, all: ReadonlyArray<Held>): Effect.Effect<Held> => {
  const held = all.find((one) => one.target === target)
  return held === undefined ? Effect.die(new TypeError("a change of a file that is not held")) : Effect.succeed(held)
}

const opened = (path: string, open: () => Promise<FileHandle>) =>
  Effect.acquireRelease(attemptPromise(path, open), (handle) => Effect.promise(() => handle.close()))

/** Missing directories on the way, which go away again if the change does not happen. */
const makeDirectories = Effect.fnUntraced(function* (
  { names, path }: Target,
  { descent, parent, root }: Reached
): Effect.fn.Return<Pin, FileError, Scope.Scope> {
  let deepest = parent
  for (const name of names.slice(descent.pins.length, -1)) {
    const above = deepest
    yield* Effect.acquireRelease(
      attempt(path, () => makeDirectory(above, name)),
      (isNew) => Effect.sync(() => (isNew ? removeIfEmpty(above, name) : undefined))
    )
    deepest = yield* Effect.acquireRelease(
      attempt(path, () => root.access.pin(at(above, name))),
      ({ release }) => Effect.sync(release)
    )
    if (!deepest.stats.isDirectory()) return yield* new ChangedError({ path })
  }
  return deepest
})

/** Another change may have made it a moment ago. */
const makeDirectory = (parent: Pin, name: string): boolean => {
  try {
    createDirectory(parent, name)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  }
}

/** Once a file is in it, it stays. */
const removeIfEmpty = (parent: Pin, name: string): void => tidy(() => removeDirectory(parent, name))

/** Whatever has one of the names when the change is over is taken away, unless it is all that is left of a file. */
const removedAfter = (parent: Pin, { backup, temporary = backup }: Prepared, fate: Fate) =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      const names = fate.isStuck ? [] : [temporary, backup]
      for (const name of names) tidy(() => unlink(parent, name))
    })
  )

const write = Effect.fnUntraced(function* (
  { bytes, like, target }: Extract<Change, { readonly _tag: "Put" }>,
  name: string,
  parent: Pin,
  all: ReadonlyArray<Held>
): Effect.fn.Return<FileHandle, FileError, Scope.Scope> {
  const { path } = target
  const model = (yield* heldOf(like ?? target, all)).reached.leaf
  const handle = yield* opened(path, () => createFile(parent, name, model === undefined ? newFileMode : privateMode))
  yield* writeAll(path, handle, bytes)
  if (model !== undefined) yield* attemptPromise(path, () => resemble(handle, model))
  yield* attemptPromise(path, () => handle.sync())
  return handle
})

/** Owner first: changing it takes rights away that the mode gives. An ordinary user keeps what is theirs. */
const resemble = async (handle: FileHandle, { stats }: Pin): Promise<void> => {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== stats.uid || own.gid !== stats.gid) {
    await handle.chown(Number(stats.uid), Number(stats.gid)).catch((cause: unknown) => {
      if (codeOf(cause) !== "EPERM") throw cause
    })
  }
  await handle.chmod(Number(stats.mode & plainModeBits))
}
