/** Opens the journal of a Location, after what dead processes left in it was brought to an end. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { attempt, attemptPromise, codeOf } from "./attempt.ts"
import type { Root } from "./descent.ts"
import type { FileError } from "./fileErrors.ts"
import * as Journal from "./journal.ts"
import * as PathText from "./pathText.ts"
import {
  type Access,
  at,
  list,
  makePrivateDirectory,
  openForReading,
  type Pin,
  realPath,
  rename,
  unlink
} from "./pins.ts"
import { randomText } from "./randomText.ts"
import { recover } from "./recovery.ts"
import { tidy } from "./tidy.ts"
import { readInto } from "./transfer.ts"

/** Tells which of the processes that share a directory are alive, so that nobody ends what another is still doing. */
export interface Owners {
  /** An id that nobody had before, of somebody who is alive until the Scope closes or the process dies. */
  readonly acquire: Effect.Effect<string, unknown, Scope.Scope>
  /** Says yes in doubt. */
  readonly isAlive: (owner: string) => Effect.Effect<boolean>
}

/** Where the host lets changes be written down while they are made. */
export interface Options {
  /** Of the journal alone, outside of every Location; made when it is missing. Several Locations and processes may share it. */
  readonly directory: string
  readonly owners: Owners
}

interface Opened {
  readonly access: Access
  readonly directory: Pin
  readonly owner: string
}

/** What keeps a journal from being used. Whoever can write in it could have files moved at the next start. */
export type Fault = "JournalInside" | "JournalNotPrivate" | "JournalUnusable"

export const open = Effect.fnUntraced(function* (
  { access, path: root }: Root,
  { directory, owners }: Options
): Effect.fn.Return<Journal.Journal, Fault, Scope.Scope> {
  const isPrivate = yield* usable(attempt(directory, () => makePrivateDirectory(directory)))
  const path = yield* usable(attempt(directory, () => realPath(directory)))
  if (PathText.below(root, path) !== undefined) return yield* Effect.fail("JournalInside" as const)
  if (!isPrivate) return yield* Effect.fail("JournalNotPrivate" as const)
  const owner = yield* usable(owners.acquire)
  const pin = yield* Effect.acquireRelease(usable(attempt(directory, () => access.pin(path))), (pin) =>
    Effect.sync(pin.release)
  )
  yield* recoverAll({ access, directory: pin, owner }, owners)
  return Journal.make(access, pin, owner, randomText)
})

const usable = <A, R>(effect: Effect.Effect<A, unknown, R>): Effect.Effect<A, Fault, R> =>
  Effect.mapError(effect, () => "JournalUnusable" as const)

const names = /^(?<owner>(?:[0-9a-f]{2})+)-(?<id>[0-9a-f]{32})(?<extension>\.json|\.new)$/

/** What cannot be ended now is kept for the next start. The Location can be used all the same. */
const recoverAll = Effect.fnUntraced(function* (opened: Opened, owners: Owners) {
  const found = yield* Effect.orElseSucceed(
    attemptPromise("", () => list(opened.directory)),
    () => []
  )
  for (const entry of found) {
    const { extension, id = "", owner = "" } = names.exec(entry.name.toString("latin1"))?.groups ?? {}
    const other = Buffer.from(owner, "hex").toString()
    if (extension === undefined || other === opened.owner || (yield* owners.isAlive(other))) continue
    if (extension === Journal.draftExtension) tidy(() => unlink(opened.directory, entry.name.toString()))
    else yield* recoverOne(opened, entry.name.toString(), Journal.stemOf(opened.owner, id) + extension)
  }
})

/** The entry becomes ours first: of several that start at the same time one recovers it. */
const recoverOne = Effect.fnUntraced(
  function* ({ access, directory }: Opened, name: string, ownName: string) {
    if (!(yield* attempt("", () => isTaken(directory, name, ownName)))) return
    const system = yield* Effect.acquireRelease(
      attempt("", () => access.pin("/")),
      ({ release }) => Effect.sync(release)
    )
    const recovered = yield* recover({ access, pin: system, path: "/" }, yield* textOf(access, directory, ownName))
    if (recovered === "Postponed") return
    yield* attempt("", () => unlink(directory, ownName))
    yield* Effect.logWarning("A change of files that a crash had cut short", recovered)
  },
  Effect.scoped,
  Effect.catch(({ _tag }: FileError) => Effect.logWarning("A change of files that a crash had cut short", _tag))
)

const isTaken = (directory: Pin, name: string, ownName: string): boolean => {
  try {
    rename(directory, name, directory, ownName)
    return true
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return false
    throw cause
  }
}

const textOf = Effect.fnUntraced(function* (access: Access, directory: Pin, name: string) {
  const pin = yield* Effect.acquireRelease(
    attempt("", () => access.pin(at(directory, name))),
    ({ release }) => Effect.sync(release)
  )
  const handle = yield* Effect.acquireRelease(
    attemptPromise("", () => openForReading(access, pin)),
    (handle) => Effect.promise(() => handle.close())
  )
  const buffer = new Uint8Array(Number(pin.stats.size))
  const filled = yield* readInto("", handle, buffer, 0)
  return Buffer.from(buffer.subarray(0, filled)).toString("utf8")
})
