/** The one way in which a command is ended: it is asked, it gets a little time, and it is killed. */
import * as Effect from "effect/Effect"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { setTimeout } from "node:timers/promises"
import type { Group } from "./shellGroups.ts"
import { familyOf, type Running, runs, signal } from "./shellProcesses.ts"

export interface Ending {
  /** Asks every process of the command to end, and does not wait. */
  readonly ask: Effect.Effect<void>
  /** Asks, waits for three seconds at most, and kills whatever is left. */
  readonly stop: Effect.Effect<void>
  /** Returns once nothing of the command runs any more. */
  readonly kill: Effect.Effect<void>
}

/** What is to be ended. */
export interface Ended {
  readonly handle: ChildProcessSpawner.ChildProcessHandle
  /** Of a command without a namespace. */
  readonly mark: string | undefined
  /** Where the system has them. */
  readonly group: Group | undefined
  readonly isRunning: () => boolean
  /** Without its keeper. */
  readonly family: () => ReadonlyArray<Running>
  /** The first process of the namespace, with which all others end, or the watch. */
  readonly keeper: () => Running | undefined
}

/** What a command may need to put things in order. */
const graceMillis = 3_000

/** SIGKILL cannot be refused, only delayed by a system call in progress; a hung disk must not hang the Scope. */
const killedWithinMillis = 10_000

/** A short wait is answered at once, a long one costs little: the pause doubles from one millisecond up to this. */
const longestPause = 50

export const makeEnding = (ended: Ended): Ending => {
  const { family, handle, isRunning, mark } = ended
  const isIsolated = mark === undefined
  const ask = Effect.sync(() => {
    // A namespace ends with its leader, whose number may be a stranger's by now.
    if (isIsolated && !isRunning()) return
    for (const { pid } of family()) {
      // In a namespace the leader is the program that isolates: with it everything would end at once.
      if (!isIsolated || pid !== Number(handle.pid)) askOne(pid)
    }
  })
  let isDone = false
  const kill = Effect.suspend(() => {
    if (isDone) return Effect.void
    // A list of processes is not read at one moment: one that hands over to a child meanwhile is in the next list.
    let quiet = 0
    const isSurelyOver = () => {
      quiet = isOver(ended) ? quiet + 1 : 0
      return quiet >= (isIsolated ? 1 : 2)
    }
    const over = until(isSurelyOver, killedWithinMillis)
    return Effect.andThen(
      killAll(ended),
      Effect.map(over, (isOver) => void (isDone = isOver))
    )
  })
  const isQuiet = () => !isRunning() && (isIsolated || family().length === 0)
  const gently = Effect.andThen(ask, until(isQuiet, graceMillis))
  // Before the command has begun there is nobody who could put anything in order.
  const stop = Effect.suspend(() => (ended.keeper() === undefined ? kill : Effect.andThen(gently, kill)))
  return { ask, kill, stop }
}

/** One that is stopped does not notice anything before it goes on. */
const askOne = (pid: number): void => {
  signal(pid, "SIGTERM")
  signal(pid, "SIGCONT")
}

/** As long as the watch runs the number of its group is its own; otherwise the spawner knows whether it still is. */
const killAll = ({ group, handle, keeper, mark }: Ended): Effect.Effect<unknown> =>
  Effect.suspend(() => {
    const watch = keeper()
    const isOwn = mark !== undefined && watch !== undefined && runs(watch)
    if (isOwn) signal(-Number(handle.pid), "SIGKILL")
    group?.kill()
    return isOwn ? Effect.void : Effect.ignore(handle.kill({ killSignal: "SIGKILL" }))
  })

/** A namespace is over when its first process is. Elsewhere whatever is found is killed until nothing is found. */
const isOver = ({ group, isRunning, keeper, mark }: Ended): boolean => {
  const first = keeper()
  if (isRunning() || (first !== undefined && runs(first))) return false
  if (mark === undefined) return true
  const left = [...familyOf(undefined, mark), ...(group?.members() ?? [])]
  for (const { pid } of left) signal(pid, "SIGKILL")
  return left.length === 0
}

/** Native timers on purpose: a finalizer that waited on Effect's clock would hang under TestClock. */
export const until = (isDone: () => boolean, limitMillis: number): Effect.Effect<boolean> =>
  Effect.promise((abort) => poll(isDone, performance.now() + limitMillis, 1, abort))

const poll = async (isDone: () => boolean, deadline: number, pause: number, abort: AbortSignal): Promise<boolean> => {
  if (isDone()) return true
  if (performance.now() >= deadline) return false
  await setTimeout(pause, undefined, { signal: abort })
  return poll(isDone, deadline, Math.min(pause * 2, longestPause), abort)
}
