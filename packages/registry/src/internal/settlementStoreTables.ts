/** The tables of the settlement store and how they came to be. Nothing is ever dropped or made again. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { migrateWith } from "./migrations.ts"

/** What the newest migration below makes; a database beyond it belongs to a later release. */
export const version = 1

const migrationsTable = "haft_settlement_migrations"

/**
 * A call is a row for each attempt: the key never changes, and a later attempt leaves the earlier ones as they are.
 * `ended_as` is null while nobody has ended the attempt; the index finds those among millions that are over.
 */
const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE haft_calls (
    call_key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner TEXT NOT NULL,
    begun_at DOUBLE PRECISION NOT NULL,
    effect_possible INTEGER NOT NULL,
    begun TEXT NOT NULL,
    ended_as TEXT,
    ended TEXT,
    PRIMARY KEY (call_key, attempt)
  )`
  yield* sql`CREATE INDEX haft_calls_open ON haft_calls (begun_at) WHERE ended_as IS NULL`
  yield* sql`CREATE TABLE haft_approvals (
    approval_id TEXT NOT NULL PRIMARY KEY,
    call_key TEXT NOT NULL,
    attempt INTEGER NOT NULL
  )`
  yield* sql`CREATE TABLE haft_owners (owner TEXT NOT NULL PRIMARY KEY)`
})

/** Brings the tables up to date and gives the version they have then. */
export const migrate = migrateWith(migrationsTable, { "0001_calls": createTables })
