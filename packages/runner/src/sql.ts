/**
 * The `History` in a database: SQLite for the processes of one machine, Postgres for several. It needs Effect's
 * `SqlClient` and speaks SQL that both understand. Conversations are in it as readable text: keep the file, or the server,
 * as private as they are.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as History from "./History.ts"
import * as Store from "./internal/historySql.ts"
import * as Tables from "./internal/historyTables.ts"

/** The database was made by a later release, and was left as it is. */
export class VersionError extends Schema.TaggedError<VersionError>()("sql.VersionError", {
  found: Schema.Int,
  supported: Schema.Int
}) {}

/** Makes its table when it is missing; those of `@haft/registry/sql` may be, and better are, in the same database. */
export const layerSql: Layer.Layer<History.Service, History.StorageError | VersionError, SqlClient.SqlClient> =
  Layer.effect(
    History.Service,
    Effect.gen(function* () {
      const sql = (yield* SqlClient.SqlClient).withoutTransforms()
      const found = yield* Effect.mapError(
        Tables.migrate,
        (cause) => new History.StorageError({ operation: "open", cause })
      )
      if (found > Tables.version) return yield* new VersionError({ found, supported: Tables.version })
      return Store.make(sql)
    })
  )
