/**
 * The files of one Location. Every file tool goes through here: a path from a call is resolved inside one directory, which
 * nothing can lead out of, and whatever is changed is changed completely or not at all.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { attempt } from "./internal/attempt.ts"
import type { Root } from "./internal/descent.ts"
import { change, type Plan, type Since } from "./internal/fileChanges.ts"
import type { FileError } from "./internal/fileErrors.ts"
import { open, type OpenDirectory, type OpenFile } from "./internal/fileReads.ts"
import * as FileLocks from "./internal/fileLocks.ts"
import { none } from "./internal/journal.ts"
import * as JournalOpening from "./internal/journalOpening.ts"
import { bestEffort, type Confinement, isStrictPossible, realPath, strict } from "./internal/pins.ts"
import { Protection } from "./internal/protection.ts"
import { type External, type Target, Targets } from "./internal/targets.ts"

export type { Change, Current, Plan, Planned, Since } from "./internal/fileChanges.ts"
export { maxBytes, put, remove } from "./internal/fileChanges.ts"
export {
  AccessError,
  ChangedError,
  type FileError,
  InvalidPathError,
  Kind,
  LoopError,
  NotFoundError,
  OutsideError,
  ProtectedError,
  SystemError,
  TooLargeError,
  UncertainError,
  WrongKindError
} from "./internal/fileErrors.ts"
export type { Entry, OpenDirectory, OpenFile } from "./internal/fileReads.ts"
export type { Confinement } from "./internal/pins.ts"
export type { External, Target } from "./internal/targets.ts"

/**
 * The layer could not be built: there is no such directory, or it cannot be confined as demanded; or the journal lies inside
 * of it, is open to others, or cannot be written.
 */
export class RootError extends Schema.TaggedError<RootError>()("LocationFiles.RootError", {
  root: Schema.String,
  reason: Schema.Literals(["NotDirectory", "NotConfined", "JournalInside", "JournalNotPrivate", "JournalUnusable"])
}) {}

export interface Interface {
  /** The real path of the directory. */
  readonly root: string
  /**
   * `strict` holds against another process in the same directory; `best-effort` only if nothing else changes it, so there the
   * methods below wait while a command of `LocationShell` runs.
   */
  readonly confinement: Confinement
  /** Tells what a path stands for and not whether something is there: that is for the methods below, after a permission. */
  readonly resolve: (path: string) => Effect.Effect<Target | External, FileError>
  /** Goes on once `external.directory` was allowed. What comes back may be another directory that a link led to. */
  readonly enter: (external: External) => Effect.Effect<Target | External, FileError>
  /** What a search found at a path below a target. Follows no link, and fails if it is gone or protected. */
  readonly below: (target: Target, path: string) => Effect.Effect<Target, FileError>
  /** Opens a regular file or a directory for reading, until the Scope closes. */
  readonly open: (target: Target) => Effect.Effect<OpenFile | OpenDirectory, FileError, Scope.Scope>
  /**
   * Holds the targets, lets `plan` look at them, and makes the changes it decided on: all or none. Fails with
   * `ChangedError` if a target is not what it was when it was resolved, unless `since` admits it. Says through
   * `EffectSignal` what was done.
   */
  readonly change: <A, E>(
    targets: ReadonlyArray<Target>,
    since: Since,
    plan: Plan<A, E>
  ) => Effect.Effect<A, E | FileError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/LocationFiles") {}

/** Where changes are written down while they are made. `owners` are the `NodeOwners` of `@haft/node`, or like them. */
export type Journal = JournalOpening.Options

/** What a host chooses. */
export interface Options {
  /** The directory that calls may read and change, as far as a permission allows. */
  readonly root: string
  /** `strict` refuses to start where that is impossible. Without a choice the best that is possible is taken. */
  readonly confinement?: "strict"
  /**
   * What a crash cuts short is finished or undone at the next start. Without a journal each file is old or new after a crash,
   * but of several that change together some may be old and others new, and temporary files stay.
   */
  readonly journal?: Journal
  /** Files and directories that no tool may touch, such as the host's own stores. Absolute, or relative to the root. */
  readonly protect?: ReadonlyArray<string>
  /** A file with several names may belong to somebody else, too. For hosts that share a disk with strangers. */
  readonly refuseHardLinks?: boolean
  /** Where the system shows open descriptors as files. */
  readonly descriptors?: string
}

/** Linux. */
const defaultDescriptors = "/proc/self/fd"

/** Keeps the directory open: renaming or replacing it later changes nothing. */
export const layer = (options: Options): Layer.Layer<Service, RootError> => Layer.effect(Service, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const targets = yield* openTargets(options)
  const { access, path } = targets.location
  const refuseHardLinks = options.refuseHardLinks ?? false
  const journal = yield* openJournal(targets.location, options.journal)
  const setting = { targets, journal, refuseHardLinks }
  const locks = yield* FileLocks.Service
  // Names that a command could exchange meanwhile mean nothing while one runs.
  const guarded = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    access.confinement === "strict" ? effect : locks.withFiles(path, effect)
  return Service.of({
    root: path,
    confinement: access.confinement,
    resolve: Effect.fn("LocationFiles.resolve")((path) => guarded(attempt(path, () => targets.resolve(path)))),
    enter: Effect.fn("LocationFiles.enter")((external) =>
      guarded(attempt(external.path, () => targets.enter(external)))
    ),
    below: (target, path) => guarded(attempt(path, () => targets.below(target, path))),
    open: Effect.fn("LocationFiles.open")((target) => guarded(open(targets, target, refuseHardLinks))),
    change: Effect.fn("LocationFiles.change")((wanted, since, plan) => guarded(change(setting, wanted, since, plan)))
  })
})

const openTargets = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Targets, RootError, Scope.Scope> {
  const { descriptors = defaultDescriptors, protect = [], root } = options
  const fails = (reason: RootError["reason"]) => new RootError({ root, reason })
  const path = yield* Effect.mapError(
    attempt(root, () => realPath(root)),
    () => fails("NotDirectory")
  )
  const access = isStrictPossible(descriptors, path) ? strict(descriptors) : bestEffort
  if (options.confinement === "strict" && access.confinement !== "strict") return yield* fails("NotConfined")
  const pin = yield* Effect.acquireRelease(
    Effect.mapError(
      attempt(root, () => access.pin(path)),
      () => fails("NotDirectory")
    ),
    (pin) => Effect.sync(pin.release)
  )
  if (!pin.stats.isDirectory()) return yield* fails("NotDirectory")
  return new Targets({ access, pin, path }, new Protection(path, protect), root)
})

const openJournal = (root: Root, options: Journal | undefined) =>
  options === undefined
    ? Effect.succeed(none)
    : Effect.mapError(JournalOpening.open(root, options), (reason) => new RootError({ root: root.path, reason }))
