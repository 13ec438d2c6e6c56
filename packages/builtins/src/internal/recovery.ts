/**
 * Brings to an end what a process was changing when it died: a change of which every name is new is finished, and any
 * other is undone. Doing it twice, or dying while doing it, comes to the same.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { BigIntStats } from "node:fs"
import { attempt } from "./attempt.ts"
import { pinIfThere } from "./commit.ts"
import { type Descent, reach, type Root } from "./descent.ts"
import type { FileError } from "./fileErrors.ts"
import { contentOf } from "./identity.ts"
import { Entry, flush, type Place, type Step } from "./journal.ts"
import * as PathText from "./pathText.ts"
import { type Pin, removeDirectory, rename, unlink } from "./pins.ts"
import { tidy } from "./tidy.ts"

const decode = Schema.decodeOption(Schema.fromJsonString(Entry))

/** `Postponed` where a whole root is not there, such as a disk: somebody has to try again. */
export type Recovered = "Undone" | "Finished" | "Postponed"

/** A text that is no entry was never flushed, so no name had changed yet. */
export const recover = (system: Root, text: string): Effect.Effect<Recovered, FileError> =>
  Option.match(decode(text), {
    onNone: () => Effect.succeed("Finished" as const),
    onSome: (entry) => Effect.scoped(recoverEntry(system, entry))
  })

const recoverEntry = Effect.fnUntraced(function* (
  system: Root,
  { directories, isRenaming, steps }: Entry
): Effect.fn.Return<Recovered, FileError, Scope.Scope> {
  const places = [...steps.map(({ place }) => place), ...directories]
  for (const { root } of places)
    if ((yield* pinned(system, PathText.componentsOf(root))) === undefined) return postponed
  const found = (yield* Effect.forEach(steps, (step) => located(system, step))).flat()
  const isUndone = isRenaming && (yield* attempt("", () => found.some(isOutstanding)))
  yield* Effect.forEach(found.toReversed(), isUndone ? undone : finished, { discard: true })
  yield* Effect.forEach(directories.toReversed(), (place) => removeIfEmpty(system, place), { discard: true })
  return isUndone ? "Undone" : "Finished"
})

const postponed = "Postponed"

/** Where a step was to happen. */
interface Located {
  readonly system: Root
  readonly step: Step
  readonly directory: Pin
  readonly name: string
}

/** A directory that is gone has taken with it what was in it. */
const located = Effect.fnUntraced(function* (system: Root, step: Step) {
  const directory = yield* pinned(system, directoryOf(step.place))
  const name = step.place.names.at(-1)
  return directory === undefined || name === undefined ? [] : [{ system, step, directory, name } satisfies Located]
})

const directoryOf = ({ names, root }: Place): ReadonlyArray<string> => [
  ...PathText.componentsOf(root),
  ...names.slice(0, -1)
]

/** Until the Scope closes. No link is followed: one that stands there now was put there later. */
const pinned = (system: Root, names: ReadonlyArray<string>): Effect.Effect<Pin | undefined, FileError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      attempt("", () => reach(system, "", names)),
      ({ release }) => Effect.sync(release)
    ),
    (descent) => endOf(system, descent)
  )

const endOf = (system: Root, { names, obstacle, pins }: Descent): Pin | undefined => {
  if (obstacle !== undefined || pins.length < names.length) return undefined
  const pin = pins.at(-1) ?? system.pin
  return pin.stats.isDirectory() ? pin : undefined
}

const statsOf = ({ directory, system }: Located, name: string): BigIntStats | undefined => {
  const pin = pinIfThere(system.access, directory, name)
  pin?.release()
  return pin?.stats
}

const is = (content: string | undefined, stats: BigIntStats | undefined): boolean =>
  stats !== undefined && content === contentOf(stats)

/** The new content still has its temporary name, or what was to be removed has not been. */
const isOutstanding = (one: Located): boolean => {
  const { after, backup, before, temporary } = one.step
  if (temporary !== undefined) return is(after, statsOf(one, temporary))
  return is(before, statsOf(one, one.name)) && statsOf(one, backup) === undefined
}

const finished = (one: Located): Effect.Effect<void> =>
  Effect.sync(() => {
    const { backup, temporary = backup } = one.step
    for (const name of [backup, temporary]) tidy(() => unlink(one.directory, name))
  })

const undone = (one: Located): Effect.Effect<void, FileError> =>
  Effect.andThen(
    attempt("", () => undo(one)),
    flush("", one.system.access, one.directory)
  )

/** What somebody has put there since is not ours to take away, and the old content then stays beside it. */
const undo = (one: Located): void => {
  const { directory, name, step } = one
  const [current, kept] = [statsOf(one, name), statsOf(one, step.backup)]
  const isOurs = current === undefined || is(step.after, current) || isReserved(one, current)
  if (is(step.before, kept) && isOurs) rename(directory, step.backup, directory, name)
  if (step.before === undefined && current !== undefined && isOurs) unlink(directory, name)
  if (current !== undefined && current.ino === kept?.ino) unlink(directory, step.backup)
  if (step.temporary !== undefined && statsOf(one, step.temporary) !== undefined) unlink(directory, step.temporary)
}

/** A new name is taken with an empty file where the system has no second names. */
const isReserved = (one: Located, current: BigIntStats): boolean => {
  const { after, before, temporary } = one.step
  return before === undefined && current.size === 0n && temporary !== undefined && is(after, statsOf(one, temporary))
}

const removeIfEmpty = Effect.fnUntraced(function* (system: Root, place: Place) {
  const parent = yield* pinned(system, directoryOf(place))
  const name = place.names.at(-1)
  if (parent !== undefined && name !== undefined) tidy(() => removeDirectory(parent, name))
})
