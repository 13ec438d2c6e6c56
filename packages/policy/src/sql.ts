/**
 * The `PolicyStore` in a database: SQLite for the processes of one machine, Postgres for several. It needs Effect's
 * `SqlClient` and speaks SQL that both understand. What tools asked for is in it as readable text: keep the file, or the
 * server, as private as their own data.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Store from "./internal/policyStoreSql.ts"
import * as Tables from "./internal/policyStoreTables.ts"
import * as PolicyStore from "./PolicyStore.ts"

/** The database was made by a later release, and was left as it is. */
export class VersionError extends Schema.TaggedError<VersionError>()("sql.VersionError", {
  found: Schema.Int,
  supported: Schema.Int
}) {}

/**
 * Makes its tables when they are missing; those of `@haft/registry/sql` may be in the same database. Processes that share
 * it see those of each other's requests that were there when they started, and an answer given in one of them reaches the
 * call that waits in another within a second.
 */
export const layerSql: Layer.Layer<PolicyStore.Service, PolicyStore.StorageError | VersionError, SqlClient.SqlClient> =
  Layer.effect(
    PolicyStore.Service,
    Effect.gen(function* () {
      const sql = (yield* SqlClient.SqlClient).withoutTransforms()
      const found = yield* Effect.mapError(
        Tables.migrate,
        (cause) => new PolicyStore.StorageError({ operation: "open", cause })
      )
      if (found > Tables.version) return yield* new VersionError({ found, supported: Tables.version })
      return Store.make(sql)
    })
  )
