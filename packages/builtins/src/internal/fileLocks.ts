/** One change at a time to one file, whichever Location, tool or call it comes from. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Own changes that are remembered. An approval that is older than this many changes has to be asked for again. */
const maxOrigins = 10_000

interface Lock {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

interface Origin {
  readonly before: string
  /** Absolute. */
  readonly path: string
}

export class FileLocks {
  private readonly locks = new Map<string, Lock>()
  private readonly origins = new Map<string, Origin>()

  /** Always in the same order, so that two calls that need the same files never wait for each other. */
  withAll<A, E, R>(keys: ReadonlyArray<string>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const sorted = [...new Set(keys)].toSorted()
    return sorted.reduceRight((inner, key) => this.withLock(key, inner), effect)
  }

  private withLock<A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.enter(key)),
      ({ semaphore }) => semaphore.withPermits(1)(effect),
      (lock) => Effect.sync(() => this.leave(key, lock))
    )
  }

  private enter(key: string): Lock {
    const lock = this.locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    lock.users++
    this.locks.set(key, lock)
    return lock
  }

  private leave(key: string, lock: Lock): void {
    if (--lock.users === 0) this.locks.delete(key)
  }

  /** The file with the identity `after` was made at `path` from the one with the identity `before`, under its lock. */
  remember(after: string, origin: Origin): void {
    this.origins.set(after, origin)
    const [oldest] = this.origins.keys()
    if (this.origins.size > maxOrigins && oldest !== undefined) this.origins.delete(oldest)
  }

  /** Whether nobody but us has changed the file since. */
  isOwnWork(before: string, now: string): boolean {
    let identity: string | undefined = now
    while (identity !== undefined && identity !== before) identity = this.origins.get(identity)?.before
    return identity !== undefined
  }

  /** Whether we put the file at this path, and nobody has changed it since. Moving its directory does not bring it there. */
  isOwnAt(identity: string, path: string): boolean {
    return this.origins.get(identity)?.path === path
  }
}

/** One for the process: two Locations may hold the same file. */
export const Service = Context.Reference<FileLocks>("@haft/builtins/internal/fileLocks", {
  defaultValue: () => new FileLocks()
})
