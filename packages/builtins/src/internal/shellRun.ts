/** A command that somebody waits for: its output is captured while it runs, and it ends by itself or is ended. */
import * as Progress from "@haft/core/Progress"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Capture, type Captured, discard } from "./shellCapture.ts"
import * as Disk from "./shellDisk.ts"
import type { Limits } from "./shellLimits.ts"
import { type Bytes, signalOf, type Started } from "./shellProcess.ts"
import { Reporter } from "./shellProgress.ts"
import { Scrubber } from "./shellSecrets.ts"
import { gap } from "./shellSentences.ts"

/** Why a command was ended. */
export type Cause = "user" | "idle_timeout" | "process_limit" | "memory_limit" | "disk_limit"

/** What came of a command. */
export interface Result {
  readonly stdout: Captured
  readonly stderr: Captured
  readonly exitCode: number
  readonly signal: string | undefined
  readonly killedBy: Cause | undefined
  /** Whether processes that it had left running were ended. */
  readonly hadLeftovers: boolean
}

export interface Watched {
  readonly started: Started
  readonly disks: ReadonlyArray<Disk.Disk>
  readonly isIsolated: boolean
  readonly limits: Limits
  readonly forms: ReadonlyArray<Buffer>
  readonly idle: Duration.Duration | undefined
  /** The first cause counts. */
  readonly cause: Deferred.Deferred<Cause>
}

/** What is in the pipes when the leader has exited is there already; whoever still writes is not waited for. */
const drain = "250 millis"

/** Often enough to end a command that multiplies before it takes the machine with it. */
const sampling = "100 millis"

/** Within the Scope of the command. */
export const watch = Effect.fnUntraced(function* (watched: Watched): Effect.fn.Return<Result, never, Scope.Scope> {
  const { cause, started } = watched
  const heard = { at: yield* Clock.currentTimeMillis }
  const reporter = new Reporter()
  const stdout = yield* capture(started.stdout, watched, heard, reporter)
  const stderr = yield* capture(started.stderr, watched, heard, reporter)
  yield* Effect.forkScoped(sample(watched))
  if (watched.idle !== undefined) yield* Effect.forkScoped(idleFor(watched.idle, heard, cause))
  const killedBy = yield* Effect.raceFirst(Effect.as(started.exited, undefined), Deferred.await(cause))
  if (killedBy !== undefined) yield* isGentle(killedBy) ? started.stop : started.kill
  const { code, signal } = yield* started.exited
  const hadLeftovers = killedBy === undefined && started.hasLeftovers()
  if (hadLeftovers) yield* started.ask
  // What was left running may multiply, too.
  const drained = Effect.raceFirst(Fiber.awaitAll([stdout.fiber, stderr.fiber]), Deferred.await(cause))
  yield* Effect.timeoutOption(drained, drain)
  yield* started.kill
  return {
    stdout: stdout.end(),
    stderr: stderr.end(),
    exitCode: code,
    signal: signal ?? (watched.isIsolated ? signalOf(code) : undefined),
    killedBy,
    hadLeftovers
  }
})

/** When something was last heard of a command. */
interface Heard {
  at: number
}

/** Reads a stream to its end, and has it as it is at any moment. */
const capture = Effect.fnUntraced(function* (bytes: Bytes, watched: Watched, heard: Heard, reporter: Reporter) {
  const kept = new Capture(watched.limits.outputBytes)
  const scrubber = new Scrubber(watched.forms)
  const progress = yield* Progress.Service
  const clock = yield* Clock.Clock
  // Called for every few bytes of a long output, so it makes as little as possible.
  const take = (chunk: Uint8Array): Effect.Effect<void> => {
    heard.at = clock.currentTimeMillisUnsafe()
    const clean = scrubber.push(chunk)
    kept.push(clean)
    const update = reporter.next(clean, chunk.length, heard.at)
    discard(chunk)
    return update === undefined ? Effect.void : progress.report(update)
  }
  const fiber = yield* Effect.forkScoped(Effect.ignore(Stream.runForEach(bytes, take)))
  const end = (): Captured => {
    kept.push(scrubber.end())
    return kept.end(gap)
  }
  return { fiber, end }
})

/** Fires exactly when nothing was heard for so long, and sleeps until it could. */
const idleFor = Effect.fnUntraced(function* (limit: Duration.Duration, heard: Heard, cause: Deferred.Deferred<Cause>) {
  const millis = Duration.toMillis(limit)
  let left = millis
  while (left > 0) {
    yield* Effect.sleep(left)
    left = heard.at + millis - (yield* Clock.currentTimeMillis)
  }
  yield* Deferred.succeed(cause, "idle_timeout")
})

type Sampled = Pick<Watched, "cause" | "disks" | "limits" | "started">

/** Limits of one process do not bound many of them, nor any of the superuser's. A disk that hangs holds up nothing else. */
export const sample = (sampled: Sampled): Effect.Effect<void> =>
  Effect.all([sampleProcesses(sampled), sampleDisks(sampled)].map(Effect.repeat(Schedule.spaced(sampling))), {
    concurrency: "unbounded",
    discard: true
  })

const sampleProcesses = ({ cause, limits, started }: Sampled): Effect.Effect<unknown> =>
  Effect.suspend(() => {
    const { count, memoryBytes } = started.usage(limits.processes)
    if (count > limits.processes) return Deferred.succeed(cause, "process_limit")
    return memoryBytes > limits.memoryBytes ? Deferred.succeed(cause, "memory_limit") : Effect.void
  })

const sampleDisks = ({ cause, disks, limits }: Sampled): Effect.Effect<unknown> =>
  Effect.flatMap(Disk.isTooFull(disks, limits), (isTooFull) =>
    isTooFull ? Deferred.succeed(cause, "disk_limit") : Effect.void
  )

/** A command that takes too much would use the time for more of it. */
const isGentle = (cause: Cause): boolean => cause === "user" || cause === "idle_timeout"
