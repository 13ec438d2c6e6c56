/** Worker thread that holds one `node:sqlite` database and answers requests one after the other. */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import type * as Protocol from "./sqliteProtocol.ts"

/** How long a statement waits for the lock of another connection; longer waits are a `LockTimeoutError`. */
const busyTimeoutMillis = 5_000

/** Pause between two attempts where SQLite does not wait by itself. */
const retryMillis = 20

/** SQLite's result code for a lock that somebody else holds. */
const busy = 5

/** Prepared statements kept; an application's own statements are few, generated `IN` lists are many. */
const statementCapacity = 200

/** Rows of one read: enough that a trip between threads costs little per row, few enough that wide rows fit in memory. */
const pageSize = 128

interface Session {
  readonly database: DatabaseSync
  readonly statements: Map<string, StatementSync>
  readonly cursors: Map<number, Iterator<object>>
}

const listen = (port: MessagePort, settings: Protocol.Settings): void => {
  let session: Session | undefined
  port.on("message", ({ id, request }: Protocol.Message) => {
    const outcome = attempt(() => answer((session ??= connect(settings)), request))
    const inTransaction = session !== undefined && session.database.isOpen && session.database.isTransaction
    port.postMessage({ id, inTransaction, outcome } satisfies Protocol.Reply)
    if (request._tag === "Disconnect") port.close()
  })
}

const attempt = (run: () => unknown): Protocol.Outcome => {
  try {
    return { _tag: "Success", value: run() }
  } catch (error) {
    return { _tag: "Failure", failure: failureOf(error) }
  }
}

const failureOf = (error: unknown): Protocol.Failure => {
  const { code, errcode, message }: { code?: unknown; errcode?: unknown; message?: unknown } = Object(error)
  return {
    message: typeof message === "string" ? message : String(error),
    code: typeof code === "string" ? code : undefined,
    errcode: typeof errcode === "number" ? errcode : undefined
  }
}

const connect = ({ filename, readOnly }: Protocol.Settings): Session => {
  const timeout = busyTimeoutMillis
  const database = new DatabaseSync(filename, { readOnly, timeout, enableForeignKeyConstraints: true })
  try {
    if (!readOnly) enableWal(database, busyTimeoutMillis / retryMillis)
    database.exec("PRAGMA synchronous = FULL")
  } catch (error) {
    database.close()
    throw error
  }
  return { database, statements: new Map(), cursors: new Map() }
}

/** SQLite's own waiting does not cover this: two that open a new file at once would have one fail immediately. */
const enableWal = (database: DatabaseSync, attempts: number): void => {
  try {
    database.exec("PRAGMA journal_mode = WAL")
  } catch (error) {
    if (attempts <= 0 || failureOf(error).errcode !== busy) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMillis)
    enableWal(database, attempts - 1)
  }
}

const answer = (session: Session, request: Protocol.Request): unknown => {
  switch (request._tag) {
    case "Connect":
      return undefined
    case "Rows":
    case "Values":
      return statementFor(session, request, request._tag === "Values").all(...request.params)
    case "Raw": {
      const statement = statementFor(session, request, false)
      return statement.columns().length > 0 ? statement.all(...request.params) : statement.run(...request.params)
    }
    case "OpenCursor":
      return void session.cursors.set(request.cursor, open(session, request))
    case "ReadCursor":
      return read(session.cursors.get(request.cursor))
    case "CloseCursor":
      return close(session, request.cursor)
    case "Disconnect":
      return session.database.close()
  }
}

const statementFor = (session: Session, query: Protocol.Query & { readonly cached: boolean }, asArrays: boolean) => {
  const statement = query.cached ? kept(session, query.sql) : prepare(session, query.sql)
  statement.setReadBigInts(query.safeIntegers)
  statement.setReturnArrays(asArrays)
  return statement
}

/** A statement of its own: the same text may be executed while the cursor is half read. */
const open = (session: Session, { params, safeIntegers, sql }: Protocol.Query): Iterator<object> => {
  const statement = prepare(session, sql)
  statement.setReadBigInts(safeIntegers)
  return statement.iterate(...params)
}

const read = (cursor: Iterator<object> | undefined): Protocol.Page => {
  const rows: Array<object> = []
  if (cursor === undefined) return { rows, done: true }
  while (rows.length < pageSize) {
    const next = cursor.next()
    if (next.done === true) return { rows, done: true }
    rows.push(next.value)
  }
  return { rows, done: false }
}

const close = ({ cursors }: Session, cursor: number): void => {
  cursors.get(cursor)?.return?.()
  cursors.delete(cursor)
}

/** The most recently used statements stay. */
const kept = (session: Session, sql: string): StatementSync => {
  const { statements } = session
  const statement = statements.get(sql) ?? prepare(session, sql)
  statements.delete(sql)
  statements.set(sql, statement)
  const [oldest] = statements.keys()
  if (oldest !== undefined && statements.size > statementCapacity) statements.delete(oldest)
  return statement
}

/** SQLite prepares the first statement of a text and ignores the rest, which would lose a write without a word. */
const prepare = ({ database }: Session, sql: string): StatementSync => {
  const statement = database.prepare(sql)
  const rest = sql.slice(statement.sourceSQL.length).replaceAll(comment, "")
  if (/[^\s;]/u.test(rest)) throw new Error("a query holds more than one statement")
  return statement
}

const comment = /--.*|\/\*[^]*?(?:\*\/|$)/gu

if (parentPort !== null) listen(parentPort, workerData)
