/** Changes files: what is there is looked at, the new content is written beside it, and then all names change at once. */
import * as EffectSignal from "@haft/core/EffectSignal"
import type { Mutation } from "@haft/core/SideEffect"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { attempt, attemptPromise } from "./attempt.ts"
import { commit } from "./commit.ts"
import * as Errors from "./fileErrors.ts"
import * as FileLocks from "./fileLocks.ts"
import { assertRegular } from "./fileReads.ts"
import { absent, identityOf, placeOf } from "./identity.ts"
import type { Fate, Journal, Noted } from "./journal.ts"
import { assertWritable, openForReading, type Pin } from "./pins.ts"
import { notedOf, prepare, type Staged, stage } from "./staging.ts"
import { obstacleError, type Reached, type Target, type Targets } from "./targets.ts"
import { readInto } from "./transfer.ts"

/** An edit holds a file several times in memory: as bytes, as text, and both once more for the result. */
export const maxBytes = 64 * 1024 * 1024

/** What a target is while nobody else of us can change it. */
export interface Current {
  readonly target: Target
  readonly exists: boolean
  readonly size: number
  /** The whole content; empty if there is no file. */
  readonly read: Effect.Effect<Uint8Array, Errors.FileError>
}

/** A file is to have this content, or not to exist. */
export type Change =
  | { readonly _tag: "Put"; readonly target: Target; readonly bytes: Uint8Array; readonly like?: Target }
  | { readonly _tag: "Remove"; readonly target: Target }

/** Creates or replaces a file. A new one gets the mode of `like`, if that is given. */
export const put = (target: Target, bytes: Uint8Array, like?: Target): Change =>
  like === undefined ? { _tag: "Put", target, bytes } : { _tag: "Put", target, bytes, like }

/** Takes a file away. */
export const remove = (target: Target): Change => ({ _tag: "Remove", target })

/** What is to be changed, and what to say about it. */
export interface Planned<A> {
  readonly changes: ReadonlyArray<Change>
  readonly result: A
}

/** Decides about the changes once the files are held. */
export type Plan<A, E> = (current: ReadonlyArray<Current>) => Effect.Effect<Planned<A>, E>

/** What may have happened to a target since it was resolved: nothing, or changes that we made ourselves. */
export type Since = "Nothing" | "OwnChanges"

/** A target with everything that is held of it. */
export interface Held {
  readonly target: Target
  readonly reached: Reached
  readonly before: string | undefined
}

/** What all changes of a Location have in common. */
export interface Setting {
  readonly targets: Targets
  readonly journal: Journal
  readonly refuseHardLinks: boolean
}

export const change = Effect.fnUntraced(function* <A, E>(
  setting: Setting,
  wanted: ReadonlyArray<Target>,
  since: Since,
  plan: Plan<A, E>
): Effect.fn.Return<A, E | Errors.FileError> {
  const { journal, refuseHardLinks, targets } = setting
  const locks = yield* FileLocks.Service
  const keys = yield* Effect.forEach(wanted, (target) => attempt(target.path, () => keyOf(targets, target)))
  const held = (target: Target) =>
    hold(targets, target, (now) => isAsResolved(target, now, since, locks), refuseHardLinks)
  const changing = Effect.gen(function* () {
    const all = yield* Effect.forEach(wanted, held)
    const { changes, result } = yield* plan(all.map(currentOf))
    yield* make(changes, all, journal, locks)
    return result
  })
  return yield* locks.withAll(keys, Effect.scoped(changing))
})

/** Writes down what is going on, prepares everything, and changes the names. */
const make = Effect.fnUntraced(function* (
  changes: ReadonlyArray<Change>,
  all: ReadonlyArray<Held>,
  journal: Journal,
  locks: FileLocks.FileLocks
): Effect.fn.Return<void, Errors.FileError, Scope.Scope> {
  const [first] = changes
  if (first === undefined) return
  const fate: Fate = { isStuck: false }
  const prepared = yield* Effect.forEach(changes, (one) => prepare(one, all))
  const directories = prepared.flatMap(({ missing }) => missing)
  const entry = { isRenaming: false, steps: prepared.map(notedOf), directories }
  const noted = yield* journal.note(first.target.path, entry, fate)
  const staged = yield* Effect.forEach(prepared, (one) => stage(one, all, fate))
  yield* Effect.uninterruptible(finish(staged, locks, noted, fate))
})

const keyOf = (targets: Targets, target: Target): string => {
  const { descent, parent, release } = targets.reach(target)
  release()
  const names = target.names.slice(Math.min(descent.pins.length, target.names.length - 1))
  return [placeOf(parent.stats), ...names].join("/")
}

const isAsResolved = ({ identity }: Target, now: string, since: Since, locks: FileLocks.FileLocks): boolean =>
  since === "Nothing" ? identity === now : locks.isOwnWork(identity, now)

const hold = Effect.fnUntraced(function* (
  targets: Targets,
  target: Target,
  isExpected: (now: string) => boolean,
  refuseHardLinks: boolean
): Effect.fn.Return<Held, Errors.FileError, Scope.Scope> {
  const { path } = target
  const reached = yield* Effect.acquireRelease(
    attempt(path, () => targets.reach(target)),
    ({ release }) => Effect.sync(release)
  )
  const { descent, leaf, root } = reached
  if (descent.obstacle !== undefined) return yield* Effect.fail(obstacleError(path, descent.obstacle, root))
  if (!isExpected(leaf === undefined ? absent : identityOf(leaf.stats))) return yield* new Errors.ChangedError({ path })
  if (leaf === undefined) return { target, reached, before: undefined }
  yield* assertRegular(path, leaf, refuseHardLinks)
  yield* attempt(path, () => assertWritable(leaf))
  return { target, reached, before: identityOf(leaf.stats) }
})

const currentOf = ({ reached, target }: Held): Current => {
  const { leaf } = reached
  const size = leaf === undefined ? 0 : Number(leaf.stats.size)
  const read = leaf === undefined ? Effect.succeed(new Uint8Array()) : readAll(target, reached, leaf)
  return { target, exists: leaf !== undefined, size, read }
}

const readAll = ({ path }: Target, { root }: Reached, leaf: Pin): Effect.Effect<Uint8Array, Errors.FileError> =>
  Effect.acquireUseRelease(
    attemptPromise(path, () => openForReading(root.access, leaf)),
    Effect.fnUntraced(function* (handle) {
      const size = Number(leaf.stats.size)
      if (size > maxBytes) return yield* new Errors.TooLargeError({ path, bytes: size, limit: maxBytes })
      const buffer = new Uint8Array(size)
      const filled = yield* readInto(path, handle, buffer, 0)
      if (filled < size) return yield* new Errors.ChangedError({ path })
      return buffer
    }),
    (handle) => Effect.promise(() => handle.close())
  )

/** From the first rename to the record of what was done, without a stop in between. */
const finish = Effect.fnUntraced(function* (
  staged: ReadonlyArray<Staged>,
  locks: FileLocks.FileLocks,
  noted: Noted,
  fate: Fate
) {
  const [first] = staged
  if (first === undefined) return
  // One name changes or it does not; between two of them there is something to be undone.
  if (staged.length > 1) yield* noted.renaming(staged.map(({ noted }) => noted))
  const signal = yield* EffectSignal.Service
  yield* signal.starting
  yield* attempt(first.step.path, () => commit(staged.map(({ step }) => step))).pipe(
    Effect.tapErrorTag("LocationFiles.UncertainError", () => Effect.sync(() => (fate.isStuck = true)))
  )
  const flushed = yield* Effect.result(Effect.forEach(staged, (one) => settled(one, locks), { discard: true }))
  yield* signal.committed(staged.map(mutationOf))
  yield* Effect.fromResult(flushed)
})

/** The change is made. What fails now cannot say that it is not. */
const settled = ({ directory, handle, noted, step }: Staged, locks: FileLocks.FileLocks) =>
  Effect.gen(function* () {
    if (handle !== undefined) {
      const stats = yield* attemptPromise(step.path, () => handle.stat({ bigint: true }))
      const path = [noted.place.root, ...noted.place.names].join("/")
      locks.remember(identityOf(stats), { before: step.before ?? absent, path })
    }
    yield* attemptPromise(step.path, () => directory.sync())
  }).pipe(Effect.catchTag("LocationFiles.SystemError", ({ code, path }) => new Errors.UncertainError({ path, code })))

const mutationOf = ({ bytes, resource, step }: Staged): Mutation => {
  if (bytes === undefined) return { kind: "file.removed", target: resource }
  return { kind: step.before === undefined ? "file.created" : "file.replaced", target: resource, bytes }
}
