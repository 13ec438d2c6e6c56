/** The statements of the settlement store, in SQL that SQLite and Postgres both speak. */
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type * as Statement from "effect/sql/Statement"
import type * as Plan from "./settlementStorePlan.ts"

/** Whose an attempt is, and whether it is over. */
export interface AttemptRow {
  readonly call_key: string
  readonly attempt: number
  readonly owner: string
  readonly ended_as: SettlementStore.Ended["_tag"] | null
}

/** An attempt with its records. */
export interface CallRow extends AttemptRow {
  readonly effect_possible: number
  readonly begun: string
  readonly ended: string | null
}

export interface ApprovalRow {
  readonly approval_id: string
  readonly call_key: string
  readonly attempt: number
}

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** All attempts of these calls, later ones after earlier ones. */
export const attemptsOf = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string>): Rows<AttemptRow> =>
  keys.length === 0
    ? Effect.succeed([])
    : sql<AttemptRow>`SELECT call_key, attempt, owner, ended_as FROM haft_calls WHERE ${sql.in("call_key", keys)} ORDER BY attempt`

/** Which of these approvals are redeemed. */
export const approvalsOf = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Rows<ApprovalRow> =>
  ids.length === 0
    ? Effect.succeed([])
    : sql<ApprovalRow>`SELECT approval_id, call_key, attempt FROM haft_approvals WHERE ${sql.in("approval_id", ids)}`

/** The latest attempts of these calls, each before the one before it, which is there in case the latest does not count. */
export const latestOf = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string>): Rows<CallRow> =>
  sql<CallRow>`SELECT * FROM haft_calls AS given WHERE ${sql.in("call_key", keys)} AND attempt >= (
    SELECT max(attempt) - 1 FROM haft_calls AS latest WHERE latest.call_key = given.call_key
  ) ORDER BY attempt DESC`

/** How one attempt ended, if it has. */
export const endOf = (
  sql: SqlClient.SqlClient,
  key: string,
  attempt: number
): Rows<{ readonly ended: string | null }> =>
  sql`SELECT ended FROM haft_calls WHERE call_key = ${key} AND attempt = ${attempt}`

/** Who has attempts that nobody has ended. */
export const ownersOfOpen = (sql: SqlClient.SqlClient): Rows<Pick<AttemptRow, "owner" | "ended_as">> =>
  sql`SELECT DISTINCT owner, ended_as FROM haft_calls WHERE ended_as IS NULL`

/** The latest attempts that nobody has ended, oldest first. */
export const open = (sql: SqlClient.SqlClient): Rows<CallRow> =>
  sql<CallRow>`SELECT * FROM haft_calls AS earlier WHERE ended_as IS NULL AND NOT EXISTS (
    SELECT 1 FROM haft_calls AS later WHERE later.call_key = earlier.call_key AND later.attempt > earlier.attempt
  ) ORDER BY begun_at, call_key`

/** As if it had never begun. Only if it is this owner's, and has no end. */
export const forget = (
  sql: SqlClient.SqlClient,
  owner: string,
  { attempt, key }: Plan.AttemptOf
): Effect.Effect<unknown, SqlError.SqlError> =>
  sql`DELETE FROM haft_calls WHERE call_key = ${key} AND attempt = ${attempt} AND owner = ${owner} AND ended_as IS NULL`

/** In a transaction of the caller. */
export const write = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: string, writes: Plan.Writes) {
  const { advanced, begun, ended, redeemed } = writes
  if (Arr.isReadonlyArrayNonEmpty(begun)) {
    yield* sql`INSERT INTO haft_calls ${sql.insert(Arr.map(begun, (one) => callRow(owner, one)))}`
  }
  if (Arr.isReadonlyArrayNonEmpty(redeemed)) {
    yield* sql`INSERT INTO haft_approvals ${sql.insert(Arr.map(redeemed, approvalRow))}`
  }
  if (advanced.length > 0) {
    yield* sql`UPDATE haft_calls SET effect_possible = 1 ${matching(
      sql,
      advanced.map(({ attempt, key }) => [key, attempt])
    )}`
  }
  if (ended.length > 0) {
    const values = ended.map(({ attempt, ended, key }) => [key, attempt, ended.tag, ended.json])
    yield* sql`UPDATE haft_calls SET ended_as = given.column3, ended = given.column4 ${matching(sql, values)}`
  }
})

const callRow = (owner: string, { attempt, begun, ended, json, key }: Plan.Writes["begun"][number]) => ({
  call_key: key,
  attempt,
  owner,
  begun_at: begun.begunAt,
  effect_possible: begun.effectPossible ? 1 : 0,
  begun: json,
  ended_as: ended?.tag ?? null,
  ended: ended?.json ?? null
})

const approvalRow = ({ approvalID, attempt, key }: Plan.Writes["redeemed"][number]) => ({
  approval_id: approvalID,
  call_key: key,
  attempt
})

/**
 * Updates many attempts in one statement, each by its own values; the first two are its key. Both databases call the
 * columns of a list of values `column1` and so on. Postgres takes every parameter in one for text, hence the cast. An
 * attempt that somebody else has ended since is left as it is.
 */
const matching = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): Statement.Fragment => {
  const values = rows.map((row) => sql`(${sql.csv(row.map((value) => sql`${value}`))})`)
  return sql`FROM (VALUES ${sql.csv(values)}) AS given
    WHERE haft_calls.call_key = given.column1 AND haft_calls.attempt = CAST(given.column2 AS INTEGER)
    AND haft_calls.ended_as IS NULL`
}
