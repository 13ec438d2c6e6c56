/**
 * Keys, account and ledger in a database: SQLite for the processes of one machine, Postgres for several. It needs Effect's
 * `SqlClient` and speaks SQL that both understand. Outcomes are in it as readable text: keep it as private as they are.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Audit from "./Audit.ts"
import * as CommitLedger from "./CommitLedger.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as AuditSql from "./internal/auditSql.ts"
import * as LedgerSql from "./internal/commitLedgerSql.ts"
import * as Tables from "./internal/gatewayTables.ts"
import * as StoreSql from "./internal/idempotencyStoreSql.ts"

/** The database was made by a later release, and was left as it is. */
export class VersionError extends Schema.TaggedError<VersionError>()("sql.VersionError", {
  found: Schema.Int,
  supported: Schema.Int
}) {}

/** Makes its tables when they are missing; those of other packages of Haft may be in the same database. */
export const layerSql: Layer.Layer<
  IdempotencyStore.Service | Audit.Service | CommitLedger.Service,
  IdempotencyStore.StorageError | VersionError,
  SqlClient.SqlClient
> = Layer.effectContext(
  Effect.gen(function* () {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const found = yield* Effect.mapError(
      Tables.migrate,
      (cause) => new IdempotencyStore.StorageError({ operation: "open", cause })
    )
    if (found > Tables.version) return yield* new VersionError({ found, supported: Tables.version })
    return Context.make(IdempotencyStore.Service, StoreSql.make(sql)).pipe(
      Context.add(Audit.Service, AuditSql.make(sql)),
      Context.add(CommitLedger.Service, LedgerSql.make(sql))
    )
  })
)
