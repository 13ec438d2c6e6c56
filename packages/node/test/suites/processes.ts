/** What the child process suites share: shell commands, and a view of the processes that does not need `ps`. */
import { Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

export const Spawner = ChildProcessSpawner.ChildProcessSpawner

/** So long that a test which waited for it would time out. */
export const never = "1 hour"

export const shell = (script: string, options?: ChildProcess.CommandOptions) =>
  ChildProcess.make("/bin/sh", ["-c", script], { forceKillAfter: never, ...options })

export const text = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

/** The first line of a child's output. It says that the child has come that far. */
export const firstLine = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  bytes.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.mkString)

/** The letter in `/proc/<pid>/stat`, `undefined` for a process that is no more. */
export const stateOf = (pid: number): string | undefined => statOf(pid)?.[0]

export const groupOf = (pid: number): number => Number(statOf(pid)?.[2])

/** A process that exited and was not yet reaped still has a pid. */
export const isRunning = (pid: number): boolean => !["Z", "X", undefined].includes(stateOf(pid))

let words = 0

/** A word for a `sleep` that no other test's `sleep` has. */
export const longTime = () => `1000.${process.pid}${++words}`

/** The running processes that have exactly this word on their command line. */
export const runningWith = (word: string): ReadonlyArray<number> =>
  Fs.readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isRunning(pid) && read(`/proc/${pid}/cmdline`)?.split("\0").includes(word))

/** How many bytes a process has written so far, to anywhere. */
export const bytesWrittenBy = (pid: number): number =>
  Number(/^wchar: (\d+)$/m.exec(read(`/proc/${pid}/io`) ?? "")?.[1])

/** One turn of the event loop, in which output of a child can arrive. */
export const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** For what the system does in its own time and tells nobody. */
export const until = (condition: () => boolean) => Effect.repeat(Effect.map(turn, condition), { until: Boolean })

/** Until a writer sleeps and has written nothing over many turns in which its output could have been taken. */
export const untilStalled = (pid: number) => {
  let [calm, before] = [0, 0]
  return until(() => {
    const written = bytesWrittenBy(pid)
    calm = written > 0 && written === before && stateOf(pid) === "S" ? calm + 1 : 0
    before = written
    return calm === 100 || !isRunning(pid)
  })
}

export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "processes-"))),
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true }))
)

const statOf = (pid: number): ReadonlyArray<string> | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
}

const read = (path: string): string | undefined => {
  try {
    return Fs.readFileSync(path, "latin1")
  } catch {
    return undefined
  }
}
