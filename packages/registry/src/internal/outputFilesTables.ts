/** The tables that say what the files of an output store are. Nothing is ever dropped or made again. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { migrateWith } from "./migrations.ts"

/** What the newest migration below makes; a database beyond it belongs to a later release. */
export const version = 2

const migrationsTable = "haft_output_migrations"

/**
 * A content is a file, and an output a reference to one. `hash` is null once the output was removed, and `seq` is the
 * order in which outputs came, whatever the clock said. A writer is a process that has the store open, with the bytes
 * that it may still write.
 */
const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE haft_output_store (id TEXT NOT NULL PRIMARY KEY)`
  yield* sql`CREATE TABLE haft_output_contents (
    hash TEXT NOT NULL PRIMARY KEY,
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL
  )`
  yield* sql`CREATE TABLE haft_outputs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ref TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    hash TEXT,
    removed_at DOUBLE PRECISION
  )`
  yield* sql`CREATE INDEX haft_outputs_session ON haft_outputs (session)`
  yield* sql`CREATE INDEX haft_outputs_hash ON haft_outputs (hash, seq)`
  yield* sql`CREATE TABLE haft_output_released (session TEXT NOT NULL PRIMARY KEY, released_at DOUBLE PRECISION NOT NULL)`
  yield* sql`CREATE TABLE haft_output_writers (owner TEXT NOT NULL PRIMARY KEY, reserved INTEGER NOT NULL)`
})

/** When a session kept or opened something last. Those that were there before were used now, for all that is known. */
const createSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  yield* sql`CREATE TABLE haft_output_sessions (session TEXT NOT NULL PRIMARY KEY, used_at DOUBLE PRECISION NOT NULL)`
  yield* sql`INSERT INTO haft_output_sessions SELECT DISTINCT session, ${now} FROM haft_outputs`
})

/** Brings the tables up to date and gives the version they have then. */
export const migrate = migrateWith(migrationsTable, { "0001_outputs": createTables, "0002_sessions": createSessions })
