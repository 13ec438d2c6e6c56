/** Signals to a child and its descendants, and the wait until all of them have ended. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as ChildProcess from "effect/process/ChildProcess"
import type * as NodeChildProcess from "node:child_process"
import * as Os from "node:os"
import { setTimeout } from "node:timers/promises"
import { fromErrno } from "./platformError.ts"
import { runningGroups } from "./processTable.ts"

/** Effect's default is never, which lets a child that ignores SIGTERM hang whoever interrupts its caller. */
const defaultForceKillAfter = Duration.seconds(3)

/** SIGKILL cannot be refused, only delayed by a system call in progress; a hung disk must not hang the Scope. */
const killedWithin = Duration.seconds(10)

/** A short wait is answered at once, a long one costs little: the pause doubles from one millisecond up to this. */
const longestPause = 100

export interface ProcessGroup {
  /** `false` when nobody is left to receive it. Throws when the signal may not be sent. */
  readonly signal: (signal: NodeJS.Signals | 0) => boolean
  readonly isRunning: () => Promise<boolean>
}

/** `leads`: the child was started as the leader of a group of its own, which has the child's pid as its number. */
export const make = (child: NodeChildProcess.ChildProcess, pid: number, leads: boolean): ProcessGroup => {
  let empty = false
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const signalGroup = (signal: NodeJS.Signals | 0) => {
    if (!empty && !send(-pid, signal)) empty = hasExited()
    return !empty
  }
  // An empty group's number may be given to a stranger, so it is noted as soon as it can be and never signalled again.
  if (leads) child.once("exit", () => isPresent(signalGroup))
  return {
    signal: leads ? signalGroup : (signal) => child.kill(signal),
    isRunning: async () => {
      if (!hasExited()) return true
      if (!leads || !isPresent(signalGroup)) return false
      return (await runningGroups())?.has(pid) ?? true
    }
  }
}

/** A member that may not be signalled is there all the same. */
const isPresent = (signal: ProcessGroup["signal"]): boolean => {
  try {
    return signal(0)
  } catch {
    return true
  }
}

const send = (target: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(target, signal)
  } catch (cause) {
    if (Predicate.hasProperty(cause, "code") && cause.code === "ESRCH") return false
    throw cause
  }
}

/**
 * Returns once no member runs. SIGKILL goes to any group that still exists: a member that forked while the others were
 * being counted receives it, and one that is dead but not reaped does not mind.
 */
export const terminate = Effect.fnUntraced(function* (group: ProcessGroup, options: ChildProcess.KillOptions) {
  if (!(yield* signalled(group, options.killSignal ?? "SIGTERM"))) return
  yield* untilEnded(group, Duration.fromInputUnsafe(options.forceKillAfter ?? defaultForceKillAfter))
  if (!(yield* signalled(group, "SIGKILL"))) return
  if (!(yield* untilEnded(group, killedWithin))) return yield* stillRunning
})

const signalled = (group: ProcessGroup, signal: NodeJS.Signals) =>
  signal in Os.constants.signals
    ? Effect.try({ try: () => group.signal(signal), catch: fromErrno("ChildProcess", "kill") })
    : Effect.fail(
        PlatformError.badArgument({ module: "ChildProcess", method: "kill", description: `no ${signal} here` })
      )

const stillRunning = Effect.suspend(() =>
  Effect.fail(
    PlatformError.systemError({
      _tag: "TimedOut",
      module: "ChildProcess",
      method: "kill",
      description: "a process does not end, even by SIGKILL"
    })
  )
)

/** Native timers on purpose: a finalizer that waited on Effect's clock would hang under TestClock. */
const untilEnded = (group: ProcessGroup, limit: Duration.Duration) =>
  Effect.promise((abort) => pollUntilEnded(group, performance.now() + Duration.toMillis(limit), 1, abort))

const pollUntilEnded = async (
  group: ProcessGroup,
  deadline: number,
  pause: number,
  abort: AbortSignal
): Promise<boolean> => {
  if (!(await group.isRunning())) return true
  const left = deadline - performance.now()
  if (left <= 0) return false
  await setTimeout(Math.min(pause, left), undefined, { signal: abort })
  return pollUntilEnded(group, deadline, Math.min(pause * 2, longestPause), abort)
}
