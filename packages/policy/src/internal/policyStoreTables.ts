/** The tables of the policy store and how they came to be. Nothing is ever dropped or made again. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

/** What the newest migration below makes; a database beyond it belongs to a later release. */
export const version = 1

const migrationsTable = "haft_policy_migrations"

/** Both tables stay small: an approval is gone once it was used or is over. `decision` is null while nobody has decided. */
const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE haft_policy_approvals (
    id TEXT NOT NULL PRIMARY KEY,
    location TEXT NOT NULL,
    asked_at DOUBLE PRECISION NOT NULL,
    asked TEXT NOT NULL,
    decision TEXT
  )`
  yield* sql`CREATE TABLE haft_policy_rules (
    location TEXT NOT NULL,
    rule TEXT NOT NULL
  )`
})

const migrations = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_policy": createTables }),
  table: migrationsTable
})

/** Brings the tables up to date and gives the version they have then, which is above ours in a newer database. */
export const migrate = Effect.gen(function* () {
  yield* migrations
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const [row] = yield* sql<{
    readonly found: number
  }>`SELECT max(migration_id) AS found FROM ${sql(migrationsTable)}`
  return Number(row?.found)
})
