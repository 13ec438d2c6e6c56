import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import { faultOf } from "../src/internal/sqliteFile.ts"

/** A directory that is this user's alone, and the name of a database in it. */
const place = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-sql-file-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
  ),
  (directory) => ({ directory, filename: join(directory, "test.db") })
)

const withSql = <A, E>(
  options: NodeSqlClient.Options,
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>
): Effect.Effect<A, unknown> =>
  Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), Layer.fresh(NodeSqlClient.layer(options)))

const fill = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`CREATE TABLE t (x)`,
    sql`INSERT INTO t WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n`
  )

const count = (sql: SqlClient.SqlClient) => sql`SELECT count(*) FROM t`.values

const refusal = (options: NodeSqlClient.Options) =>
  Effect.flip(Effect.scoped(Layer.build(Layer.fresh(NodeSqlClient.layer(options)))))

const modeOf = (path: string): string => (Fs.statSync(path).mode & 0o777).toString(8)

/** A database, and a copy as a process leaves it that dies: with the log still there. */
const leftOpen = Effect.gen(function* () {
  const { directory, filename } = yield* place
  const copy = join(directory, "copy.db")
  yield* withSql({ filename }, fill)
  yield* withSql({ filename }, (sql) =>
    Effect.andThen(
      sql`INSERT INTO t VALUES (0)`,
      Effect.sync(() => {
        Fs.copyFileSync(filename, copy)
        Fs.copyFileSync(`${filename}-wal`, `${copy}-wal`)
      })
    )
  )
  return copy
})

const pageSize = 4096

/** Rubbish in a page of the table that the log does not have. */
const damage = (filename: string): void => {
  const bytes = Fs.readFileSync(filename)
  Fs.writeFileSync(filename, bytes.fill(0xa5, 2 * pageSize, 3 * pageSize))
}

describe("the file of a NodeSqlClient", () => {
  it.effect("is made for its owner alone, with everything beside it", () =>
    Effect.gen(function* () {
      const { directory, filename } = yield* place
      const names = yield* withSql({ filename }, (sql) =>
        Effect.map(fill(sql), () => Fs.readdirSync(directory).map((name) => `${name} ${modeOf(join(directory, name))}`))
      )
      assert.deepStrictEqual(names, ["test.db 600", "test.db-shm 600", "test.db-wal 600"])
    })
  )

  it.effect("that others may read is refused with what to do, and opened if that is what is wanted", () =>
    Effect.gen(function* () {
      const { filename } = yield* place
      yield* withSql({ filename }, fill)
      Fs.chmodSync(filename, 0o640)
      const error = yield* refusal({ filename })
      assert.strictEqual(error.reason._tag, "ConnectionError")
      assert.include(error.message, `${filename} is open to other users: change its mode to 600`)
      assert.deepStrictEqual(yield* withSql({ filename, access: "any" }, count), [[2000]])
      Fs.chmodSync(filename, 0o600)
      assert.deepStrictEqual(yield* withSql({ filename }, count), [[2000]])
    })
  )

  it.effect("in a directory that others may enter is refused with what to do, and is not made", () =>
    Effect.gen(function* () {
      const { directory } = yield* place
      const filename = join(directory, "open", "test.db")
      Fs.mkdirSync(join(directory, "open"))
      Fs.chmodSync(join(directory, "open"), 0o755)
      assert.include((yield* refusal({ filename })).message, "change its mode to 700")
      assert.isFalse(Fs.existsSync(filename))
      yield* withSql({ filename, access: "any" }, fill)
    })
  )

  it.effect("that is a symbolic link, or lies in one, is refused", () =>
    Effect.gen(function* () {
      const { directory, filename } = yield* place
      yield* withSql({ filename }, fill)
      Fs.symlinkSync(filename, join(directory, "link.db"))
      Fs.symlinkSync(directory, join(directory, "inner"))
      assert.include((yield* refusal({ filename: join(directory, "link.db") })).message, "symbolic link")
      assert.include((yield* refusal({ filename: join(directory, "inner", "test.db") })).message, "symbolic link")
      assert.deepStrictEqual(yield* withSql({ filename }, count), [[2000]])
    })
  )

  it.effect("that has two names is refused under both", () =>
    Effect.gen(function* () {
      const { directory, filename } = yield* place
      yield* withSql({ filename }, fill)
      const other = join(directory, "other.db")
      Fs.linkSync(filename, other)
      for (const name of [filename, other])
        assert.include((yield* refusal({ filename: name })).message, "several names")
      Fs.unlinkSync(other)
      assert.deepStrictEqual(yield* withSql({ filename }, count), [[2000]])
    })
  )

  it("that belongs to somebody else is refused", () => {
    const isSymbolicLink = () => false
    assert.include(faultOf({ isSymbolicLink, uid: 1, mode: 0o100600 }, 2, "600") ?? "", "belongs to another user")
    assert.isUndefined(faultOf({ isSymbolicLink, uid: 2, mode: 0o100600 }, 2, "600"))
  })

  it.effect("that a process left open when it died is opened with all that was committed", () =>
    Effect.gen(function* () {
      const filename = yield* leftOpen
      assert.deepStrictEqual(yield* withSql({ filename }, count), [[2001]])
    })
  )

  it.effect("that a process left open has in itself what was only in its log, before anything reads it", () =>
    Effect.gen(function* () {
      const filename = yield* leftOpen
      const alone = `${filename}.alone`
      const copy = Effect.sync(() => Fs.copyFileSync(filename, alone))
      yield* withSql({ filename }, () => copy)
      assert.deepStrictEqual(yield* withSql({ filename: alone }, count), [[2001]])
    })
  )

  it.effect("that a process left open and that is damaged is refused before anything reads it", () =>
    Effect.gen(function* () {
      const filename = yield* leftOpen
      damage(filename)
      const before = Fs.readFileSync(filename)
      const error = yield* refusal({ filename })
      assert.strictEqual(error.reason._tag, "UnknownError")
      assert.isFalse(error.isRetryable)
      assert.deepStrictEqual(Fs.readFileSync(filename), before)
    })
  )

  it.effect("that is gone or empty although its log is there is refused, and the log is kept", () =>
    Effect.gen(function* () {
      const filename = yield* leftOpen
      const log = Fs.readFileSync(`${filename}-wal`)
      const whole = Fs.readFileSync(filename)
      Fs.unlinkSync(filename)
      assert.include((yield* refusal({ filename })).message, "is gone, but")
      assert.isFalse(Fs.existsSync(filename))
      Fs.writeFileSync(filename, "", { mode: 0o600 })
      assert.include((yield* refusal({ filename })).message, "is empty, but")
      assert.deepStrictEqual(Fs.readFileSync(`${filename}-wal`), log)
      Fs.writeFileSync(filename, whole)
      assert.deepStrictEqual(yield* withSql({ filename }, count), [[2001]])
    })
  )
})

describe("a transaction of a NodeSqlClient", () => {
  it.effect("that a failure has ended takes no more statements, and the next one does", () =>
    withSql({ filename: ":memory:" }, (sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (x UNIQUE)`
        const transaction = Effect.gen(function* () {
          yield* sql`INSERT INTO t VALUES (1)`
          assert.isTrue(Result.isFailure(yield* Effect.result(sql`INSERT OR ROLLBACK INTO t VALUES (1)`)))
          yield* sql`INSERT INTO t VALUES (2)`
        })
        const error = yield* Effect.flip(sql.withTransaction(transaction))
        assert.strictEqual(error.reason._tag, "ConnectionError")
        assert.deepStrictEqual(yield* sql`SELECT x FROM t`.values, [])
        yield* sql.withTransaction(sql`INSERT INTO t VALUES (3)`)
        assert.deepStrictEqual(yield* sql`SELECT x FROM t`.values, [[3]])
      })
    )
  )
})
