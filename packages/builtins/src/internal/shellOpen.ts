/** From a command to its first process: where it runs, what it sees, and what is to be looked at when it is over. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Os from "node:os"
import type * as LocationFiles from "../LocationFiles.ts"
import { attempt } from "./attempt.ts"
import type { FileError } from "./fileErrors.ts"
import type { OpenDirectory } from "./fileReads.ts"
import * as FileLocks from "./fileLocks.ts"
import { gitGuard } from "./gitPlaces.ts"
import * as Pins from "./pins.ts"
import { NotDirectoryError, StartError } from "./shellErrors.ts"
import * as Disk from "./shellDisk.ts"
import { until } from "./shellEnding.ts"
import type { Group, MakeGroup } from "./shellGroups.ts"
import * as Guard from "./shellGuard.ts"
import * as Launch from "./shellLaunch.ts"
import { type Limits, tasksOf } from "./shellLimits.ts"
import * as Process from "./shellProcess.ts"
import { type Mount, temporaryPaths } from "./shellSandbox.ts"
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
  readonly isProtected: Guard.IsProtected | undefined
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

/** Something that turns into code later, and that a command was not to make. */
export interface Moved {
  readonly from: string
  /** Where it is now. */
  readonly to: string
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
  readonly review: Effect.Effect<ReadonlyArray<Moved>>
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
    const disks = yield* Disk.look([directory.place, Os.tmpdir()])
    const started = yield* Process.start(shell.spawner, {
      command: Launch.plain(launching, launch, mark),
      mark,
      isIsolated: false,
      group
    })
    return { started, disks, cwd, forms, review: Effect.succeed([]) }
  }
  const root = yield* openRoot(shell)
  const isProtected = yield* protectionOf(shell)
  const guarded = isProtected === undefined ? new Map() : yield* Guard.look(root, isProtected)
  const mounts = [...externalMount(command.cwd), ...Guard.mountsFor(shell.files.root, root, guarded)]
  const setting = { root: shell.files.root, cwd, mounts }
  const isolated = Launch.isolated(launching, { ...launch, place: root.place }, setting)
  const disks = yield* Disk.look([root.place, directory.place])
  const reviewed = yield* reviewedAtTheEnd(review({ ...shell, isProtected }, guarded, mark))
  const started = yield* Process.start(shell.spawner, { command: isolated, mark, isIsolated: true, group })
  const own = yield* Disk.look(temporaryPaths.map((path) => `${started.view}${path}`))
  return { started, disks: [...disks, ...own], cwd, forms, review: reviewed }
})

/** What the host protects, and where Git's own settings lead. Nothing if the host protects nothing. */
const protectionOf = ({ files, isProtected }: Shell): Effect.Effect<Guard.IsProtected | undefined> =>
  isProtected === undefined
    ? Effect.succeed(undefined)
    : Effect.map(gitGuard(files), (isGuarded) => (resource) => isProtected(resource) || isGuarded(resource))

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
): Effect.fn.Return<OpenDirectory, FileError | NotDirectoryError, Scope.Scope> {
  const root = yield* shell.files.resolve(".")
  // The root's own path is never outside of it.
  if (root._tag === "External") return yield* Effect.die("the root is outside itself")
  return yield* openDirectory(shell, root)
})

/** A directory that was allowed besides the root. */
const externalMount = ({ external, identity, resource }: LocationFiles.Target): ReadonlyArray<Mount> =>
  external === undefined
    ? []
    : [{ path: resource, place: identity.split(":").slice(0, 2).join(":"), isReadOnly: false }]

const revealed = Effect.fnUntraced(function* (secrets: Secrets) {
  const values = Object.entries(yield* secrets).map(([name, value]) => [name, Redacted.value(value)] as const)
  const isUnusable = values.some(([, value]) => value.length < minSecretLength || value.includes("\0"))
  return isUnusable ? yield* new StartError({ reason: "Secret" }) : new Map(values)
})

const review = Effect.fnUntraced(function* (shell: Shell, before: Guard.Guarded, mark: string) {
  const { isProtected } = shell
  if (isProtected === undefined) return []
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const root = yield* openRoot(shell)
      const locks = yield* FileLocks.Service
      const isOwnFile = (identity: string, resource: string) =>
        locks.isOwnAt(identity, `${shell.files.root}/${resource}`)
      const appeared = Guard.appeared(before, yield* Guard.look(root, isProtected))
      const foreign = appeared.filter((resource) => !Guard.isOwn(root, resource.split("/"), isOwnFile))
      const moved = yield* Effect.forEach(foreign, (resource) => moveAside(shell, resource, mark))
      return moved.flat()
    })
  ).pipe(
    // The root is held open; if it cannot be read any more, there is nothing that could have appeared in it.
    Effect.orDie
  )
})

/** As much of the mark as makes a name that is free. */
const tokenLength = 8

/** Nothing where another command that ends at this moment has done it. */
const moveAside = (shell: Shell, from: string, mark: string) =>
  Effect.gen(function* () {
    const name = from.split("/").at(-1) ?? ""
    const parent = from.split("/").slice(0, -1).join("/")
    const aside = Guard.asideName(from, mark.slice(0, tokenLength))
    const target = yield* shell.files.resolve(parent === "" ? "." : parent)
    if (target._tag === "External") return yield* Effect.die("a path below the root is outside of it")
    const directory = yield* openDirectory(shell, target)
    yield* attempt(from, () => Pins.moveAside(directory, name, aside))
    return [{ from, to: [...(parent === "" ? [] : [parent]), aside].join("/") }]
  }).pipe(Effect.catchTag("LocationFiles.NotFoundError", () => Effect.succeed([])))
