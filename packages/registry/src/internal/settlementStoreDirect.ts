/**
 * The usual course of a call: one that nobody knows begins, and one that was begun here goes on or ends. That takes one
 * statement for any number of calls, which looks and writes at once and is a transaction of its own. What turns out to
 * be unusual it leaves alone, for a plan.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SqlError from "effect/sql/SqlError"
import { isOwnEnd, type Operation, type Verdict } from "./settlementStorePlan.ts"
import * as Rows from "./settlementStoreRows.ts"
import { type Access, isConflict } from "./settlementStoreTransaction.ts"

type Begin = Extract<Operation, { _tag: "Begin" }>
type Change = Exclude<Operation, Begin>

/** The operations of a batch that may go as usual. Where there are several on one call, their order matters. */
export interface Lanes {
  readonly begins: ReadonlyArray<Begin>
  readonly changes: ReadonlyArray<Change>
}

export const lanesOf = (access: Access, operations: ReadonlyArray<Operation>): Lanes => {
  const [begins, changes]: [Array<Begin>, Array<Change>] = [[], []]
  if (!access.leftovers.isEmpty) return { begins, changes }
  const several = keysOfSeveral(operations)
  for (const operation of operations) {
    if (several.has(operation.key)) continue
    if (operation._tag !== "Begin") {
      if (mayChange(access, operation)) changes.push(operation)
    } else if (mayBegin(access, operation)) begins.push(operation)
  }
  return { begins, changes }
}

const keysOfSeveral = (operations: ReadonlyArray<Operation>): ReadonlySet<string> => {
  const [seen, several] = [new Set<string>(), new Set<string>()]
  for (const { key } of operations) (seen.has(key) ? several : seen).add(key)
  return several
}

/** A beginning that fails is removed later, so it must not be taken for one of ours that did not. */
const mayBegin = ({ leftovers, running }: Access, { key, repeat }: Begin): boolean =>
  !repeat && !running.has(key) && !leftovers.isOver(key)

const mayChange = ({ running }: Access, operation: Change): boolean =>
  running.has(operation.key) &&
  (operation._tag === "Advance" ? operation.approvalID === undefined : operation.attempt === undefined)

/** A verdict for each that went as usual. */
export type Run<Op extends Operation> = (
  access: Access,
  operations: ReadonlyArray<Op>
) => Effect.Effect<Exit.Exit<ReadonlyArray<Verdict | undefined>, SqlError.SqlError>>

const done: Verdict = { _tag: "Done" }

/** Which attempt it is when nobody knows of an earlier one. */
const first = 1

/** Nobody can tell how far a statement came that failed, so what it was to begin is removed by the next transaction. */
export const begin: Run<Begin> = Effect.fnUntraced(function* (access, operations) {
  const { leftovers, owner, running, sql } = access
  const exit = yield* written(Rows.beginNew(sql, owner, operations))
  const started = operations.filter(({ ended }) => ended === undefined)
  if (Exit.isFailure(exit)) {
    leftovers.couldNotBegin(started.map(({ key }) => ({ key, attempt: first })))
    return Exit.failCause(exit.cause)
  }
  for (const { key } of started) if (exit.value.has(key)) running.set(key, first)
  return verdicts(operations, exit.value)
})

export const change: Run<Change> = Effect.fnUntraced(function* ({ owner, running, sql }, operations) {
  const changes = operations.map((operation) => ({
    key: operation.key,
    owner,
    attempt: running.get(operation.key) ?? first,
    ended: operation._tag === "Complete" ? operation.ended : undefined
  }))
  const exit = yield* written(Rows.change(sql, changes))
  if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
  for (const one of operations) if (isOwnEnd(one) && exit.value.has(one.key)) running.delete(one.key)
  return verdicts(operations, exit.value)
})

/** The keys of what was written, which is nothing where somebody else was faster. */
const written = (rows: ReturnType<typeof Rows.beginNew>) =>
  Effect.map(rows, (rows): ReadonlySet<string> => new Set(rows.map((row) => row.call_key))).pipe(
    Effect.catchIf(isConflict, () => Effect.succeed<ReadonlySet<string>>(new Set())),
    Effect.exit
  )

const verdicts = (
  operations: ReadonlyArray<Operation>,
  written: ReadonlySet<string>
): Exit.Exit<ReadonlyArray<Verdict | undefined>> =>
  Exit.succeed(operations.map(({ key }) => (written.has(key) ? done : undefined)))
