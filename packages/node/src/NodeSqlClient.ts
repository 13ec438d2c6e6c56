/**
 * Effect's `SqlClient` on `node:sqlite`, for a store in one file. The database lives in a worker thread of its own, so a
 * query never blocks the event loop; other clients and other processes may use the same file at the same time.
 *
 * A disk that failed makes the open database suspect: the query fails with a `ConnectionError`, and before the next one
 * the file is closed, opened again and checked. So it is when the thread dies, on another one; what was in memory is gone
 * with it. What was left open by a process that died is checked as well.
 *
 * An interrupted query is waited for, because SQLite cannot be stopped half way; what waits for its turn leaves at once.
 * Bundlers must keep `internal/sqliteWorker` as a file beside `internal/sqliteThread`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as SqliteConnection from "./internal/sqliteConnection.ts"
import * as SqliteThread from "./internal/sqliteThread.ts"

/** Which database to open. */
export interface Options {
  /** Path of the file, created when it is missing, or `:memory:`. */
  readonly filename: string
  /** Opens an existing file and refuses every write. */
  readonly readOnly?: boolean
  /**
   * `owner`, the default: the file, what SQLite keeps beside it and their directory belong to this user and are closed to
   * everyone else, and none of them is a symbolic link. `any` looks at none of that.
   */
  readonly access?: "owner" | "any"
}

/**
 * Provides `SqlClient` until the layer's Scope closes, with reactive queries of its own. A new file is readable by its
 * owner alone; never is a new one made in place of one that is unreadable, empty or gone while its log is still there.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

/** Closing the Scope lets the running query finish, rolls back a transaction nobody ended, and ends the thread. */
export const make = (
  options: Options
): Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const { access = "owner", filename, readOnly = false } = options
    const thread = yield* SqliteThread.start({ filename, readOnly, access })
    return yield* SqlClient.make({
      ...SqlClient.makeSqliteAcquirers({
        connection: Effect.as(thread.ready, SqliteConnection.make(thread)),
        semaphore: yield* Semaphore.make(1),
        isTransaction: thread.inTransaction
      }),
      // Takes the write lock at once: a transaction that reads first could lose it to another process and fail late.
      beginTransaction: readOnly ? "BEGIN" : "BEGIN IMMEDIATE",
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      compiler: Statement.makeCompilerSqlite(),
      driver: "node:sqlite",
      prepareTransactionControls: true,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  })
