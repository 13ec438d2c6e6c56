/** A `SqlClient` whose commits a test counts, holds and fails. */
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Context, Effect, Layer, Ref } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

/** What happens at each commit: nothing, a wait, or a failure after which the transaction is rolled back. */
export class Probe extends Context.Service<
  Probe,
  { readonly commits: Ref.Ref<number>; readonly before: Ref.Ref<Effect.Effect<void, SqlError.SqlError>> }
>()("test/Probe") {}

const layerProbe = Layer.effect(
  Probe,
  Effect.all({ commits: Ref.make(0), before: Ref.make<Effect.Effect<void, SqlError.SqlError>>(Effect.void) })
)

const commit = (probe: Probe["Service"]) => (connection: SqlConnection.Connection) =>
  Effect.gen(function* () {
    yield* Ref.update(probe.commits, (count) => count + 1)
    yield* Effect.flatten(Ref.get(probe.before))
    yield* connection.executeUnprepared("COMMIT", [], undefined)
  })

/** Gives its rows other column names than the tables have, as a client of a host may. */
const layerClient = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const client = yield* SqlClient.SqlClient
    return yield* SqlClient.make({
      acquirer: client.reserve,
      compiler: Statement.makeCompilerSqlite((name) => name.toLowerCase()),
      transformRows: (rows) => rows.map((row) => renamed(row)),
      driver: "probed",
      commit: commit(yield* Probe),
      onCommitFailure: (connection) => connection.executeUnprepared("ROLLBACK", [], undefined),
      spanAttributes: []
    })
  })
)

const renamed = <A extends object>(row: A): A =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])) as A

/** On a database in memory. */
export const layer = layerClient.pipe(
  Layer.provide([NodeSqlClient.layer({ filename: ":memory:" }), Reactivity.layer]),
  Layer.provideMerge(layerProbe)
)

/** As a server reports that somebody else was faster. */
export const conflict = new SqlError.SqlError({
  reason: new SqlError.UniqueViolation({ message: "conflict", operation: "commit", cause: "test", constraint: "test" })
})

/** As a disk reports that it is full. */
export const full = new SqlError.SqlError({
  reason: new SqlError.UnknownError({ message: "full", operation: "commit", cause: "test" })
})
