/**
 * Removes what an output store need not keep. Whether something may go is decided, and done, inside a transaction that no
 * other writer or sweeper is in: the lock of the database is freed when its process dies.
 */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Access, exclusively } from "./outputFilesAccess.ts"
import * as Directory from "./outputFilesDirectory.ts"
import * as Rows from "./outputFilesRows.ts"
import { expiredAt, type Over, tombstoneMillis } from "./outputLimits.ts"

/** Gives the number of bytes freed. */
export const sweep = Effect.fnUntraced(function* (access: Access) {
  const now = yield* Clock.currentTimeMillis
  yield* removeDeadWriters(access)
  const leftovers = yield* removeLeftovers(access)
  const expired = yield* removeExpired(access, now)
  yield* exclusively(access.sql, Rows.forgetRemoved(access.sql, now - tombstoneMillis))
  return leftovers + expired
})

/** What they had reserved is free again. */
const removeDeadWriters = Effect.fnUntraced(function* ({ isAlive, owner, sql }: Access) {
  const others = (yield* Rows.writers(sql)).filter((one) => one !== owner)
  const dead = yield* Effect.filter(others, (one) => Effect.map(isAlive(one), (alive) => !alive))
  yield* Effect.forEach(dead, (one) => Rows.deleteWriter(sql, one))
})

/** Files that no row tells of, of writers that are gone. The list is a guess; each file is looked up before it goes. */
const removeLeftovers = Effect.fnUntraced(function* (access: Access) {
  const { directory, sql } = access
  const { contents, temporaries } = yield* Directory.list(directory)
  const [known, writers] = [yield* Rows.hashes(sql), new Set(yield* Rows.writers(sql))]
  const dead = temporaries.filter(({ owner }) => !writers.has(owner))
  const unknown = contents.filter((hash) => !known.has(hash))
  const freed = [
    ...(yield* Effect.forEach(dead, ({ name }) => Directory.removeFile(directory, name))),
    ...(yield* Effect.forEach(unknown, (hash) => removeUnknown(access, hash)))
  ]
  return freed.reduce((sum, bytes) => sum + bytes, 0)
})

/** Removes the file of a content unless there is a row for it by now. */
export const removeUnknown = ({ directory, sql }: Access, hash: string) =>
  exclusively(
    sql,
    Effect.flatMap(Rows.hasContent(sql, hash), (isKnown) =>
      isKnown ? Effect.succeed(0) : Directory.removeFile(directory, hash)
    )
  )

/** Batch by batch, until a batch finds nothing. */
const removeExpired = Effect.fnUntraced(function* (access: Access, now: number) {
  let freed = 0
  for (;;) {
    const batch = yield* exclusively(access.sql, removeOldest(access, expiredAt(now, access.limits), now))
    if (batch === 0) return freed
    freed += batch
  }
})

/** Inside a transaction: removes what is in the way of `needed` bytes, oldest first. Gives the number of bytes freed. */
export const removeOldest = Effect.fnUntraced(function* (
  access: Access,
  over: Over,
  now: number,
  needed = Number.POSITIVE_INFINITY
) {
  let freed = 0
  for (const { bytes, hash } of yield* Rows.removable(access.sql, over)) {
    if (freed >= needed) break
    yield* removeContent(access, hash, now)
    freed += bytes
  }
  return freed
})

/** Inside a transaction. Rows first: what cannot be written down is not done. */
const removeContent = ({ directory, sql }: Access, hash: string, now: number) =>
  Effect.andThen(Rows.removeContent(sql, hash, now), Directory.removeContent(directory, hash))

/** The outputs were never told of: not even a memory of them stays. */
export const forget = (access: Access, session: Session.ID, refs: ReadonlyArray<ManagedOutput.Ref>) =>
  exclusively(
    access.sql,
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const orphans = yield* Rows.forget(access.sql, session, refs)
      yield* Effect.forEach(orphans, (hash) => removeContent(access, hash, now))
    })
  )
