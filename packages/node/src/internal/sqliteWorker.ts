/** Worker thread that holds one `node:sqlite` database and answers requests one after the other. */
import type { StatementSync } from "node:sqlite"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { refuse, ioError, primary } from "./sqliteCodes.ts"
import * as SqliteDatabase from "./sqliteDatabase.ts"
import type * as Protocol from "./sqliteProtocol.ts"

/** Prepared statements kept; an application's own statements are few, generated `IN` lists are many. */
const statementCapacity = 200

/** Rows of one read: enough that a trip between threads costs little per row, few enough that wide rows fit in memory. */
const pageSize = 128

interface Session extends SqliteDatabase.Opened {
  readonly statements: Map<string, StatementSync>
  readonly cursors: Map<number, Iterator<object>>
}

/**
 * - `Ready`: as usual.
 * - `Lost`: a failure ended the transaction, and what its owner still sends must not be done outside of it.
 * - `Closed`: not open yet, or the disk failed and it has to be opened again and checked.
 */
type State = "Ready" | "Lost" | "Closed"

const listen = (port: MessagePort, start: Protocol.Start): void => {
  let session: Session | undefined
  let state: State = "Closed"
  const connect = (): Protocol.Before => {
    const before = session === undefined ? start.before : beforeOf(session)
    if (state === "Closed" || session === undefined) session = sessionOf(SqliteDatabase.open(start.settings, before))
    state = "Ready"
    return beforeOf(session)
  }
  port.on("message", ({ id, request }: Protocol.Message) => {
    if (request._tag === "Disconnect") return disconnect(port, session)
    const wasInTransaction = isInTransaction(session)
    const outcome = attempt(() => {
      if (request._tag === "Connect") return connect()
      return state === "Ready" && session !== undefined ? answer(session, request) : refuse(ioError, brokenOff)
    })
    if (state === "Ready") state = stateAfter(outcome, wasInTransaction && !isInTransaction(session))
    if (state === "Closed") attempt(() => session?.database.close())
    const isReady = state === "Ready"
    port.postMessage({ id, inTransaction: isInTransaction(session), isReady, outcome } satisfies Protocol.Reply)
  })
}

const brokenOff = "the connection failed before this query, and a transaction with it"

const disconnect = (port: MessagePort, session: Session | undefined): void => {
  attempt(() => session?.database.close())
  port.close()
}

const stateAfter = (outcome: Protocol.Outcome, endsTransaction: boolean): State => {
  if (outcome._tag === "Success") return "Ready"
  if (primary(outcome.failure.errcode) === ioError) return "Closed"
  return endsTransaction ? "Lost" : "Ready"
}

const sessionOf = (opened: SqliteDatabase.Opened): Session => ({
  ...opened,
  statements: new Map(),
  cursors: new Map()
})

const beforeOf = ({ file }: Session): Protocol.Before => ({ identity: file?.identity })

const isInTransaction = (session: Session | undefined): boolean =>
  session !== undefined && session.database.isOpen && session.database.isTransaction

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

const answer = (session: Session, request: Exclude<Protocol.Request, { _tag: "Connect" | "Disconnect" }>): unknown => {
  switch (request._tag) {
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
