/** A `SqlClient` whose queries a test counts, and whose commits it counts, holds and fails. */
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Context, Effect, Layer, Ref } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

type Meanwhile = Ref.Ref<Effect.Effect<void, SqlError.SqlError>>

export class Probe extends Context.Service<
  Probe,
  {
    readonly commits: Ref.Ref<number>
    /** Everything that was asked but for transaction control. */
    readonly queries: Ref.Ref<number>
    /** What happens before each commit: nothing, a wait, or a failure after which the transaction is rolled back. */
    readonly before: Meanwhile
    /** The same after it: what was written stays, but who wrote it is not told. */
    readonly after: Meanwhile
  }
>()("test/Probe") {}

const meanwhile = Ref.make<Effect.Effect<void, SqlError.SqlError>>(Effect.void)

const layerProbe = Layer.effect(
  Probe,
  Effect.all({ commits: Ref.make(0), queries: Ref.make(0), before: meanwhile, after: meanwhile })
)

/** Commits by itself, with what a test wants around it. */
const committing = <A>({ after, before, commits }: Probe["Service"], write: Effect.Effect<A, SqlError.SqlError>) =>
  Effect.gen(function* () {
    yield* Ref.update(commits, (count) => count + 1)
    yield* Effect.flatten(Ref.get(before))
    const written = yield* write
    yield* Effect.flatten(Ref.get(after))
    return written
  })

const commit = (probe: Probe["Service"]) => (connection: SqlConnection.Connection) =>
  Effect.asVoid(committing(probe, connection.executeUnprepared("COMMIT", [], undefined)))

/** A statement that writes outside of a transaction is one of its own. */
const isWrite = (sql: string): boolean => /^\s*(?:INSERT|UPDATE|DELETE)/.test(sql)

const counting =
  (probe: Probe["Service"]) =>
  (connection: SqlConnection.Connection): SqlConnection.Connection => {
    let inTransaction = false
    return {
      ...connection,
      execute: (sql, ...rest) => {
        const query = connection.execute(sql, ...rest)
        const alone = isWrite(sql) && !inTransaction ? committing(probe, query) : query
        return Effect.andThen(
          Ref.update(probe.queries, (count) => count + 1),
          alone
        )
      },
      executeUnprepared: (sql, ...rest) => {
        inTransaction = sql.startsWith("BEGIN")
        return connection.executeUnprepared(sql, ...rest)
      }
    }
  }

/** Gives its rows other column names than the tables have, as a client of a host may. */
const layerClient = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const client = yield* SqlClient.SqlClient
    const probe = yield* Probe
    return yield* SqlClient.make({
      acquirer: Effect.map(client.reserve, counting(probe)),
      compiler: Statement.makeCompilerSqlite((name) => name.toLowerCase()),
      transformRows: (rows) => rows.map((row) => renamed(row)),
      driver: "probed",
      commit: commit(probe),
      // Nothing is left to roll back when only the answer was lost.
      onCommitFailure: (connection) => Effect.ignore(connection.executeUnprepared("ROLLBACK", [], undefined)),
      spanAttributes: []
    })
  })
)

const renamed = <A extends object>(row: A): A =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])) as A

/** Of the database in this file. */
export const layerFile = (filename: string) =>
  layerClient.pipe(
    Layer.provide([NodeSqlClient.layer({ filename }), Reactivity.layer]),
    Layer.provideMerge(layerProbe),
    Layer.fresh
  )

/** On a database in memory. */
export const layer = layerFile(":memory:")

/** As a server reports that somebody else was faster. */
export const conflict = new SqlError.SqlError({
  reason: new SqlError.UniqueViolation({ message: "conflict", operation: "commit", cause: "test", constraint: "test" })
})

/** As a database reports that it can do nothing with what it was given. */
export const refused = new SqlError.SqlError({
  reason: new SqlError.UnknownError({ message: "refused", operation: "commit", cause: "test" })
})

/** As a client reports that the database is out of reach for the moment. */
export const disconnected = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ message: "disconnected", operation: "commit", cause: "test" })
})

/** From now on, or the next time only. */
export const failing = (at: "before" | "after", error: SqlError.SqlError) =>
  Effect.flatMap(Probe, (probe) => Ref.set(probe[at], Effect.fail(error)))
export const failingOnce = (at: "before" | "after", error: SqlError.SqlError) =>
  Effect.flatMap(Probe, (probe) =>
    Ref.set(probe[at], Effect.andThen(Ref.set(probe[at], Effect.void), Effect.fail(error)))
  )

/** All is well again. */
export const healed = Effect.flatMap(Probe, ({ after, before }) =>
  Effect.andThen(Ref.set(before, Effect.void), Ref.set(after, Effect.void))
)
