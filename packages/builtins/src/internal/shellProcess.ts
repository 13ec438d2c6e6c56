/** A command that was started, with the one way to end it. Leaving the Scope ends it, however it is left. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as ChildProcess from "effect/process/ChildProcess"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Os from "node:os"
import { type Ending, makeEnding } from "./shellEnding.ts"
import { StartError } from "./shellErrors.ts"
import type { Group } from "./shellGroups.ts"
import * as Processes from "./shellProcesses.ts"
import { exchangedCode } from "./shellScripts.ts"

export type Spawner = ChildProcessSpawner.ChildProcessSpawner["Service"]
export type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>

/** How a command ended. */
export interface Exited {
  readonly code: number
  readonly signal: string | undefined
}

export interface Started extends Ending {
  readonly pid: number
  /** Leads to the file system as the command sees it. */
  readonly view: string
  readonly stdout: Bytes
  readonly stderr: Bytes
  readonly exited: Effect.Effect<Exited>
  readonly isRunning: () => boolean
  /** Whether the command had left something running when it exited. */
  readonly hasLeftovers: () => boolean
  /** How much it uses right now; counts no further than to the limit. */
  readonly usage: (limit: number) => Processes.Usage
}

/** Where a command runs: its processes can be found in a group, below the leader, or else by a mark. */
export interface Starting {
  readonly command: ChildProcess.Command
  readonly isIsolated: boolean
  readonly mark: string
  readonly group: Group | undefined
}

/** Returns once the command itself has begun. */
export const start = Effect.fnUntraced(function* (
  spawner: Spawner,
  starting: Starting
): Effect.fn.Return<Started, StartError, Scope.Scope> {
  const { notes, started } = yield* Effect.acquireRelease(spawned(spawner, starting), ({ started }) =>
    Effect.suspend(() => (started.isRunning() ? started.stop : started.kill))
  )
  yield* Effect.raceFirst(
    Deferred.await(notes.began),
    Effect.flatMap(started.exited, ({ code }) => assertBegan(notes, code, starting))
  )
  return started
})

/** A command may begin and end before anybody has read what its launcher said. */
const assertBegan = Effect.fnUntraced(function* ({ began, reading }: Notes, code: number, { isIsolated }: Starting) {
  yield* Fiber.await(reading)
  if (Deferred.isDoneUnsafe(began)) return
  return yield* new StartError({ reason: code === exchangedCode ? "Exchanged" : isIsolated ? "Sandbox" : "Shell" })
})

const spawned = Effect.fnUntraced(function* (spawner: Spawner, starting: Starting) {
  const handle = yield* Effect.mapError(spawner.spawn(starting.command), () => new StartError({ reason: "Shell" }))
  const exited = yield* Deferred.make<Exited>()
  const notes = yield* notesOf(handle, starting.isIsolated)
  yield* Effect.forkScoped(Effect.flatMap(exitOf(handle), (exit) => Deferred.succeed(exited, exit)))
  const isRunning = () => !Deferred.isDoneUnsafe(exited)
  const leader = Number(handle.pid)
  const { group } = starting
  const mark = starting.isIsolated ? undefined : starting.mark
  const family = () => {
    const found = [...Processes.familyOf(leader, mark), ...(group?.members() ?? [])]
    return [...new Map(found.map((one) => [one.pid, one])).values()].filter(({ pid }) => pid !== notes.keeper?.pid)
  }
  const ending = makeEnding({ handle, isRunning, family, mark, group, keeper: () => notes.keeper })
  const started: Started = {
    pid: leader,
    get view() {
      return `/proc/${notes.keeper?.pid ?? leader}/root`
    },
    stdout: handle.stdout,
    stderr: handle.stderr,
    exited: Deferred.await(exited),
    isRunning,
    // Twice, because a list of processes is not read at one moment.
    hasLeftovers: () => (starting.isIsolated ? notes.hasLeft : family().length > 0 || family().length > 0),
    usage: (limit) => Processes.usageOf(group?.members() ?? Processes.someBelow(leader, limit)),
    ...ending
  }
  return { started, notes }
})

/** What a launcher said. */
interface Notes {
  readonly began: Deferred.Deferred<void>
  readonly reading: Fiber.Fiber<void>
  /** The watch, or the first process in the namespace: not to be asked to end. */
  keeper: Processes.Running | undefined
  hasLeft: boolean
}

/** The first line of bubblewrap's status says under which number the system knows the first process of the namespace. */
const childPid = /"child-pid": (\d+)/

const notesOf = Effect.fnUntraced(function* (handle: ChildProcessSpawner.ChildProcessHandle, isIsolated: boolean) {
  const began = yield* Deferred.make<void>()
  const first = yield* Deferred.make<number | undefined>()
  const said: Pick<Notes, "hasLeft" | "keeper"> = { keeper: undefined, hasLeft: false }
  const onLine = Effect.fnUntraced(function* (line: string) {
    if (line === "left") return void (said.hasLeft = true)
    const keeper = isIsolated ? yield* Deferred.await(first) : Number(line.split(" ")[1])
    if (keeper === undefined) return
    said.keeper = Processes.processOf(keeper)
    yield* Deferred.succeed(began, undefined)
  })
  if (isIsolated) {
    const status = yield* eachLine(handle.getOutputFd(5), (line) => {
      const [, pid] = childPid.exec(line) ?? []
      return pid === undefined ? Effect.void : Deferred.succeed(first, Number(pid))
    })
    // A program that only pretends to isolate says nothing of the kind.
    yield* Effect.forkScoped(Effect.andThen(Fiber.await(status), Deferred.succeed(first, undefined)))
  }
  const reading = yield* eachLine(handle.getOutputFd(6), onLine)
  return Object.assign(said, { began, reading }) satisfies Notes
})

/** The pipe ends with the command. */
const eachLine = (bytes: Bytes, take: (line: string) => Effect.Effect<unknown>) =>
  Effect.forkScoped(Effect.ignore(Stream.runForEach(Stream.splitLines(Stream.decodeText(bytes)), take)))

const exitOf = (handle: ChildProcessSpawner.ChildProcessHandle): Effect.Effect<Exited> =>
  handle.exitCode.pipe(
    Effect.map((code): Exited => ({ code: Number(code), signal: undefined })),
    Effect.catchTag("PlatformError", ({ reason }) => Effect.succeed(endedBy(signalIn(reason.cause) ?? "SIGKILL")))
  )

/** A spawner says by an error which signal ended a process. */
const signalIn = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "signal") && typeof cause.signal === "string" ? cause.signal : undefined

/** As shells count. */
const signalBase = 128

const signalNumbers: ReadonlyMap<string, number> = new Map(Object.entries(Os.constants.signals))

const endedBy = (signal: string): Exited => ({ code: signalBase + (signalNumbers.get(signal) ?? 0), signal })

/** The signal that an exit code stands for. In a namespace a code is all there is. */
export const signalOf = (code: number): string | undefined =>
  [...signalNumbers].find(([, number]) => signalBase + number === code)?.[0]
