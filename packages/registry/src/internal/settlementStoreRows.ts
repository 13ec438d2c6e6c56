/** The statements of the settlement store, in SQL that SQLite and Postgres both speak. */
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import { onList, type Value } from "./settlementStoreLists.ts"
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

const selectAttempts = onList<AttemptRow>(
  1,
  (sql, keys) =>
    sql`SELECT call_key, attempt, owner, ended_as FROM haft_calls WHERE call_key IN (${keys}) ORDER BY attempt`
)

/** All attempts of these calls, later ones after earlier ones. */
export const attemptsOf = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string>): Rows<AttemptRow> =>
  keys.length === 0 ? Effect.succeed([]) : selectAttempts(sql, keys.map(alone))

/** Which of these approvals are redeemed. */
export const approvalsOf = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Rows<ApprovalRow> =>
  ids.length === 0
    ? Effect.succeed([])
    : sql<ApprovalRow>`SELECT approval_id, call_key, attempt FROM haft_approvals WHERE ${sql.in("approval_id", ids)}`

const selectLatest = onList<CallRow>(
  1,
  (sql, keys) => sql`SELECT * FROM haft_calls AS given WHERE call_key IN (${keys}) AND attempt >= (
    SELECT max(attempt) - 1 FROM haft_calls AS latest WHERE latest.call_key = given.call_key
  ) ORDER BY attempt DESC`
)

/** The latest attempts of these calls, each before the one before it, which is there in case the latest does not count. */
export const latestOf = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string>): Rows<CallRow> =>
  selectLatest(sql, keys.map(alone))

const alone = (value: string): ReadonlyArray<Value> => [value]

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

/** As if it had never begun. Only if it is this owner's, has no end, and no other has followed. */
export const forget = (
  sql: SqlClient.SqlClient,
  owner: string,
  { attempt, key }: Plan.AttemptOf
): Effect.Effect<unknown, SqlError.SqlError> =>
  sql`DELETE FROM haft_calls WHERE call_key = ${key} AND attempt = ${attempt} AND owner = ${owner} AND ended_as IS NULL
    AND NOT EXISTS (SELECT 1 FROM haft_calls AS later WHERE later.call_key = ${key} AND later.attempt > ${attempt})`

const insertNew = onList<Pick<AttemptRow, "call_key">>(
  7,
  (sql, calls) =>
    sql`INSERT INTO haft_calls (call_key, owner, attempt, begun_at, effect_possible, begun, ended_as, ended)
    SELECT column1, column2, 1, CAST(column3 AS DOUBLE PRECISION), CAST(column4 AS INTEGER), column5, column6, column7
    FROM (${calls}) AS given WHERE column1 IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM haft_calls AS known WHERE known.call_key = given.column1)
    ON CONFLICT DO NOTHING RETURNING call_key`
)

/** Begins those calls that nobody has begun before, and says which. */
export const beginNew = (
  sql: SqlClient.SqlClient,
  owner: string,
  begins: ReadonlyArray<Extract<Plan.Operation, { _tag: "Begin" }>>
): Rows<Pick<AttemptRow, "call_key">> =>
  insertNew(
    sql,
    begins.map(({ begun, ended, json, key }) => [
      key,
      owner,
      begun.begunAt,
      begun.effectPossible ? 1 : 0,
      json,
      ended?.tag ?? null,
      ended?.json ?? null
    ])
  )

/** Which attempt a row of a list is for. What has an end is left as it is. */
const isGiven = `haft_calls.call_key = given.column1 AND haft_calls.attempt = CAST(given.column2 AS INTEGER)
  AND haft_calls.ended_as IS NULL`

const update = onList<Pick<AttemptRow, "call_key">>(
  5,
  (sql, changes) =>
    sql`UPDATE haft_calls SET effect_possible = CASE WHEN given.column3 IS NULL THEN 1 ELSE effect_possible END,
    ended_as = given.column3, ended = given.column4
    FROM (${changes}) AS given WHERE ${sql.literal(isGiven)} AND haft_calls.owner = given.column5 AND NOT EXISTS (
      SELECT 1 FROM haft_calls AS later WHERE later.call_key = given.column1 AND later.attempt > haft_calls.attempt
    ) RETURNING call_key`
)

export interface Change extends Plan.AttemptOf {
  readonly owner: string
  /** Without one, an effect is possible from here on. */
  readonly ended: Plan.EncodedEnd | undefined
}

/** Changes those attempts of their owners that nobody has ended and no other has followed, and says which. */
export const change = (sql: SqlClient.SqlClient, changes: ReadonlyArray<Change>): Rows<Pick<AttemptRow, "call_key">> =>
  update(
    sql,
    changes.map(({ attempt, ended, key, owner }) => [key, attempt, ended?.tag ?? null, ended?.json ?? null, owner])
  )

const advance = onList(
  2,
  (sql, attempts) =>
    sql`UPDATE haft_calls SET effect_possible = 1 FROM (${attempts}) AS given WHERE ${sql.literal(isGiven)}`
)

const end = onList(
  4,
  (sql, ends) =>
    sql`UPDATE haft_calls SET ended_as = given.column3, ended = given.column4 FROM (${ends}) AS given WHERE ${sql.literal(isGiven)}`
)

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
    yield* advance(
      sql,
      advanced.map(({ attempt, key }) => [key, attempt])
    )
  }
  if (ended.length > 0) {
    yield* end(
      sql,
      ended.map(({ attempt, ended, key }) => [key, attempt, ended.tag, ended.json])
    )
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
