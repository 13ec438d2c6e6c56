/** From a command to its first process: where it runs, what it sees, and what is to be looked at when it is over. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Os from "node:os"
import type * as LocationFiles from "../LocationFiles.ts"
import type { FileError } from "./fileErrors.ts"
import * as FileLocks from "./fileLocks.ts"
import { NotDirectoryError, StartError } from "./shellErrors.ts"
import * as Areas from "./shellAreas.ts"
import * as Disk from "./shellDisk.ts"
import { until } from "./shellEnding.ts"
import type { Group, MakeGroup } from "./shellGroups.ts"
import type { IsProtected } from "./shellGuard.ts"
import * as Launch from "./shellLaunch.ts"
import { type Limits, tasksOf } from "./shellLimits.ts"
import * as Process from "./shellProcess.ts"
import { temporaryPaths } from "./shellSandbox.ts"
import { formsOf, minSecretLength } from "./shellSecrets.ts"

/** Values for the environment that appear in no output. */
export type Secrets = Effect.Effect<Readonly<Record<string, Redacted.Redacted<string>>>>

/** What every command of a Location needs. */
export interface Shell {
  readonly files: LocationFiles.Interface
  readonly spawner: Process.Spawner
  readonly isIsolated: boolean
  readonly network: boolean
  readonly programs: Launch.Programs
  readonly limits: Limits
  readonly environment: ReadonlyMap<string, string>
  readonly secrets: Secrets
  readonly readOnlyPaths: ReadonlyArray<string>
  readonly isProtected: IsProtected | undefined
  /** Where the system lets this process make control groups. */
  readonly makeGroup: MakeGroup | undefined
}

/** A command and where it is to run. */
export interface Command {
  readonly text: string
  readonly cwd: LocationFiles.Target
  /** Whether both streams are one, in the order of writing. */
  readonly isMerged?: boolean
}

/** A command that was started, with everything that its output and its end need. */
export interface Opened {
  readonly started: Process.Started
  /** The file systems that it can write to, as they were when it began. */
  readonly disks: ReadonlyArray<Disk.Disk>
  /** The directory in which it runs. */
  readonly cwd: string
  /** Of its secrets, for whoever reads its output. */
  readonly forms: ReadonlyArray<Buffer>
  /** To be run once it is over: moves aside what it was not to make. */
  readonly review: Effect.Effect<ReadonlyArray<Areas.Moved>>
}

export const cwdOf = ({ files }: Pick<Shell, "files">, { external, names, resource }: LocationFiles.Target): string =>
  external === undefined ? [files.root, ...names].join("/") : resource

export const open = Effect.fnUntraced(function* (
  shell: Shell,
  command: Command
): Effect.fn.Return<Opened, FileError | NotDirectoryError | StartError, Scope.Scope> {
  const directory = yield* openDirectory(shell, command.cwd)
  const secrets = yield* revealed(shell.secrets)
  const view = { ...shell, variables: new Map([...shell.environment, ...secrets]) }
  const launching = { programs: shell.programs, limits: shell.limits, view }
  const mark = SecureRandom.uuidV4Unsafe()
  const forms = formsOf([...secrets.values()])
  const cwd = cwdOf(shell, command.cwd)
  const group = yield* openGroup(shell)
  const launch = {
    text: command.text,
    place: directory.place,
    isMerged: command.isMerged ?? false,
    group: group?.directory ?? ""
  }
  if (!shell.isIsolated) {
    const release = yield* alone(shell)
    const disks = yield* Disk.look([directory.place, Os.tmpdir()])
    const started = yield* Process.start(shell.spawner, {
      command: Launch.plain(launching, launch, mark),
      mark,
      isIsolated: false,
      group
    })
    return { started, disks, cwd, forms, review: Effect.as(release, []) }
  }
  const { files, isProtected } = shell
  const root = yield* openRoot(shell)
  const outside = command.cwd.external === undefined ? [] : [{ target: command.cwd, directory }]
  const areas = yield* Effect.forEach([...outside, root], (held) => Areas.look(files, held, isProtected))
  const setting = { root: files.root, cwd, mounts: yield* Areas.mountsFor(areas) }
  const isolated = Launch.isolated(launching, { ...launch, place: root.directory.place }, setting)
  const release = yield* alone(shell)
  const disks = yield* Disk.look([root.directory.place, directory.place])
  const reviewed = yield* reviewedAtTheEnd(Effect.andThen(release, Areas.review(files, areas, mark)))
  const started = yield* Process.start(shell.spawner, { command: isolated, mark, isIsolated: true, group })
  const own = yield* Disk.look(temporaryPaths.map((path) => `${started.view}${path}`))
  return { started, disks: [...disks, ...own], cwd, forms, review: reviewed }
})

/** Where files are opened by name nothing else may exchange them, so commands and whatever opens files take turns. */
const alone = ({ files }: Shell): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  files.confinement === "strict"
    ? Effect.succeed(Effect.void)
    : Effect.flatMap(FileLocks.Service, (locks) => locks.alone(files.root))

/** Once: when it is asked for, or else after the command has ended with the Scope. Nothing cuts it short. */
const reviewedAtTheEnd = Effect.fnUntraced(function* (review: Opened["review"]) {
  let isReviewed = false
  const once = Effect.suspend(() => {
    if (isReviewed) return Effect.succeed([])
    isReviewed = true
    return Effect.uninterruptible(review)
  })
  yield* Effect.addFinalizer(() => once)
  return once
})

/** The last process of a group may need a moment to leave it. One that stays is removed at the next start of a host. */
export const removedWithinMillis = 1_000

/** Released after the command has ended, so that it is empty. */
const openGroup = ({ limits, makeGroup }: Shell): Effect.Effect<Group | undefined, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeGroup?.(tasksOf(limits))),
    (group) => (group === undefined ? Effect.void : until(group.remove, removedWithinMillis))
  )

const openDirectory = Effect.fnUntraced(function* ({ files }: Shell, target: LocationFiles.Target) {
  const opened = yield* files.open(target)
  return opened._tag === "Directory" ? opened : yield* new NotDirectoryError({ path: target.path })
})

const openRoot = Effect.fnUntraced(function* (
  shell: Shell
): Effect.fn.Return<Areas.Held, FileError | NotDirectoryError, Scope.Scope> {
  const target = yield* shell.files.resolve(".")
  // The root's own path is never outside of it.
  if (target._tag === "External") return yield* Effect.die("the root is outside itself")
  return { target, directory: yield* openDirectory(shell, target) }
})

const revealed = Effect.fnUntraced(function* (secrets: Secrets) {
  const values = Object.entries(yield* secrets).map(([name, value]) => [name, Redacted.value(value)] as const)
  const isUnusable = values.some(([, value]) => value.length < minSecretLength || value.includes("\0"))
  return isUnusable ? yield* new StartError({ reason: "Secret" }) : new Map(values)
})
