/**
 * The `SettlementStore` in a database: SQLite for the processes of one machine, Postgres for several. It needs Effect's
 * `SqlClient` and speaks SQL that both understand.
 *
 * Calls that are recorded at the same time share a transaction, and those that are looked for share a query. A caller
 * that is interrupted while its call is recorded waits for the commit; in an uninterruptible region it also learns the
 * result. What tools returned is in the database as readable text: keep the file, or the server, as private as their own
 * data.
 */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Batches from "./internal/settlementStoreBatches.ts"
import { outsideTransaction } from "./internal/insideTransaction.ts"
import * as Journal from "./internal/settlementStoreJournal.ts"
import { Leftovers } from "./internal/settlementStoreLeftovers.ts"
import * as Log from "./internal/settlementStoreLog.ts"
import * as InternalOwners from "./internal/settlementStoreOwners.ts"
import type { Operation } from "./internal/settlementStorePlan.ts"
import * as Reading from "./internal/settlementStoreReading.ts"
import * as Store from "./internal/settlementStoreSql.ts"
import * as Tables from "./internal/settlementStoreTables.ts"

/** The database was made by a later release, and was left as it is. */
export class VersionError extends Schema.TaggedError<VersionError>()("sql.VersionError", {
  found: Schema.Int,
  supported: Schema.Int
}) {}

/** Tells which stores on a database are open. What a store had not ended when it closed or died is unfinished. */
export type Owners = InternalOwners.Owners

/** How the store is run. */
export interface Options {
  /**
   * Without it a store is alive until it is closed, and one whose process died without closing stays alive until its row
   * in `haft_owners` is removed. Processes that share a SQLite file know better: give them `NodeOwners` of `@haft/node`.
   */
  readonly owners?: Owners
}

/**
 * Makes its tables when they are missing. Every other client of the database may be used at the same time. Inside a
 * transaction of the same client nothing can be settled on SQLite, which has one connection: it fails at once.
 *
 * If the database fails, nothing begins. An end that could not be written is tried again at once and at every later
 * occasion; until then its call is unfinished, and who asks for it again is told so.
 */
export const layerSql = (
  options?: Options
): Layer.Layer<SettlementStore.Service, SettlementStore.StorageError | VersionError, SqlClient.SqlClient> =>
  Layer.effect(SettlementStore.Service, make(options))

/** The owner is released last: as long as something may still be written, its writer counts as alive. */
const make = Effect.fnUntraced(function* (options: Options | undefined) {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const found = yield* orUnopened(outsideTransaction(sql, Tables.migrate))
  if (found > Tables.version) return yield* new VersionError({ found, supported: Tables.version })
  const owners = options?.owners ?? InternalOwners.fromTable(sql)
  const owner = yield* orUnopened(owners.acquire)
  const attribute = InternalOwners.attribution(owner, owners.isAlive)
  const access = { sql, owner, attribute, leftovers: new Leftovers(), running: new Map<string, number>() }
  const journal = yield* Journal.make(access)
  const write = yield* Batches.make({ run: journal.record, sizeOf })
  const look = yield* Batches.make({
    run: (keys: ReadonlyArray<string>) => Reading.latest(access, keys),
    sizeOf: sizeOfKey
  })
  return Store.make(access, journal, { write, look })
})

const orUnopened = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.mapError(effect, (cause) => new SettlementStore.StorageError({ operation: "open", cause }))

/** Which recorded calls to show. */
export type LogQuery = Log.LogQuery

/**
 * The calls that were recorded, the latest first, each attempt by itself. It needs no store and begins nothing, so a
 * process that only reads can show what others do. `owners` are those of the stores on the database. Makes the tables when
 * they are missing.
 */
export const log = (
  query: LogQuery,
  options?: Options
): Effect.Effect<
  ReadonlyArray<SettlementStore.CallRecord>,
  SettlementStore.StorageError | VersionError,
  SqlClient.SqlClient
> =>
  Effect.gen(function* () {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const found = yield* outsideTransaction(sql, Tables.migrate)
    if (found > Tables.version) return yield* new VersionError({ found, supported: Tables.version })
    const { isAlive } = options?.owners ?? InternalOwners.fromTable(sql)
    return yield* Log.log(sql, isAlive, query)
  }).pipe(
    Effect.mapError((cause) =>
      cause instanceof VersionError ? cause : new SettlementStore.StorageError({ operation: "find", cause })
    )
  )
/** How much comes back is not known before. */
const sizeOfKey = (): number => 0

const sizeOf = (operation: Operation): number => {
  switch (operation._tag) {
    case "Begin":
      return operation.json.length + (operation.ended?.json.length ?? 0)
    case "Advance":
      return 0
    case "Complete":
      return operation.ended.json.length
  }
}
