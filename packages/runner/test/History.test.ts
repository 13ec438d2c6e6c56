import { assert, describe, it } from "@effect/vitest"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { History, Message } from "@haft/runner"
import * as Conformance from "@haft/runner/conformance"
import * as Sql from "@haft/runner/sql"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { temporary } from "./support/database.ts"
import { sessionID } from "./support/running.ts"

const database = Sql.layerSql.pipe(Layer.provideMerge(NodeSqlClient.layer({ filename: ":memory:" })))

describe.each([
  ["in memory", History.layerMemory],
  ["on SQLite", database]
])("a history %s", (_, layer) => {
  for (const { effect, name } of Conformance.history) {
    it.live(name, () => Effect.provide(effect, Layer.fresh(layer)))
  }
})

/** The history in memory with one mistake. */
const broken = (mistake: (history: History.Interface) => Partial<History.Interface>) =>
  Layer.effect(
    History.Service,
    Effect.map(History.Service, (history) => ({ ...history, ...mistake(history) }))
  ).pipe(Layer.provide(History.layerMemory))

const mistakes: Readonly<Record<string, ReturnType<typeof broken>>> = {
  "takes any position": broken((history) => ({
    append: (session, _, message) =>
      Effect.flatMap(history.read(session), ({ length }) => history.append(session, length, message))
  })),
  "forgets what it is told": broken(() => ({ append: () => Effect.void })),
  "mixes sessions up": broken((history) => ({ read: () => history.read(sessionID) })),
  "keeps only text": broken((history) => ({
    append: (session, position, message) =>
      history.append(session, position, message._tag === "User" ? Message.user("text") : message)
  }))
}

describe("the suite of the history", () => {
  for (const [mistake, layer] of Object.entries(mistakes)) {
    it.live(`catches one that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.history, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
      })
    )
  }
})

describe("a history on SQLite", () => {
  const hello = Message.user("hello")

  it.live("is there again when the file is opened again", () =>
    Effect.gen(function* () {
      const filename = yield* temporary
      const opened = Layer.fresh(Sql.layerSql.pipe(Layer.provide(NodeSqlClient.layer({ filename }))))
      yield* Effect.provide(
        Effect.flatMap(History.Service, ({ append }) => append(sessionID, 0, hello)),
        opened
      )
      const messages = yield* Effect.provide(
        Effect.flatMap(History.Service, ({ read }) => read(sessionID)),
        opened
      )
      assert.deepStrictEqual(messages, [hello])
    })
  )

  it.live("refuses a database of a later release, and says which it knows", () =>
    Effect.gen(function* () {
      const filename = yield* temporary
      const client = NodeSqlClient.layer({ filename })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO haft_history_migrations (migration_id, name) VALUES (2, 'later')`
      }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(Sql.layerSql, client))))
      const opening = Layer.build(Layer.fresh(Layer.provide(Sql.layerSql, client)))
      assert.deepStrictEqual(yield* Effect.flip(opening), new Sql.VersionError({ found: 2, supported: 1 }))
    })
  )

  it.live("fails as a whole where a message cannot be read, and loses nothing", () =>
    Effect.gen(function* () {
      const history = yield* History.Service
      const sql = yield* SqlClient.SqlClient
      yield* history.append(sessionID, 0, hello)
      yield* sql`INSERT INTO haft_history VALUES (${sessionID}, 1, '{"_tag":"Nonsense"}')`
      const error = yield* Effect.flip(history.read(sessionID))
      assert.deepStrictEqual([error._tag, error.operation], ["History.StorageError", "read"])
      const [row] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count FROM haft_history`
      assert.strictEqual(row?.count, 2)
    }).pipe(Effect.provide(Layer.fresh(database)))
  )

  it.live("says that it could not write when its table is gone", () =>
    Effect.gen(function* () {
      const history = yield* History.Service
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP TABLE haft_history`
      const error = yield* Effect.flip(history.append(sessionID, 0, hello))
      assert(error._tag === "History.StorageError")
      assert.strictEqual(error.operation, "append")
    }).pipe(Effect.provide(Layer.fresh(database)))
  )
})
