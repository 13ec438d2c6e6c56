/** Failures of the SQLite worker as Effect's `SqlError`. */
import * as SqlError from "effect/sql/SqlError"
import { full, ioError, primary } from "./sqliteCodes.ts"
import type { Failure } from "./sqliteProtocol.ts"

/** Extended result codes of SQLite: a duplicate in a unique index, a primary key, a rowid. */
const uniqueViolation = 2067
const uniqueViolations: ReadonlySet<number | undefined> = new Set([uniqueViolation, 1555, 2579])

/** A disk that failed or is full may do better later, which among Effect's reasons only a lost connection may. */
const disconnections: ReadonlySet<number | undefined> = new Set([ioError, full])

/** Effect's table reads `errno` and knows the unique index only; keys are unique too. */
export const fromFailure = ({ code, errcode, message }: Failure): SqlError.SqlError => {
  const errno = uniqueViolations.has(errcode) ? uniqueViolation : errcode
  const cause = Object.assign(new Error(message), { code, errcode, errno })
  const reason = disconnections.has(primary(errcode))
    ? new SqlError.ConnectionError({ cause, message, operation: "execute" })
    : SqlError.classifySqliteError(cause, { message, operation: "execute" })
  return new SqlError.SqlError({ reason })
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
