/** Recorded calls for people: which there were and how they ended, the latest first. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as Session from "@haft/core/Session"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type * as Statement from "effect/sql/Statement"
import { attribution, type Owners } from "./settlementStoreOwners.ts"
import type { CallRow } from "./settlementStoreRows.ts"
import * as Record from "./settlementStoreRecord.ts"
import { begunOf, decodeEnded } from "./settlementStoreReading.ts"

export interface LogQuery {
  /** How many at most. */
  readonly limit: number
  readonly sessionID?: Session.ID
  readonly toolCallID?: ToolCall.ID
  /** The call whose settlement refers to this kept output. */
  readonly managed?: ManagedOutput.Ref
}

/** Every attempt is an entry of its own. Reads only what is committed, so it can be used beside any number of writers. */
export const log = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  isAlive: Owners["isAlive"],
  query: LogQuery
): Effect.fn.Return<ReadonlyArray<SettlementStore.CallRecord>, SqlError.SqlError | Schema.SchemaError> {
  const attribute = attribution(nobody, isAlive)
  const { dead, rows } = yield* attribute(select(sql, query))
  return yield* Effect.forEach(rows, (row) => recordOf(row, dead))
})

/** Whoever only reads has begun nothing. */
const nobody = ""

const select = (sql: SqlClient.SqlClient, query: LogQuery) =>
  sql<CallRow>`SELECT * FROM haft_calls WHERE ${sql.and(conditions(sql, query))} ORDER BY begun_at DESC, call_key, attempt DESC LIMIT ${query.limit}`

/** A key is three ids with a space between them, and no id has a space. A reference stands in an end as it is. */
const conditions = (sql: SqlClient.SqlClient, query: LogQuery): ReadonlyArray<Statement.Fragment> => {
  const { managed, sessionID, toolCallID } = query
  return [
    sql`1 = 1`,
    ...(sessionID === undefined ? [] : [sql`substr(call_key, 1, ${lengthOf(sessionID) + 1}) = ${`${sessionID} `}`]),
    ...(toolCallID === undefined
      ? []
      : [sql`substr(call_key, length(call_key) - ${lengthOf(toolCallID)}) = ${` ${toolCallID}`}`]),
    ...(managed === undefined ? [] : [sql`ended LIKE ${`%"${managed}"%`}`])
  ]
}

/** Databases count characters, and a string counts halves of some. */
const lengthOf = (text: string): number => Array.from(text).length

const recordOf = Effect.fnUntraced(function* (row: CallRow, dead: ReadonlySet<string>) {
  const begun = yield* begunOf(row)
  if (row.ended !== null) return Record.ended(begun, yield* decodeEnded(row.ended))
  return dead.has(row.owner) ? Record.unfinished(begun) : Record.running(begun)
})
