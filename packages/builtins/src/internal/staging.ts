/** Writes new contents beside the files they are for, complete and flushed, under names that nobody else uses. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import type { FileHandle } from "node:fs/promises"
import { attempt, attemptPromise, codeOf } from "./attempt.ts"
import type { Step } from "./commit.ts"
import type { Change, Held } from "./fileChanges.ts"
import { ChangedError, type FileError } from "./fileErrors.ts"
import { at, createDirectory, createFile, openDirectory, type Pin, removeDirectory, unlink } from "./pins.ts"
import type { Reached, Target } from "./targets.ts"
import { writeAll } from "./transfer.ts"

/** The kernel takes away what the user's mask and the directory's rules forbid. */
const newFileMode = 0o666

/** Until the content is complete and has its mode. */
const privateMode = 0o600

/** Reading, writing and executing; a program that changed must not keep the right to become another user. */
const plainModeBits = 0o777n

/** A change that only its names are missing of. */
export interface Staged {
  readonly step: Step
  readonly resource: string
  /** Of the directory, to flush it. */
  readonly directory: FileHandle
  /** Of the new content. */
  readonly handle: FileHandle | undefined
  readonly bytes: number | undefined
}

export const stage = Effect.fnUntraced(function* (
  change: Change,
  all: ReadonlyArray<Held>
): Effect.fn.Return<Staged, FileError, Scope.Scope> {
  const { before, reached, target } = yield* heldOf(change.target, all)
  const { access } = reached.root
  const parent = yield* makeDirectories(target, reached)
  const names = yield* temporaryNames(parent)
  const directory = yield* opened(target.path, () => openDirectory(access, parent))
  const content = change._tag === "Put" ? yield* write(change, names.temporary, parent, all) : undefined
  return {
    step: {
      path: target.path,
      access,
      directory: parent,
      name: target.names.at(-1) ?? "",
      before,
      temporary: content === undefined ? undefined : names.temporary,
      backup: names.backup
    },
    resource: target.resource,
    directory,
    handle: content,
    bytes: change._tag === "Put" ? change.bytes.length : undefined
  }
})

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

/** What the system does not let us take away stays; the change itself is over by then. */
const tidy = (step: () => void): void => {
  try {
    step()
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
  }
}

/** Whatever has one of these names when the change is over is taken away. */
const temporaryNames = Effect.fnUntraced(function* (parent: Pin) {
  const stem = `.haft-${yield* randomText}`
  const names = { temporary: `${stem}.tmp`, backup: `${stem}.old` }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const name of Object.values(names)) tidy(() => unlink(parent, name))
    })
  )
  return names
})

const randomWord = Effect.map(Random.nextIntBetween(0, 2 ** 32), (word) => word.toString(16).padStart(8, "0"))
const randomText = Effect.map(Effect.all([randomWord, randomWord, randomWord, randomWord]), (words) => words.join(""))

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
