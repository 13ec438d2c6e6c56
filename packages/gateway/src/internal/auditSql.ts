/** The account of calls on a database that has its table. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Audit from "../Audit.ts"

interface Row {
  readonly requested: string
  readonly closing: string | null
}

const RequestedJson = Schema.fromJsonString(Audit.Requested)
const ClosingJson = Schema.fromJsonString(Audit.Closing)
const encodeRequested = Schema.encodeEffect(RequestedJson)
const decodeRequested = Schema.decodeEffect(RequestedJson)
const encodeClosing = Schema.encodeEffect(ClosingJson)
const decodeClosing = Schema.decodeEffect(ClosingJson)

export const make = (sql: SqlClient.SqlClient): Audit.Interface => ({
  request: (requested) => request(sql, requested).pipe(failsAs("request")),
  close: (closing) => close(sql, closing).pipe(failsAs("close")),
  find: (callId) =>
    sql<Row>`SELECT requested, closing FROM haft_gateway_audit WHERE call_id = ${callId} ORDER BY at_ms, record_id`.pipe(
      Effect.flatMap(Effect.forEach(entryOf)),
      failsAs("find")
    ),
  unclosed: (now) =>
    sql<Row>`SELECT requested, closing FROM haft_gateway_audit WHERE kind IS NULL AND lease_until <= ${now}
      ORDER BY at_ms, record_id`.pipe(
      Effect.flatMap(Effect.forEach(({ requested }) => decodeRequested(requested))),
      failsAs("unclosed")
    ),
  counts: sql<{ readonly kind: string | null; readonly n: number }>`SELECT kind, count(*) AS n FROM haft_gateway_audit
    GROUP BY kind`.pipe(Effect.map(countsOf), failsAs("counts"))
})

/** Who uses the account knows which of its operations failed, and nothing about databases. */
const failsAs =
  (operation: Audit.StorageError["operation"]) =>
  <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, Audit.StorageError> =>
    Effect.mapError(effect, (cause) => new Audit.StorageError({ operation, cause }))

const request = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, requested: Audit.Requested) {
  const { at, callId, leaseUntil, recordId } = requested
  const row = { record_id: recordId, call_id: callId, at_ms: at, lease_until: leaseUntil }
  yield* sql`INSERT INTO haft_gateway_audit ${sql.insert({ ...row, requested: yield* encodeRequested(requested) })}`
})

/** The condition lets the first through. */
const close = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, closing: Audit.Closing) {
  const kind = Audit.isSkipped(closing) ? "skipped" : "settled"
  yield* sql`UPDATE haft_gateway_audit SET kind = ${kind}, closing = ${yield* encodeClosing(closing)}
    WHERE record_id = ${closing.record_id} AND kind IS NULL`
})

const entryOf = Effect.fnUntraced(function* ({ closing, requested }: Row) {
  const entry = { requested: yield* decodeRequested(requested) }
  return closing === null ? entry : { ...entry, closing: yield* decodeClosing(closing) }
})

const countsOf = (rows: ReadonlyArray<{ readonly kind: string | null; readonly n: number }>): Audit.Counts => {
  const of = (kind: string | null) => Number(rows.find((row) => row.kind === kind)?.n ?? 0)
  const [settled, skipped] = [of("settled"), of("skipped")]
  return { requested: settled + skipped + of(null), settled, skipped }
}
