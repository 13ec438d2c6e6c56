/** Failures of the SQLite worker as Effect's `SqlError`. */
import * as SqlError from "effect/sql/SqlError"
import type { Failure } from "./sqliteProtocol.ts"

/** Extended result codes of SQLite: a duplicate in a unique index, a primary key, a rowid. */
const uniqueViolation = 2067
const uniqueViolations: ReadonlySet<number | undefined> = new Set([uniqueViolation, 1555, 2579])

/** Effect's table reads `errno` and knows the unique index only; keys are unique too. */
export const fromFailure = ({ code, errcode, message }: Failure): SqlError.SqlError => {
  const errno = uniqueViolations.has(errcode) ? uniqueViolation : errcode
  const cause = Object.assign(new Error(message), { code, errcode, errno })
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message, operation: "execute" }) })
}

/** The worker ended, was never started, or the client is closed. */
export const disconnected = (cause: unknown): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ message: "the SQLite database is closed", operation: "execute", cause })
  })

/** The message has the position and the type of the parameter, never its content. */
export const unbindable = (position: number, type: string): SqlError.SqlError => {
  const message = `parameter ${position} cannot be bound to SQLite: ${type}`
  return new SqlError.SqlError({
    reason: new SqlError.UnknownError({ message, operation: "execute", cause: new TypeError(message) })
  })
}
