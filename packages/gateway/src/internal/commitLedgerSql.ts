/** The ledger on a database that has its table. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as CommitLedger from "../CommitLedger.ts"

interface Found {
  readonly content: string
  readonly state: string
}

const RowJson = Schema.fromJsonString(CommitLedger.Row)
const encode = Schema.encodeEffect(RowJson)
const decode = Schema.decodeEffect(RowJson)
const decodeState = Schema.decodeUnknownEffect(CommitLedger.State)

export const make = (sql: SqlClient.SqlClient): CommitLedger.Interface => ({
  prepare: (row) => prepare(sql, row).pipe(failsAs("prepare")),
  find: (commitToken) =>
    sql<Found>`SELECT content, state FROM haft_gateway_commits WHERE commit_token = ${commitToken}`.pipe(
      Effect.flatMap(([found]) => (found === undefined ? Effect.succeedNone : Effect.asSome(rowOf(found)))),
      failsAs("find")
    ),
  move: (commitToken, from, to) =>
    sql`UPDATE haft_gateway_commits SET state = ${to} WHERE commit_token = ${commitToken} AND state = ${from}
      RETURNING commit_token`.pipe(
      Effect.map(({ length }) => length > 0),
      failsAs("move")
    ),
  prepared: sql<Found>`SELECT content, state FROM haft_gateway_commits WHERE state = 'Prepared'
    ORDER BY prepare_id`.pipe(Effect.flatMap(Effect.forEach(rowOf)), failsAs("prepared"))
})

/** Who uses the ledger knows which of its operations failed, and nothing about databases. */
const failsAs =
  (operation: CommitLedger.StorageError["operation"]) =>
  <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, CommitLedger.StorageError> =>
    Effect.mapError(effect, (cause) => new CommitLedger.StorageError({ operation, cause }))

/** The state has a column of its own, so that moving changes nothing else. */
const rowOf = Effect.fnUntraced(function* ({ content, state }: Found) {
  return { ...(yield* decode(content)), state: yield* decodeState(state) }
})

const prepare = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, row: CommitLedger.Row) {
  const { commitToken, prepareId, state } = row
  const fields = { commit_token: commitToken, prepare_id: prepareId, state, content: yield* encode(row) }
  yield* sql`INSERT INTO haft_gateway_commits ${sql.insert(fields)} ON CONFLICT (prepare_id) DO NOTHING`
  const [found] = yield* sql<Found>`SELECT content, state FROM haft_gateway_commits WHERE prepare_id = ${prepareId}`
  return yield* Option.match(Option.fromUndefinedOr(found), { onNone: () => Effect.succeed(row), onSome: rowOf })
})
