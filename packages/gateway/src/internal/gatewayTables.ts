/** The tables of the gateway and how they came to be. Nothing is ever dropped or made again. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

/** What the newest migration below makes; a database beyond it belongs to a later release. */
export const version = 1

const migrationsTable = "haft_gateway_migrations"

/** `outcome` is null while a call runs, `closing` while nobody has closed a request. */
const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE haft_gateway_keys (
    store_key TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    input_digest TEXT NOT NULL,
    until_ms DOUBLE PRECISION NOT NULL,
    outcome TEXT
  )`
  yield* sql`CREATE TABLE haft_gateway_audit (
    record_id TEXT NOT NULL PRIMARY KEY,
    call_id TEXT NOT NULL,
    at_ms DOUBLE PRECISION NOT NULL,
    lease_until DOUBLE PRECISION NOT NULL,
    requested TEXT NOT NULL,
    kind TEXT,
    closing TEXT
  )`
  yield* sql`CREATE TABLE haft_gateway_commits (
    commit_token TEXT NOT NULL PRIMARY KEY,
    prepare_id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    content TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX haft_gateway_audit_call ON haft_gateway_audit (call_id, at_ms)`
  yield* sql`CREATE INDEX haft_gateway_audit_kind ON haft_gateway_audit (kind, lease_until)`
})

const migrations = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_gateway": createTables }),
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
