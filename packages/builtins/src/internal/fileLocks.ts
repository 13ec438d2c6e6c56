/** One change at a time to one file, whichever Location, tool or call it comes from. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Own changes that are remembered. An approval that is older than this many changes has to be asked for again. */
const maxOrigins = 10_000

/** More than ever look at files of one root at the same time. */
const maxFileCalls = 10_000

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
  private readonly roots = new Map<string, Semaphore.Semaphore>()

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

  /** For what opens files by name in a root: side by side, and not while a command runs there. */
  withFiles<A, E, R>(root: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.rootLock(root).withPermits(1)(effect)
  }

  /** Keeps whatever opens files by name out of a root, until what comes back is run or the Scope closes. */
  alone(root: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const lock = this.rootLock(root)
    let isHeld = true
    const release = Effect.suspend(() => {
      const wasHeld = isHeld
      isHeld = false
      return wasHeld ? Effect.asVoid(lock.release(maxFileCalls)) : Effect.void
    })
    return Effect.as(
      Effect.acquireRelease(lock.take(maxFileCalls), () => release),
      release
    )
  }

  private rootLock(root: string): Semaphore.Semaphore {
    const lock = this.roots.get(root) ?? Semaphore.makeUnsafe(maxFileCalls)
    this.roots.set(root, lock)
    return lock
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
