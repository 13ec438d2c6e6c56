/** The table of the history and how it came to be. Nothing is ever dropped or made again. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

/** What the newest migration below makes; a database beyond it belongs to a later release. */
export const version = 1

const migrationsTable = "haft_history_migrations"

const createTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE haft_history (
    session_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (session_id, position)
  )`
})

const migrations = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_history": createTable }),
  table: migrationsTable
})

/** Brings the table up to date and gives the version it has then, which is above ours in a newer database. */
export const migrate = Effect.gen(function* () {
  yield* migrations
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const [row] = yield* sql<{
    readonly found: number
  }>`SELECT max(migration_id) AS found FROM ${sql(migrationsTable)}`
  return Number(row?.found)
})
