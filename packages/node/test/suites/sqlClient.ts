/** What a store can expect of any `SqlClient` on SQLite. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { KeyValueStore, PersistedQueue } from "effect/persistence"
import { Migrator, SqlClient, type SqlError } from "effect/sql"

const createNotes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, body TEXT)`
  yield* sql`CREATE TABLE tags (name TEXT PRIMARY KEY, note INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED)`
})

const migrate = Migrator.make({})({ loader: Migrator.fromRecord({ "0001_notes": createNotes }) })

const count = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM notes`
  return row?.n
})

/** Rows 1 to `n`; without a limit the query never ends by itself. */
const numbers = (sql: SqlClient.SqlClient, n = -1) =>
  sql<{
    readonly x: number
  }>`WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT ${n}) SELECT x FROM n`

/** The columns of the violation, if there is one. */
const constraint = (statement: Effect.Effect<unknown, SqlError.SqlError>) =>
  Effect.as(statement, "nothing").pipe(
    Effect.catchReason("SqlError", "UniqueViolation", (violation) => Effect.succeed(violation.constraint))
  )

const unbindable: ReadonlyArray<readonly [string, unknown]> = [
  ["undefined", undefined],
  ["a plain object", { a: 1 }],
  ["an array", [1]],
  ["a date", new Date(0)],
  ["a function", () => 1],
  ["a symbol", Symbol("a")],
  ["an integer of more than 64 bits", 2n ** 70n]
]

/** Registers the cases for a client whose layer opens an empty database each time it is built. */
export const sqlClient = (name: string, database: Layer.Layer<SqlClient.SqlClient, SqlError.SqlError>): void => {
  const Migrated = Layer.effectDiscard(migrate).pipe(Layer.provideMerge(database))

  describe(`SqlClient: ${name}`, () => {
    it.effect("inserts and returns rows, values and streams", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = [
          { slug: "a", body: "1" },
          { slug: "b", body: "2" }
        ] as const
        const inserted = yield* sql<{ readonly id: number }>`INSERT INTO notes ${sql.insert(rows)} RETURNING id`
        assert.deepStrictEqual(
          inserted.map(({ id }) => id),
          [1, 2]
        )
        assert.deepStrictEqual(yield* sql`SELECT body FROM notes WHERE slug IN ${sql.in(["a"])}`.values, [["1"]])
        const streamed = yield* Stream.runCollect(sql<{ readonly slug: string }>`SELECT slug FROM notes`.stream)
        assert.deepStrictEqual(
          streamed.map(({ slug }) => slug),
          ["a", "b"]
        )
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("bytes, null, numbers, booleans and 64 bit integers come back as they went in", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // A view into the middle of a larger buffer.
        const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3)
        const values = [bytes, null, 0.5, "text", true, 9007199254740993n] as const
        const [row] =
          yield* sql`SELECT ${values[0]}, ${values[1]}, ${values[2]}, ${values[3]}, ${values[4]}, ${values[5]}`.values.pipe(
            Effect.provideService(SqlClient.SafeIntegers, true)
          )
        assert.deepStrictEqual(row, [new Uint8Array([1, 2]), null, 0.5, "text", 1n, 9007199254740993n])
      }).pipe(Effect.provide(Migrated))
    )

    for (const [what, value] of unbindable) {
      it.effect(`${what} as a parameter is a SqlError in every position`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const params of [[value], ["first", value]]) {
            const error = yield* Effect.flip(sql.unsafe("SELECT ?, ?", params))
            assert.strictEqual(error._tag, "SqlError")
          }
          assert.deepStrictEqual(yield* sql.unsafe("SELECT ?, ?", ["a", "b"]).values, [["a", "b"]])
        }).pipe(Effect.provide(Migrated))
      )
    }

    it.effect("a duplicate is a UniqueViolation that names its columns, for an index as for a key", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO notes (id, slug) VALUES (1, 'a')`
        yield* sql`INSERT INTO tags (name) VALUES ('a')`
        assert.strictEqual(yield* constraint(sql`INSERT INTO notes (slug) VALUES ('a')`), "notes.slug")
        assert.strictEqual(yield* constraint(sql`INSERT INTO notes (id) VALUES (1)`), "notes.id")
        assert.strictEqual(yield* constraint(sql`INSERT INTO tags (name) VALUES ('a')`), "tags.name")
        assert.strictEqual(yield* constraint(sql`INSERT INTO tags (rowid) VALUES (1)`), "tags.rowid")
        assert.strictEqual(yield* constraint(sql`INSERT INTO notes (slug) VALUES ('b')`), "nothing")
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a failed transaction leaves nothing, a failed inner one only takes itself back", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const insert = (slug: string) => sql`INSERT INTO notes ${sql.insert({ slug })}`
        const failing = (slug: string) => sql.withTransaction(Effect.andThen(insert(slug), Effect.fail("no")))
        yield* Effect.flip(failing("a"))
        assert.strictEqual(yield* count, 0)
        yield* sql.withTransaction(Effect.andThen(insert("b"), Effect.flip(failing("c"))))
        assert.strictEqual(yield* count, 1)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("an interrupted transaction leaves nothing and makes way for the next", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const inside = yield* Deferred.make<void>()
        const insert = sql`INSERT INTO notes ${sql.insert({ slug: "a" })}`
        const fiber = yield* insert.pipe(
          Effect.andThen(Deferred.succeed(inside, undefined)),
          Effect.andThen(Effect.never),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(inside)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* count, 0)
        yield* sql.withTransaction(insert)
        assert.strictEqual(yield* count, 1)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("an interrupted query is over before the next begins", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const many = 200_000
        const insert = sql`INSERT INTO notes (id) ${numbers(sql, many)}`
        const fiber = yield* Effect.forkChild(insert, { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* count, many)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a query that waits for its turn can be interrupted while it waits", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [inside, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Deferred.succeed(inside, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(inside)
        const waiting = yield* Effect.forkChild(sql`INSERT INTO notes (id) VALUES (1)`, { startImmediately: true })
        yield* Fiber.interrupt(waiting)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(holder)
        assert.strictEqual(yield* count, 0)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a commit that fails leaves a client that works", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* Effect.exit(sql.withTransaction(sql`INSERT INTO tags (name, note) VALUES ('a', 7)`))
        assert.isTrue(Exit.isFailure(exit))
        yield* sql.withTransaction(sql`INSERT INTO notes (id) VALUES (7)`)
        assert.strictEqual(yield* count, 1)
        assert.deepStrictEqual(yield* sql`SELECT name FROM tags`.values, [])
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a stream reads no further than its reader asks", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const first = yield* numbers(sql).stream.pipe(Stream.take(1000), Stream.runCollect)
        assert.strictEqual(first.length, 1000)
        assert.strictEqual(first.at(-1)?.x, 1000)
        assert.strictEqual(yield* Stream.runCount(numbers(sql, 5000).stream), 5000)
        assert.strictEqual(yield* count, 0)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a transaction can write while it reads a stream", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const copied = numbers(sql, 300).stream.pipe(
          Stream.runForEach(({ x }) => Effect.andThen(sql`INSERT INTO notes (id) VALUES (${x})`, numbers(sql, 300)))
        )
        yield* sql.withTransaction(copied)
        assert.strictEqual(yield* count, 300)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a stream that fails in the middle fails with a SqlError", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const overflow = sql`SELECT abs(CASE x WHEN 500 THEN -9223372036854775807 - 1 ELSE x END) FROM (${numbers(sql, 1000)})`
        const error = yield* Effect.flip(Stream.runDrain(overflow.stream))
        assert.strictEqual(error._tag, "SqlError")
        assert.strictEqual(yield* count, 0)
      }).pipe(Effect.provide(Migrated))
    )

    it.effect("a key-value store and a queue keep what they are given", () =>
      Effect.gen(function* () {
        const store = yield* KeyValueStore.KeyValueStore
        yield* store.set("key", "value")
        assert.strictEqual(yield* store.get("key"), "value")
        const queue = yield* PersistedQueue.make({ name: "calls", schema: Schema.Struct({ n: Schema.Int }) })
        yield* queue.offer({ n: 1 }, { id: "same" })
        yield* queue.offer({ n: 2 }, { id: "same" })
        assert.deepStrictEqual(yield* queue.take(Effect.succeed), { n: 1 })
      }).pipe(
        Effect.provide(
          Layer.merge(
            KeyValueStore.layerSql(),
            PersistedQueue.layer.pipe(Layer.provide(PersistedQueue.layerStoreSql({ pollInterval: "20 millis" })))
          ).pipe(Layer.provide(Migrated))
        )
      )
    )
  })
}
