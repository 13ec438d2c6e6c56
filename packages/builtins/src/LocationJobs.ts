/**
 * Commands that run on after the call that started them: with a log, an exit code, and an end at the latest with the
 * Location. Each belongs to a session, and no other session learns of it.
 */
import type * as Session from "@haft/core/Session"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { FileError } from "./internal/fileErrors.ts"
import type { OpenFile } from "./internal/fileReads.ts"
import { type Job, startJob } from "./internal/jobRun.ts"
import { type NotDirectoryError, StartError } from "./internal/shellErrors.ts"
import * as LocationShell from "./LocationShell.ts"

export type { JobLog } from "./internal/jobLog.ts"
export type { Job } from "./internal/jobRun.ts"

export interface Interface {
  /** Returns as soon as the command has begun. */
  readonly start: (
    owner: Session.ID,
    command: LocationShell.Command
  ) => Effect.Effect<Job, FileError | NotDirectoryError | StartError>
  /** In the order in which they were started; those that have ended for a while, too. */
  readonly list: (owner: Session.ID) => Effect.Effect<ReadonlyArray<Job>>
  /** The job with this number. Of two that had it, one after the other, the newer one. */
  readonly find: (owner: Session.ID, pid: number) => Effect.Effect<Option.Option<Job>>
  /** The log with this name, for `read`. */
  readonly log: (owner: Session.ID, name: string) => Effect.Effect<Option.Option<OpenFile>>
  /** For a host whose session is over: ends its jobs, and forgets them with their logs. */
  readonly end: (owner: Session.ID) => Effect.Effect<void>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/LocationJobs") {}

/** What a host chooses. */
export interface Options {
  /** Jobs that run at the same time in one Location. */
  readonly maxRunning?: number
  /** How long a job that has ended can be looked at. */
  readonly retention?: Duration.Input
}

/** More than a person keeps track of, and few enough for a machine. */
const defaultMaxRunning = 64

/** Long enough for a conversation that was interrupted. */
const defaultRetention = "1 hour"

/** As much of an id as tells the jobs of a session apart, and a model can repeat. */
const tokenLength = 8

/** Ends every job when it closes. */
export const layer = (options: Options = {}): Layer.Layer<Service, never, LocationShell.Service> =>
  Layer.effect(Service, make(options))

interface Kept {
  readonly owner: Session.ID
  readonly job: Job
  readonly scope: Scope.Closeable
}

const make = Effect.fnUntraced(function* ({ maxRunning = defaultMaxRunning, retention = defaultRetention }: Options) {
  const shell = yield* LocationShell.Service
  // In parallel, so that many stubborn jobs take no longer to end than one of them.
  const all = yield* Scope.fork(yield* Effect.scope, "parallel")
  const kept = new Set<Kept>()
  let starting = 0
  const of = (owner: Session.ID) => [...kept].filter((one) => one.owner === owner)
  const isFull = () => starting + [...kept].filter(({ job }) => job.exit() === undefined).length >= maxRunning

  const forget = (one: Kept) =>
    Effect.andThen(
      Effect.sync(() => kept.delete(one)),
      Scope.close(one.scope, Exit.void)
    )

  const start = Effect.fnUntraced(function* (owner: Session.ID, command: LocationShell.Command) {
    const scope = yield* Scope.fork(all)
    const token = SecureRandom.uuidV4Unsafe().slice(0, tokenLength)
    const job = yield* Scope.provide(startJob(shell, command, token), scope).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    const one = { owner, job, scope }
    kept.add(one)
    const later = Effect.andThen(Effect.andThen(job.ended, Effect.sleep(retention)), forget(one))
    yield* Effect.forkIn(later, all)
    return job
  })

  return Service.of({
    start: Effect.fn("LocationJobs.start")(function* (owner, command) {
      if (isFull()) return yield* new StartError({ reason: "TooManyJobs" })
      starting++
      return yield* Effect.ensuring(
        start(owner, command),
        Effect.sync(() => starting--)
      )
    }),
    list: (owner) => Effect.sync(() => of(owner).map(({ job }) => job)),
    find: (owner, pid) =>
      Effect.sync(() => Option.fromNullishOr(of(owner).findLast(({ job }) => job.pid === pid)?.job)),
    log: (owner, name) =>
      Effect.suspend(() => {
        const found = of(owner).find(({ job }) => job.log.name === name)
        return found === undefined ? Effect.succeedNone : Effect.map(found.job.log.open, Option.some)
      }),
    end: Effect.fn("LocationJobs.end")((owner) =>
      Effect.forEach(of(owner), forget, { concurrency: "unbounded", discard: true })
    )
  })
})
