/**
 * Which of the processes that share a directory are alive, for stores that several of them write. Each owner holds a lock
 * that the kernel frees when its process dies, `kill -9` included; a file with a process id in it would outlive it.
 *
 * The locks are empty SQLite databases, because Node has no file locks. No other SQLite library in the same process may
 * open them, and nothing may copy or read them: closing any descriptor of such a file frees its lock.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlError from "effect/sql/SqlError"
import * as OwnerLock from "./internal/ownerLock.ts"

/** Where the locks are. */
export interface Options {
  /** Of these owners alone; made when it is missing. On a network file system locks cannot be trusted: it is refused. */
  readonly directory: string
}

/** Ids that tell whether their owner is alive. */
export interface NodeOwners {
  /** An id that nobody had before, alive until the Scope closes or the process dies. */
  readonly acquire: Effect.Effect<string, SqlError.SqlError, Scope.Scope>
  /** True in doubt, such as when the lock cannot be read. */
  readonly isAlive: (owner: string) => Effect.Effect<boolean>
}

/** Taking a lock and looking at one takes a fraction of a millisecond of this thread, and writes nothing. */
export const make = ({ directory }: Options): NodeOwners => ({
  acquire: Effect.map(
    Effect.acquireRelease(Effect.try({ try: () => OwnerLock.take(directory), catch: unlockable }), (lock) =>
      Effect.sync(lock.release)
    ),
    (lock) => lock.owner
  ),
  isAlive: (owner) => Effect.sync(() => OwnerLock.isHeld(directory, owner))
})

const unlockable = (cause: unknown): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ message: "no owner's lock can be taken", operation: "lock", cause })
  })
