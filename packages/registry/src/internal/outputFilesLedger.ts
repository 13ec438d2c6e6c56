/**
 * The bytes that this process may write. They are reserved in the database before a file grows, so that no number of
 * writers in any number of processes fills the store beyond its limit.
 */
import * as OutputStore from "@haft/core/OutputStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as PlatformError from "effect/PlatformError"
import type * as SqlError from "effect/sql/SqlError"
import { type Access, exclusively } from "./outputFilesAccess.ts"
import * as Rows from "./outputFilesRows.ts"
import { removeOldest, sweep } from "./outputFilesSweep.ts"
import { overAt } from "./outputLimits.ts"

/** Who takes bytes, and how many it has. */
export interface Taker {
  bytes: number
}

export interface Ledger {
  /** The bytes may be written, or it fails. What is taken has its taker in the same step, whoever is interrupted. */
  readonly take: (
    taker: Taker,
    bytes: number
  ) => Effect.Effect<void, OutputStore.StorageError | PlatformError.PlatformError | SqlError.SqlError>
  /** They were written for nothing, and others may have them. */
  readonly giveBack: (bytes: number) => Effect.Effect<void>
  /** They are a content now: call it after the transaction that said so. */
  readonly spend: (bytes: number) => void
}

/** What a process reserves beyond its need, as long as there is plenty: most outputs then cost one transaction only. */
const allowance = 64 * 1024 * 1024

/** So many allowances must be free. Close to the limit each process has what it needs and no more. */
const plenty = 8

export const make = Effect.fnUntraced(function* (access: Access) {
  const { owner, sql } = access
  const alone = yield* Semaphore.make(1)
  let granted = 0
  let taken = 0
  let isChanging = false

  /** While a reservation changes, nobody takes of it. */
  const changing = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    alone.withPermit(
      Effect.acquireUseRelease(
        Effect.sync(() => void (isChanging = true)),
        () => change,
        () => Effect.sync(() => void (isChanging = false))
      )
    )
  const give = (taker: Taker, bytes: number): void => {
    taken += bytes
    taker.bytes += bytes
  }
  const grow = Effect.fnUntraced(function* (taker: Taker, bytes: number) {
    const missing = bytes - (granted - taken)
    const more = missing > 0 ? yield* reserve(access, missing) : 0
    granted += more
    give(taker, bytes)
  })
  const shrink = Effect.suspend(() => {
    const idle = granted - taken
    return Effect.map(Rows.reserveMore(sql, owner, -idle), () => void (granted -= idle))
  })
  const ledger: Ledger = {
    take: (taker, bytes) =>
      Effect.suspend(() => {
        if (isChanging || granted - taken < bytes) return changing(Effect.uninterruptible(grow(taker, bytes)))
        give(taker, bytes)
        return Effect.void
      }),
    giveBack: (bytes) =>
      Effect.suspend(() => {
        taken -= bytes
        // A reservation that cannot be returned is returned with the next, or when this process ends.
        return Effect.ignore(changing(shrink))
      }),
    spend: (bytes) => {
      taken -= bytes
      granted -= bytes
    }
  }
  return ledger
})

/** Gives how many bytes were reserved: at least `missing`. */
const reserve = Effect.fnUntraced(function* (access: Access, missing: number) {
  const first = yield* attempt(access, missing)
  if (first > 0) return first
  // What dead processes had reserved or left behind may be all that is in the way.
  yield* sweep(access)
  const second = yield* attempt(access, missing)
  return second > 0 ? second : yield* new OutputStore.StorageError({ operation: "retain", limit: "store" })
})

/** Nothing, if there is not enough even without everything that may go. */
const attempt = Effect.fnUntraced(function* (access: Access, missing: number) {
  const { limits, owner, sql } = access
  const now = yield* Clock.currentTimeMillis
  return yield* exclusively(
    sql,
    Effect.gen(function* () {
      const free = yield* makeRoom(access, limits.maxStoreBytes - (yield* Rows.bytesOfStore(sql)), missing, now)
      if (free < missing) return 0
      const granted = free >= plenty * allowance ? Math.max(missing, allowance) : missing
      yield* Rows.reserveMore(sql, owner, granted)
      return granted
    })
  )
})

const makeRoom = Effect.fnUntraced(function* (access: Access, free: number, needed: number, now: number) {
  let room = free
  while (room < needed) {
    const freed = yield* removeOldest(access, overAt(now, access.limits), now, needed - room)
    if (freed === 0) return room
    room += freed
  }
  return room
})
