/** One batch of operations as one transaction: look, decide, write. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type { Attribute, Attributed } from "./settlementStoreOwners.ts"
import { type Attempt, type Known, type Operation, plan, type Verdict } from "./settlementStorePlan.ts"
import * as Rows from "./settlementStoreRows.ts"

/** Where a store writes, as whom, and how it judges other writers. */
export interface Access {
  readonly sql: SqlClient.SqlClient
  readonly owner: string
  readonly attribute: Attribute
}

/** Each loser of a conflict sees the winner's rows the next time, so only a long run of new winners comes this far. */
const conflictRetries = 5

/** A server does not lock what is only read, so two may decide to write the same row; one of them decides again. */
const conflicts: ReadonlySet<string> = new Set([
  "UniqueViolation",
  "ConstraintError",
  "SerializationError",
  "DeadlockError"
])

/** All of the operations or none; one verdict for each. */
export const run = (
  access: Access,
  operations: ReadonlyArray<Operation>
): Effect.Effect<ReadonlyArray<Verdict>, SqlError.SqlError> =>
  access.sql
    .withTransaction(attempt(access, operations))
    .pipe(Effect.retry({ times: conflictRetries, while: (error) => conflicts.has(error.reason._tag) }))

const attempt = Effect.fnUntraced(function* (access: Access, operations: ReadonlyArray<Operation>) {
  const { verdicts, writes } = plan(yield* look(access, operations), operations)
  yield* Rows.write(access.sql, access.owner, writes)
  return verdicts
})

const look = Effect.fnUntraced(function* ({ attribute, owner, sql }: Access, operations: ReadonlyArray<Operation>) {
  const approvals = yield* Rows.approvalsOf(sql, approvalsIn(operations))
  const known: Known = {
    attempts: attemptsIn(owner, yield* attribute(Rows.attemptsOf(sql, keysIn(operations)))),
    redeemed: new Map(approvals.map((row) => [row.approval_id, { key: row.call_key, attempt: row.attempt }]))
  }
  return known
})

const keysIn = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => [
  ...new Set(operations.map(({ key }) => key))
]

const approvalsIn = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  operations.flatMap((one) => (one._tag === "Advance" && one.approvalID !== undefined ? [one.approvalID] : []))

/** Rows come in order, so the latest attempt of each call remains. */
const attemptsIn = (self: string, { dead, rows }: Attributed<Rows.AttemptRow>): ReadonlyMap<string, Attempt> => {
  const stateOf = (owner: string) => {
    if (dead.has(owner)) return "Unfinished"
    return owner === self ? "Running" : "Elsewhere"
  }
  return new Map(rows.map((row) => [row.call_key, { attempt: row.attempt, state: row.ended_as ?? stateOf(row.owner) }]))
}
