import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { execFile } from "node:child_process"
import * as DiagnosticsChannel from "node:diagnostics_channel"
import * as Fs from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { sqlClient } from "./suites/sqlClient.ts"

const Memory = NodeSqlClient.layer({ filename: ":memory:" })

/** A client that somebody else could have written: it borrows the connection behind the tag. */
const Delegating = Layer.effect(
  SqlClient.SqlClient,
  Effect.flatMap(SqlClient.SqlClient, (client) =>
    SqlClient.make({
      acquirer: client.reserve,
      compiler: Statement.makeCompilerSqlite(),
      driver: "delegating",
      onCommitFailure: (connection) => connection.executeUnprepared("ROLLBACK", [], undefined),
      spanAttributes: []
    })
  )
).pipe(Layer.provide([Memory, Reactivity.layer]))

sqlClient("NodeSqlClient", Memory)
sqlClient("a client that delegates to NodeSqlClient", Delegating)

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-sql-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)
const databaseFile = Effect.map(temporary, (directory) => join(directory, "test.db"))

/** A client, the thread behind it, and its end in the hands of the case. */
const start = Effect.fnUntraced(function* (filename = ":memory:") {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const workers: Array<Worker> = []
  const onWorker = (message: unknown) => {
    if (typeof message === "object" && message !== null && "worker" in message && message.worker instanceof Worker)
      workers.push(message.worker)
  }
  DiagnosticsChannel.subscribe("worker_threads", onWorker)
  const context = yield* Layer.buildWithScope(NodeSqlClient.layer({ filename }), scope)
  DiagnosticsChannel.unsubscribe("worker_threads", onWorker)
  const [worker] = workers
  if (worker === undefined) return assert.fail("no thread was started")
  return { sql: Context.get(context, SqlClient.SqlClient), worker, close: Scope.close(scope, Exit.void) }
})

const heavy =
  "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT count(*) AS n FROM n"

const insertNumbers = (sql: SqlClient.SqlClient) =>
  sql`INSERT INTO t WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 200000) SELECT x FROM n`

/** Turns of the event loop while `effect` runs. */
const turnsDuring = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    let turns = 0
    let immediate = setImmediate(function turn() {
      turns++
      immediate = setImmediate(turn)
    })
    yield* Effect.ensuring(
      effect,
      Effect.sync(() => clearImmediate(immediate))
    )
    return turns
  })

describe("the thread of a NodeSqlClient", () => {
  it.effect("leaves the event loop free during a heavy query", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const blocked = yield* turnsDuring(Effect.sync(() => new DatabaseSync(":memory:").prepare(heavy).all()))
      assert.strictEqual(blocked, 0)
      assert.isAbove(yield* turnsDuring(sql.unsafe(heavy)), 10)
    })
  )

  it.effect("fails what it was asked and what it is asked later once it dies", () =>
    Effect.gen(function* () {
      const { sql, worker } = yield* start()
      const pending = yield* Effect.forkChild(Effect.flip(sql.unsafe(heavy)), { startImmediately: true })
      yield* Effect.promise(() => worker.terminate())
      assert.strictEqual((yield* Fiber.join(pending)).reason._tag, "ConnectionError")
      assert.strictEqual((yield* Effect.flip(sql`SELECT 1`)).reason._tag, "ConnectionError")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(sql`SELECT 1`.stream))).reason._tag, "ConnectionError")
    })
  )

  it.effect("that dies is replaced for the next query, which finds what was committed and nothing else", () =>
    Effect.gen(function* () {
      const { sql, worker } = yield* start(yield* databaseFile)
      yield* sql`CREATE TABLE t (x)`
      yield* sql`INSERT INTO t VALUES (1)`
      const terminate = Effect.promise(() => worker.terminate())
      const late: Array<string> = []
      const insert = (x: number) =>
        Effect.catch(sql`INSERT INTO t VALUES (${x})`, ({ reason }) => Effect.sync(() => late.push(reason._tag)))
      const died = Effect.gen(function* () {
        yield* insert(2)
        yield* terminate
        yield* insert(3)
        yield* insert(4)
      })
      assert.strictEqual((yield* Effect.flip(sql.withTransaction(died))).reason._tag, "ConnectionError")
      assert.deepStrictEqual(late, ["ConnectionError", "ConnectionError"], "nothing runs outside of its transaction")
      assert.deepStrictEqual(yield* sql`SELECT x FROM t`.values, [[1]])
      yield* sql.withTransaction(insert(5))
      assert.deepStrictEqual(yield* sql`SELECT x FROM t ORDER BY x`.values, [[1], [5]])
    })
  )

  it.effect("that dies does not lead to another file in place of its own", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const { sql, worker } = yield* start(filename)
      yield* sql`CREATE TABLE t (x)`
      yield* Effect.promise(() => worker.terminate())
      Fs.renameSync(filename, `${filename}.moved`)
      const error = yield* Effect.flip(sql`SELECT x FROM t`)
      assert.strictEqual(error.reason.message, `there is no database ${filename}`)
      Fs.renameSync(`${filename}.moved`, filename)
      assert.deepStrictEqual(yield* sql`SELECT x FROM t`.values, [])
    })
  )

  it.effect("that dies is not replaced any more once its client is released", () =>
    Effect.gen(function* () {
      const { close, sql, worker } = yield* start(yield* databaseFile)
      const others: Array<unknown> = []
      const onWorker = (message: unknown) => void others.push(message)
      yield* Effect.acquireRelease(
        Effect.sync(() => DiagnosticsChannel.subscribe("worker_threads", onWorker)),
        () => Effect.sync(() => DiagnosticsChannel.unsubscribe("worker_threads", onWorker))
      )
      worker.emit("error", new Error("died"))
      const asking = yield* Effect.forkChild(Effect.flip(sql`SELECT 1`), { startImmediately: true })
      yield* close
      assert.strictEqual((yield* Fiber.join(asking)).reason._tag, "ConnectionError")
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect("that is given up is replaced, whatever it still answers", () =>
    Effect.gen(function* () {
      const { sql, worker } = yield* start(yield* databaseFile)
      const pending = yield* Effect.forkChild(Effect.flip(sql.unsafe(heavy)), { startImmediately: true })
      const answered = new Promise((resolve) => worker.once("message", resolve))
      worker.emit("messageerror", new Error("an answer that cannot be read"))
      assert.strictEqual((yield* Fiber.join(pending)).reason._tag, "ConnectionError")
      yield* Effect.promise(() => answered)
      assert.deepStrictEqual(yield* sql`SELECT 1`.values, [[1]])
    })
  )

  it.effect("that dies within a transaction fails it with a SqlError", () =>
    Effect.gen(function* () {
      const { sql, worker } = yield* start()
      const terminate = Effect.promise(() => worker.terminate())
      const error = yield* Effect.flip(sql.withTransaction(Effect.andThen(terminate, sql`SELECT 1`)))
      assert.strictEqual(error.reason._tag, "ConnectionError")
    })
  )

  it.effect("that dies under a half read stream fails the stream", () =>
    Effect.gen(function* () {
      const { sql, worker } = yield* start()
      const terminate = Effect.promise(() => worker.terminate())
      const rows = sql.unsafe(
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
      ).stream
      const error = yield* Effect.flip(Stream.runForEach(rows, () => terminate))
      assert.strictEqual(error.reason._tag, "ConnectionError")
    })
  )

  it.effect("starts from compiled JavaScript as it does from source", () =>
    Effect.gen(function* () {
      const built: typeof NodeSqlClient = yield* Effect.flatMap(compiled, (url) => Effect.promise(() => import(url)))
      const answer = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`)
      assert.deepStrictEqual(yield* Effect.provide(answer, built.layer({ filename: ":memory:" })), [{ one: 1 }])
    })
  )

  it.effect("finishes what runs when the Scope closes, then ends", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const { close, sql, worker } = yield* start(filename)
      yield* sql`CREATE TABLE t (x)`
      const running = yield* Effect.forkChild(insertNumbers(sql), { startImmediately: true })
      yield* close
      yield* Fiber.join(running)
      const ended = -1
      assert.strictEqual(worker.threadId, ended)
      assert.strictEqual((yield* Effect.flip(sql`SELECT 1`)).reason._tag, "ConnectionError")
      assert.deepStrictEqual(Fs.readdirSync(join(filename, "..")), ["test.db"])
      const again = yield* start(filename)
      assert.deepStrictEqual(yield* again.sql`SELECT count(*) FROM t`.values, [[200_000]])
    })
  )

  it.effect("is done with an interrupted query when the interruption is", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const [writer, reader] = [yield* start(filename), yield* start(filename)]
      yield* writer.sql`CREATE TABLE t (x)`
      const running = yield* Effect.forkChild(insertNumbers(writer.sql), { startImmediately: true })
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(yield* reader.sql`SELECT count(*) FROM t`.values, [[200_000]])
    })
  )

  it.effect("ends although a stream and a transaction are still open", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const { close, sql } = yield* start(filename)
      yield* sql`CREATE TABLE t (x)`
      const inside = yield* Deferred.make<void>()
      const transaction = Effect.gen(function* () {
        yield* sql`INSERT INTO t VALUES (1)`
        const rows = Stream.forever(sql`SELECT 1`.stream)
        yield* Stream.runForEach(rows, () => Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
      })
      const open = yield* Effect.forkChild(sql.withTransaction(transaction))
      yield* Deferred.await(inside)
      yield* close
      yield* Fiber.interrupt(open)
      const again = yield* start(filename)
      assert.deepStrictEqual(yield* again.sql`SELECT x FROM t`.values, [])
    })
  )
})

const insertMany = (sql: SqlClient.SqlClient) =>
  Effect.repeat(sql.withTransaction(sql`INSERT INTO t VALUES (1)`), { times: 49 })

const execute = promisify(execFile)
const counterProgram = fileURLToPath(new URL("fixtures/sqlCounter.ts", import.meta.url))

/** The sources as a build leaves them, in a directory of their own that finds the same packages. */
const compiled = Effect.map(temporary, (directory) => {
  Fs.mkdirSync(join(directory, "internal"))
  Fs.writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }))
  Fs.symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(directory, "node_modules"))
  const internal = Fs.readdirSync(new URL("../src/internal", import.meta.url)).map((name) => `internal/${name}`)
  for (const name of ["NodeSqlClient.ts", ...internal]) {
    const source = Fs.readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8")
    const script = stripTypeScriptTypes(source).replaceAll(/(from "\..*)\.ts"/gu, '$1.js"')
    Fs.writeFileSync(join(directory, name.replace(/ts$/u, "js")), script)
  }
  return pathToFileURL(join(directory, "NodeSqlClient.js")).href
})

describe("the file of a NodeSqlClient", () => {
  it.effect("has a write-ahead log, full synchronisation, foreign keys and a busy timeout", () =>
    Effect.gen(function* () {
      const { sql } = yield* start(yield* databaseFile)
      const pragma = (name: string) => Effect.map(sql.unsafe(`PRAGMA ${name}`).values, ([row]) => row?.[0])
      const full = 2
      assert.strictEqual(yield* pragma("journal_mode"), "wal")
      assert.strictEqual(yield* pragma("synchronous"), full)
      assert.strictEqual(yield* pragma("foreign_keys"), 1)
      assert.strictEqual(yield* pragma("busy_timeout"), 5000)
    })
  )

  it.effect("is shared by several processes that read and then write, and each of them ends by itself", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const run = Effect.promise(() => execute(process.execPath, [counterProgram, filename, "50"]))
      const outputs = yield* Effect.all([run, run, run, run], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        outputs.map(({ stderr }) => stderr),
        ["", "", "", ""]
      )
      const { sql } = yield* start(filename)
      assert.deepStrictEqual(yield* sql`SELECT n FROM counter`.values, [[200]])
    })
  )

  it.effect("is shared by clients of one process", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const [one, two] = [yield* start(filename), yield* start(filename)]
      yield* one.sql`CREATE TABLE t (x)`
      yield* Effect.all([insertMany(one.sql), insertMany(two.sql)], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* two.sql`SELECT count(*) FROM t`.values, [[100]])
    })
  )

  it.effect("opened for reading only refuses writes and gives its rows, also in a transaction", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const { sql } = yield* start(filename)
      yield* sql`CREATE TABLE t (x)`
      yield* sql`INSERT INTO t VALUES (1)`
      const reading = Effect.gen(function* () {
        const reader = yield* SqlClient.SqlClient
        yield* Effect.flip(reader`INSERT INTO t VALUES (2)`)
        return yield* reader.withTransaction(reader`SELECT x FROM t`.values)
      }).pipe(Effect.provide(NodeSqlClient.layer({ filename, readOnly: true })))
      assert.deepStrictEqual(yield* reading, [[1]])
    })
  )

  it.effect("that cannot be opened is a ConnectionError, one that is no database another SqlError", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const open = (filename: string, readOnly: boolean) =>
        Effect.flip(Effect.scoped(Layer.build(NodeSqlClient.layer({ filename: join(directory, filename), readOnly }))))
      assert.strictEqual((yield* open("missing/test.db", false)).reason._tag, "ConnectionError")
      assert.strictEqual((yield* open("missing.db", true)).reason._tag, "ConnectionError")
      const text = "not a database, but long enough to be taken for one".repeat(100)
      Fs.writeFileSync(join(directory, "text.db"), text, { mode: 0o600 })
      assert.strictEqual((yield* open("text.db", false)).reason._tag, "UnknownError")
      assert.strictEqual(Fs.readFileSync(join(directory, "text.db"), "utf8"), text)
    })
  )
})

describe("NodeSqlClient", () => {
  it.effect("gives rows that are plain objects, whatever their columns are called", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const [row] = yield* sql.unsafe(`SELECT 1 AS "__proto__", 2 AS "constructor"`)
      assert.strictEqual(Object.getPrototypeOf(row), Object.prototype)
      assert.deepStrictEqual(Object.entries(row ?? {}), [
        ["__proto__", 1],
        ["constructor", 2]
      ])
    })
  )

  it.effect("fails instead of rounding an integer that a number cannot hold", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      assert.strictEqual((yield* Effect.flip(sql`SELECT 9007199254740993`))._tag, "SqlError")
    })
  )

  it.effect("refuses a text of several statements, which SQLite would cut after the first", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const error = yield* Effect.flip(sql`CREATE TABLE a (x); CREATE TABLE b (x)`)
      assert.include(error.message, "more than one statement")
      yield* sql`CREATE TABLE a (x); -- the only one /* of them */`
      assert.deepStrictEqual(yield* sql`SELECT name FROM sqlite_schema`.values, [["a"]])
    })
  )

  it.effect("says what a write did when asked for the raw result", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      yield* sql`CREATE TABLE t (x)`
      assert.deepStrictEqual(yield* sql`INSERT INTO t VALUES (1), (2)`.raw, { changes: 2, lastInsertRowid: 2 })
      assert.deepStrictEqual(yield* sql`SELECT x FROM t`.raw, [{ x: 1 }, { x: 2 }])
    })
  )

  it.effect("knows new columns, and more statements than it keeps", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      yield* sql`CREATE TABLE t (x)`
      yield* sql`INSERT INTO t VALUES (1)`
      yield* sql`SELECT * FROM t`
      yield* sql`ALTER TABLE t ADD COLUMN y`
      for (let n = 0; n < 300; n++) assert.deepStrictEqual(yield* sql.unsafe(`SELECT ${n}`).values, [[n]])
      assert.deepStrictEqual(yield* sql`SELECT * FROM t`, [{ x: 1, y: null }])
    })
  )
})
