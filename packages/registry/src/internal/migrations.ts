/** The tables of a store, brought up to date. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"

type Migration = Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>

/** Runs what is missing, and gives the version that the tables have then, which is above ours in a newer database. */
export const migrateWith = (table: string, steps: Readonly<Record<string, Migration>>) => {
  const run = Migrator.make({})({ loader: Migrator.fromRecord(steps), table })
  return Effect.gen(function* () {
    yield* run
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const [row] = yield* sql<{ readonly found: number }>`SELECT max(migration_id) AS found FROM ${sql(table)}`
    return Number(row?.found)
  })
}
