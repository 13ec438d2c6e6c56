/**
 * Runs commands in a directory of `LocationFiles`. Where the system can do that, a command gets a namespace of its own: it
 * sees the directory and the system's programs, has no network and an empty environment, and nothing of it outlives its end.
 * Elsewhere it runs beside this process, which a permission has to be asked for separately. A host may stop a command that
 * somebody waits for.
 *
 * Without a namespace a process that leaves the session of its command is found by a variable in its environment; one that
 * also empties its environment can survive.
 */
import type * as ToolCall from "@haft/core/ToolCall"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Process from "node:process"
import type { FileError } from "./internal/fileErrors.ts"
import type { Isolation } from "./internal/searchEngine.ts"
import type { Moved } from "./internal/shellAreas.ts"
import { environmentOf, findGroups, findShell, isIsolating } from "./internal/shellBuild.ts"
import { type NotDirectoryError, StartError } from "./internal/shellErrors.ts"
import type { IsProtected } from "./internal/shellGuard.ts"
import { type Limits, limitsOf } from "./internal/shellLimits.ts"
import { type Command, open, type Opened, type Secrets, type Shell } from "./internal/shellOpen.ts"
import { type Cause, type Result as Watched, watch } from "./internal/shellRun.ts"
import * as LocationFiles from "./LocationFiles.ts"

export type { Isolation } from "./internal/searchEngine.ts"
export type { Captured } from "./internal/shellCapture.ts"
export { NotDirectoryError, StartError } from "./internal/shellErrors.ts"
export type { IsProtected } from "./internal/shellGuard.ts"
export type { Limits } from "./internal/shellLimits.ts"
export type { Moved } from "./internal/shellAreas.ts"
export type { Command, Opened, Secrets } from "./internal/shellOpen.ts"
export type { Exited, Started } from "./internal/shellProcess.ts"
export type { Cause } from "./internal/shellRun.ts"

/** The layer could not be built: there is no bash, or commands cannot be isolated as demanded. */
export class UnavailableError extends Schema.TaggedError<UnavailableError>()("LocationShell.UnavailableError", {
  reason: Schema.Literals(["NoShell", "NotIsolated"])
}) {}

/** Whose command it is, and how long it may be silent. */
export interface RunOptions {
  readonly call: ToolCall.Identity
  readonly idle?: Duration.Duration
}

/** What came of a command, and where it ran. */
export interface Result extends Watched {
  readonly cwd: string
  /** What it made of what is protected. Then it does not count as done. */
  readonly movedAside: ReadonlyArray<Moved>
}

/** Why a command did not run. */
export type RunError = FileError | NotDirectoryError | StartError

export interface Interface {
  /** Whether a command sees nothing but the directory and the system's programs. */
  readonly isolation: Isolation
  /** Whether a command has a network. Without a namespace it always has. */
  readonly network: boolean
  readonly limits: Limits
  /**
   * Who keeps a command from multiplying. `kernel`: nothing starts beyond four times its limit, threads included. `sampling`:
   * it is counted ten times a second, and ended when it has too many. In either case it is ended.
   */
  readonly processLimit: "kernel" | "sampling"
  /** Runs a command to its end, and tells about it through `Progress`. Interruption ends all its processes. */
  readonly run: (command: Command, options: RunOptions) => Effect.Effect<Result, RunError>
  /** Starts a command that ends with the Scope at the latest. Refused where files and commands have to take turns. */
  readonly start: (command: Command) => Effect.Effect<Opened, RunError, Scope.Scope>
  /** Ends a command that runs for this call; its result says so. False if there is none. */
  readonly stop: (call: ToolCall.Identity) => Effect.Effect<boolean>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/LocationShell") {}

/** What a host chooses. */
export interface Options {
  /** `preferred` isolates where that works, `required` refuses to start where it does not, `none` never does. */
  readonly isolation?: "none" | "preferred" | "required"
  /** Whether isolated commands have a network. Off unless a host wants it. */
  readonly network?: boolean
  /** The program that isolates, by its path or by a name in the system's directories. */
  readonly bubblewrap?: string
  /** The shell, by its path. */
  readonly bash?: string
  /** Variables for every command, besides `PATH`, `HOME`, `LANG` and `TMPDIR`, which may be replaced. */
  readonly environment?: Readonly<Record<string, string>>
  /** More variables, asked for anew with every command. Their values are taken out of everything that a command prints. */
  readonly secrets?: Secrets
  /** Files and directories that an isolated command may read besides the system's programs, such as a toolchain. */
  readonly readOnlyPaths?: ReadonlyArray<string>
  /**
   * Paths that an isolated command may not change: what is there is read-only, and what it creates is moved aside. Those below
   * the root are relative to it, those in a directory outside that was allowed are absolute. Commands that are not isolated
   * are not held to it.
   */
  readonly protectedPaths?: IsProtected
  readonly limits?: Partial<Limits>
  /**
   * Whether each command gets a control group of the kernel, where the system lets this process make one: then it can have no
   * more processes than it may, and none of them is lost. On unless a host does not want it.
   */
  readonly controlGroups?: boolean
}

/** Tries once whether commands can be isolated. */
export const layer = (
  options: Options = {}
): Layer.Layer<Service, UnavailableError, ChildProcessSpawner.ChildProcessSpawner | LocationFiles.Service> =>
  Layer.effect(Service, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const shell = yield* prepared(options)
  const running = new Map<string, Deferred.Deferred<Cause>>()
  return Service.of({
    isolation: shell.isIsolated ? "namespace" : "none",
    network: !shell.isIsolated || shell.network,
    limits: shell.limits,
    processLimit: processLimitOf(shell),
    run: Effect.fn("LocationShell.run")((command, options) => runIn(shell, running, command, options)),
    start: Effect.fn("LocationShell.start")((command) =>
      shell.files.confinement === "strict"
        ? open(shell, command)
        : Effect.fail(new StartError({ reason: "NotConfined" }))
    ),
    stop: (call) =>
      Effect.suspend(() => {
        const cause = running.get(keyOf(call))
        return cause === undefined ? Effect.succeed(false) : Effect.as(Deferred.succeed(cause, "user"), true)
      })
  })
})

const prepared = Effect.fnUntraced(function* (options: Options) {
  const { isolation = "preferred" } = options
  const bash = yield* Effect.mapError(findShell(options.bash), () => new UnavailableError({ reason: "NoShell" }))
  const common = {
    files: yield* LocationFiles.Service,
    spawner: yield* ChildProcessSpawner.ChildProcessSpawner,
    network: options.network ?? false,
    programs: { bash, bubblewrap: options.bubblewrap ?? "bwrap" },
    limits: limitsOf(options.limits ?? {}),
    secrets: options.secrets ?? Effect.succeed({}),
    makeGroup: options.controlGroups === false ? undefined : yield* findGroups(bash),
    readOnlyPaths: options.readOnlyPaths ?? [],
    isProtected: options.protectedPaths
  }
  const shellWith = (isIsolated: boolean): Shell => ({
    ...common,
    isIsolated,
    environment: environmentOf(isIsolated, options.environment ?? {})
  })
  const isIsolated = isolation !== "none" && (yield* isIsolating(shellWith(true)))
  if (isolation === "required" && !isIsolated) return yield* new UnavailableError({ reason: "NotIsolated" })
  return shellWith(isIsolated)
})

/** Limits of a user do not bind the superuser, in whichever namespace. */
const processLimitOf = ({ isIsolated, makeGroup }: Shell): Interface["processLimit"] =>
  makeGroup !== undefined || (isIsolated && Process.getuid?.() !== 0) ? "kernel" : "sampling"

const keyOf = ({ assistantMessageID, sessionID, toolCallID }: ToolCall.Identity): string =>
  JSON.stringify([sessionID, assistantMessageID, toolCallID])

/** A stop that comes before there is a process counts as soon as there is one. */
const runIn = Effect.fnUntraced(function* (
  shell: Shell,
  running: Map<string, Deferred.Deferred<Cause>>,
  command: Command,
  { call, idle }: RunOptions
) {
  const cause = yield* Effect.acquireRelease(
    Effect.tap(Deferred.make<Cause>(), (made) => Effect.sync(() => running.set(keyOf(call), made))),
    () => Effect.sync(() => running.delete(keyOf(call)))
  )
  const { cwd, disks, forms, review, started } = yield* open(shell, command)
  const { isIsolated, limits } = shell
  const result = yield* watch({ started, disks, isIsolated, limits, forms, idle, cause })
  return { ...result, cwd, movedAside: yield* review }
}, Effect.scoped)
