/** A background job, from its start to the moment at which nobody remembers it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type * as LocationShell from "../LocationShell.ts"
import { type JobLog, makeLog } from "./jobLog.ts"
import { discard } from "./shellCapture.ts"
import type { Exited } from "./shellProcess.ts"
import { type Cause, sample } from "./shellRun.ts"
import { Scrubber } from "./shellSecrets.ts"
import * as Sentences from "./shellSentences.ts"

/** What whoever started a job may know and do. */
export interface Job {
  readonly pid: number
  readonly command: string
  readonly cwd: string
  readonly log: JobLog
  /** Nothing while it runs. */
  readonly exit: () => Exited | undefined
  /** Waits until it has ended and its log is complete. */
  readonly ended: Effect.Effect<Exited>
  /** Returns whether it was running. `force` gives it no time. */
  readonly kill: (force: boolean) => Effect.Effect<boolean>
}

/** As for a command that somebody waits for. */
const drain = "250 millis"

/** In the Scope, which ends it. */
export const startJob = Effect.fnUntraced(function* (
  shell: LocationShell.Interface,
  command: LocationShell.Command,
  token: string
) {
  const scope = yield* Effect.scope
  const log = yield* makeLog(`jobs/${token}.log`, shell.limits.logBytes)
  const { cwd, disks, forms, review, started } = yield* shell.start({ ...command, isMerged: true })
  const cause = yield* Deferred.make<Cause>()
  const ended = yield* Deferred.make<Exited>()
  const scrubber = new Scrubber(forms)
  const pump = yield* Effect.forkIn(
    Effect.ignore(
      Stream.runForEach(started.stdout, (bytes) =>
        Effect.andThen(
          log.append(scrubber.push(bytes)),
          Effect.sync(() => discard(bytes))
        )
      )
    ),
    scope
  )
  yield* Effect.forkIn(sample({ cause, disks, limits: shell.limits, started }), scope)
  yield* Effect.forkIn(Effect.andThen(Deferred.await(cause), started.kill), scope)
  const note = (text: string) => log.append(Buffer.from(`\n[${text}]\n`))
  const finish = Effect.gen(function* () {
    const exit = yield* started.exited
    yield* Effect.timeoutOption(Fiber.await(pump), drain)
    yield* started.kill
    yield* log.append(scrubber.end())
    if (Deferred.isDoneUnsafe(cause)) yield* note(Sentences.limitReached(yield* Deferred.await(cause)))
    const moved = yield* review
    if (moved.length > 0) yield* note(Sentences.protectedFiles(moved))
    yield* Deferred.succeed(ended, exit)
  })
  yield* Effect.forkIn(finish, scope)
  let exit: Exited | undefined
  yield* Effect.forkIn(
    Effect.map(Deferred.await(ended), (value) => void (exit = value)),
    scope
  )
  return {
    pid: started.pid,
    command: command.text,
    cwd,
    log,
    exit: () => exit,
    ended: Deferred.await(ended),
    kill: (force) =>
      Effect.suspend(() => {
        if (!started.isRunning()) return Effect.succeed(false)
        return Effect.as(Effect.andThen(force ? started.kill : started.stop, Deferred.await(ended)), true)
      })
  } satisfies Job
})
