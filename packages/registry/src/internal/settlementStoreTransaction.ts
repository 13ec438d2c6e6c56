/** One batch of operations as one transaction: look, decide, write. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type { Leftovers } from "./settlementStoreLeftovers.ts"
import type { Attribute, Attributed } from "./settlementStoreOwners.ts"
import * as Plan from "./settlementStorePlan.ts"
import * as Rows from "./settlementStoreRows.ts"

/** The attempts that one store has begun and nobody has ended, by the key of their call. */
export type Running = Map<string, number>

/** Where a store writes, as whom, how it judges other writers, what it has begun, and what it still has to write. */
export interface Access {
  readonly sql: SqlClient.SqlClient
  readonly owner: string
  readonly attribute: Attribute
  readonly leftovers: Leftovers
  readonly running: Running
}

/** Each loser of a conflict sees the winner's rows the next time, so only a long run of new winners comes this far. */
const conflictRetries = 5

const conflicts: ReadonlySet<string> = new Set([
  "UniqueViolation",
  "ConstraintError",
  "SerializationError",
  "DeadlockError"
])

/** A server does not lock what is only read, so two may decide to write the same row; one of them decides again. */
export const isConflict = ({ reason }: SqlError.SqlError): boolean => conflicts.has(reason._tag)

/**
 * All of the operations or none; one verdict for each. Nobody can tell how far a commit came that failed, so what it was
 * to begin is removed by the next one, before it looks.
 */
export const run = Effect.fnUntraced(function* (
  access: Access,
  operations: ReadonlyArray<Plan.Operation>
): Effect.fn.Return<Exit.Exit<ReadonlyArray<Plan.Verdict>, SqlError.SqlError>> {
  const { leftovers, running, sql } = access
  const unstarted = leftovers.beginnings()
  let begun: Plan.Writes["begun"] = []
  const attempt = Effect.gen(function* () {
    yield* Effect.forEach(unstarted, (one) => Rows.forget(sql, access.owner, one), { discard: true })
    const { verdicts, writes } = Plan.plan(yield* look(access, operations), operations)
    begun = writes.begun
    yield* Rows.write(sql, access.owner, writes)
    return verdicts
  })
  const exit = yield* sql
    .withTransaction(attempt)
    .pipe(Effect.retry({ times: conflictRetries, while: isConflict }), Effect.exit)
  if (Exit.isFailure(exit)) leftovers.couldNotBegin(begun.filter(({ ended }) => ended === undefined))
  else {
    leftovers.wereRemoved(unstarted)
    follow(running, operations, exit.value, begun)
  }
  return exit
})

/** In their order: a call may end and begin again in one batch. */
const follow = (
  running: Running,
  operations: ReadonlyArray<Plan.Operation>,
  verdicts: ReadonlyArray<Plan.Verdict>,
  begun: Plan.Writes["begun"]
): void => {
  const attempts = new Map(begun.map(({ attempt, key }) => [key, attempt]))
  for (const [index, operation] of operations.entries()) {
    const attempt = verdicts[index]?._tag === "Done" ? attempts.get(operation.key) : undefined
    if (Plan.isOwnEnd(operation)) running.delete(operation.key)
    else if (attempt !== undefined && Plan.isStart(operation)) running.set(operation.key, attempt)
  }
}

const look = Effect.fnUntraced(function* (access: Access, operations: ReadonlyArray<Plan.Operation>) {
  const approvals = yield* Rows.approvalsOf(access.sql, approvalsIn(operations))
  const known: Plan.Known = {
    attempts: attemptsIn(access, yield* access.attribute(Rows.attemptsOf(access.sql, keysIn(operations)))),
    redeemed: new Map(approvals.map((row) => [row.approval_id, { key: row.call_key, attempt: row.attempt }]))
  }
  return known
})

const keysIn = (operations: ReadonlyArray<Plan.Operation>): ReadonlyArray<string> => [
  ...new Set(operations.map(({ key }) => key))
]

const approvalsIn = (operations: ReadonlyArray<Plan.Operation>): ReadonlyArray<string> =>
  operations.flatMap((one) => (one._tag === "Advance" && one.approvalID !== undefined ? [one.approvalID] : []))

/** Rows come in order, so the latest attempt of each call remains. */
const attemptsIn = (access: Access, { dead, rows }: Attributed<Rows.AttemptRow>): ReadonlyMap<string, Plan.Attempt> =>
  new Map(rows.map((row) => [row.call_key, { attempt: row.attempt, state: stateOf(access, dead, row) }]))

/** How an attempt stands, for the store that asks. */
export const stateOf = (
  { leftovers, owner }: Access,
  dead: ReadonlySet<string>,
  row: Rows.AttemptRow
): Plan.Attempt["state"] => {
  if (row.ended_as !== null) return row.ended_as
  if (dead.has(row.owner)) return "Unfinished"
  if (row.owner !== owner) return "Elsewhere"
  return leftovers.isOver(row.call_key) ? "Left" : "Running"
}
