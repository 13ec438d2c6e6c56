import { assert, describe, it } from "@effect/vitest"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Approvals, Permissions, PolicyStore } from "@haft/policy"
import * as Sql from "@haft/policy/sql"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Asking from "./support/asking.ts"
import { asked, reply, saved } from "./support/asking.ts"
import { conformance, databaseFile, layerFile } from "./support/policyStore.ts"

conformance("layerSql on a SQLite file", Effect.map(databaseFile, layerFile))

/** Uses the database itself. */
const withSql = <A, E>(filename: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), NodeSqlClient.layer({ filename }))

const layerPolicy = (filename: string) =>
  Permissions.layer({ location: Asking.location }).pipe(Layer.provideMerge(Layer.fresh(layerFile(filename))))

const openingError = (filename: string) => Effect.flip(Effect.scoped(Layer.build(layerFile(filename))))

describe("a database of permissions", () => {
  it.effect("keeps what somebody answered with always, for the next process and for this project alone", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const first = Effect.gen(function* () {
        const { fiber, pending } = yield* asked(yield* Asking.listen)
        yield* reply(pending, Approvals.always)
        assert.strictEqual(yield* Fiber.join(fiber), "granted")
      })
      yield* Effect.provide(first, layerPolicy(filename))
      const second = Effect.gen(function* () {
        assert.deepStrictEqual(yield* saved, [{ action: "edit", resource: "src/*" }])
        assert.strictEqual(yield* Asking.outcome({ resources: ["src/b.ts"] }), "granted")
      })
      yield* Effect.provide(second, layerPolicy(filename))
      const elsewhere = Permissions.layer({ location: Asking.elsewhere }).pipe(Layer.provide(layerFile(filename)))
      assert.deepInclude(yield* Effect.provide(Asking.outcome(), elsewhere), { by: "policy" })
    })
  )

  it.effect("lets exactly one of two answers count in 200 races", () =>
    Effect.gen(function* () {
      const race = Effect.gen(function* () {
        const heard = yield* Asking.listen
        for (let round = 0; round < 200; round++) {
          const { fiber, pending } = yield* asked(heard, {}, Asking.context(`call-${round}`))
          const answers = round % 2 === 0 ? [Approvals.once, Approvals.reject()] : [Approvals.reject(), Approvals.once]
          const results = yield* Effect.forEach(answers, (answer) => Effect.result(reply(pending, answer)), {
            concurrency: "unbounded"
          })
          const won = answers.filter((_, index) => results[index]?._tag === "Success").map(({ _tag }) => _tag)
          const lost = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
          assert.deepStrictEqual(lost, [new Approvals.EndedError({ id: pending.id, as: "answered" })])
          assert.deepStrictEqual(won, [(yield* Fiber.join(fiber)) === "granted" ? "Once" : "Reject"])
        }
      })
      yield* Effect.provide(race, layerPolicy(yield* databaseFile))
    })
  )

  it.effect("of a later release is refused and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* Effect.scoped(Layer.build(layerFile(filename)))
      const later = { migration_id: 99, name: "later" }
      yield* withSql(filename, (sql) => sql`INSERT INTO haft_policy_migrations ${sql.insert(later)}`)
      assert.deepStrictEqual(yield* openingError(filename), new Sql.VersionError({ found: 99, supported: 1 }))
      const rows = yield* withSql(filename, (sql) => sql`SELECT count(*) AS tables FROM haft_policy_rules`)
      assert.deepStrictEqual(rows, [{ tables: 0 }])
    })
  )

  it.effect("with tables of somebody else's in place of ours is a StorageError", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* withSql(filename, (sql) => sql`CREATE TABLE haft_policy_rules (something TEXT)`)
      const error = yield* openingError(filename)
      assert.instanceOf(error, PolicyStore.StorageError)
      assert.strictEqual(error.operation, "open")
    })
  )

  it.effect("with an approval that cannot be read goes on without it", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* Effect.scoped(Layer.build(layerFile(filename)))
      const row = { id: "apr_1", location: Asking.location, asked_at: 0, asked: '{"half', decision: null }
      yield* withSql(filename, (sql) => sql`INSERT INTO haft_policy_approvals ${sql.insert(row)}`)
      const check = Effect.gen(function* () {
        const { fiber, pending } = yield* asked(yield* Asking.listen)
        yield* reply(pending, Approvals.once)
        assert.strictEqual(yield* Fiber.join(fiber), "granted")
      })
      yield* Effect.provide(check, layerPolicy(filename))
      const left = yield* withSql(filename, (sql) => sql`SELECT asked FROM haft_policy_approvals`)
      assert.deepStrictEqual(left, [{ asked: '{"half' }])
    })
  )

  it.effect("is made once by processes that open it at the same time", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const open = Effect.scoped(Layer.build(Layer.fresh(layerFile(filename))))
      yield* Effect.all([open, open, open, open], { concurrency: "unbounded" })
      const rows = yield* withSql(filename, (sql) => sql`SELECT migration_id FROM haft_policy_migrations`)
      assert.deepStrictEqual(rows, [{ migration_id: 1 }])
    })
  )
})
