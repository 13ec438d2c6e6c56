/**
 * Writes operations down, whatever the database does meanwhile. A record that it refuses fails alone. If it fails as a
 * whole, nothing begins, ends are tried again, and what then still is not written is left for the next occasion.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as SqlError from "effect/sql/SqlError"
import * as Direct from "./settlementStoreDirect.ts"
import type { Leftovers } from "./settlementStoreLeftovers.ts"
import type { Operation, Verdict } from "./settlementStorePlan.ts"
import { type Access, run } from "./settlementStoreTransaction.ts"

export interface Journal {
  /** One result for each operation, as if they came one after the other. */
  readonly record: (operations: ReadonlyArray<Operation>) => Effect.Effect<ReadonlyArray<Written>>
  /** Writes what is left over, if there is something and the database takes it. */
  readonly mend: Effect.Effect<void>
}

type Written = Exit.Exit<Verdict, SqlError.SqlError>

/** How often ends are written again at once. A client that lost its database opens it again in between. */
const endRetries = 2

/** Nobody may come by for long, and other processes take a call that is left for one that runs. */
const firstPauseMillis = 1_000
const longestPauseMillis = 60_000

/** Closing the Scope is the last occasion. */
export const make = Effect.fnUntraced(function* (access: Access): Effect.fn.Return<Journal, never, Scope.Scope> {
  const semaphore = yield* Semaphore.make(1)
  const { leftovers } = access
  // What is written here belongs to the traces of many calls, so it is in none of them.
  const alone = <A>(effect: Effect.Effect<A>) =>
    Effect.provideService(Effect.uninterruptible(semaphore.withPermit(effect)), References.TracerEnabled, false)
  const mend = alone(mendAll(access))
  yield* Effect.addFinalizer(() => mend)
  const later = yield* FiberHandle.make()
  const mendLater = FiberHandle.run(later, mendAfter(leftovers, mend, firstPauseMillis), { onlyIfMissing: true })
  const record = Effect.fnUntraced(function* (operations: ReadonlyArray<Operation>) {
    const written = yield* alone(recordAll(access, operations))
    if (!leftovers.isEmpty) yield* mendLater
    return written
  })
  return { record, mend }
})

const mendAfter = (leftovers: Leftovers, mend: Effect.Effect<void>, pauseMillis: number): Effect.Effect<void> =>
  Effect.flatMap(Effect.andThen(Effect.sleep(pauseMillis), mend), () =>
    leftovers.isEmpty ? Effect.void : mendAfter(leftovers, mend, Math.min(pauseMillis * 2, longestPauseMillis))
  )

const recordAll = Effect.fnUntraced(function* (access: Access, operations: ReadonlyArray<Operation>) {
  yield* mendEnds(access)
  const { begins, changes } = Direct.lanesOf(access, operations)
  const written = new Map<Operation, Written>([
    ...(yield* directly(access, begins, Direct.begin)),
    ...(yield* directly(access, changes, Direct.change))
  ])
  const rest = operations.filter((operation) => !written.has(operation))
  const planned = rest.length === 0 ? [] : yield* commit(access, rest, endRetries)
  for (const [index, operation] of rest.entries()) written.set(operation, planned[index] ?? unanswered)
  for (const [operation, exit] of written) note(access, operation, exit)
  return operations.map((operation) => written.get(operation) ?? unanswered)
})

const unanswered: Written = Exit.die(new Error("an operation has no result"))

/** What went as usual, or failed. The rest needs a plan. */
const directly = Effect.fnUntraced(function* <Op extends Operation>(
  access: Access,
  operations: ReadonlyArray<Op>,
  run: Direct.Run<Op>
): Effect.fn.Return<ReadonlyArray<[Operation, Written]>> {
  if (operations.length === 0) return []
  const exit = yield* run(access, operations)
  if (Exit.isFailure(exit)) {
    const results = yield* afterFailure(access, operations, exit.cause, endRetries)
    return operations.map((operation, index) => [operation, results[index] ?? unanswered])
  }
  return operations.flatMap((operation, index): ReadonlyArray<[Operation, Written]> => {
    const verdict = exit.value[index]
    return verdict === undefined ? [] : [[operation, Exit.succeed(verdict)]]
  })
})

/** What this means for what is known about the call. */
const note = ({ leftovers, running }: Access, operation: Operation, written: Written): void => {
  if (operation._tag === "Advance") return
  if (Exit.isSuccess(written)) {
    if (operation._tag === "Complete" || written.value._tag === "Done") leftovers.wasWritten(operation.key)
    return
  }
  if (operation._tag !== "Complete" || operation.attempt !== undefined) return
  running.delete(operation.key)
  leftovers.couldNotEnd(operation.key, operation.ended)
}

const mendAll = Effect.fnUntraced(function* (access: Access) {
  const isWorking = yield* mendEnds(access)
  // Every transaction removes what was begun by mistake, also one that does nothing else.
  if (isWorking && !access.leftovers.isEmpty) yield* run(access, [])
})

/**
 * One by one: an end that always fails must not hold up the others. One that the database refuses is given up. Says
 * whether the database works.
 */
const mendEnds = Effect.fnUntraced(function* (access: Access): Effect.fn.Return<boolean> {
  const { leftovers } = access
  for (const ending of leftovers.endings()) {
    const [exit] = yield* commit(access, [ending], 0)
    if (exit === undefined || Exit.isSuccess(exit)) leftovers.wasWritten(ending.key)
    else if (!isTransient(exit.cause)) leftovers.wasRefused(ending.key)
    else {
      leftovers.postpone(ending.key)
      return false
    }
  }
  return true
})

/** As one transaction if that is possible. */
const commit = Effect.fnUntraced(function* (
  access: Access,
  operations: ReadonlyArray<Operation>,
  retries: number
): Effect.fn.Return<ReadonlyArray<Written>> {
  const exit = yield* run(access, operations)
  if (Exit.isFailure(exit)) return yield* afterFailure(access, operations, exit.cause, retries)
  return exit.value.map((verdict) => Exit.succeed(verdict))
})

/**
 * If the database failed as a whole, ends are tried again and the rest is refused: whoever began or advanced is told so,
 * and does nothing on the strength of it.
 */
const afterFailure = Effect.fnUntraced(function* (
  access: Access,
  operations: ReadonlyArray<Operation>,
  cause: Cause.Cause<SqlError.SqlError>,
  retries: number
): Effect.fn.Return<ReadonlyArray<Written>> {
  const failed = Exit.failCause(cause)
  if (!isTransient(cause)) return operations.length > 1 ? yield* commitEach(access, operations, retries) : [failed]
  const ends = operations.filter(({ _tag }) => _tag === "Complete")
  const again = ends.length === 0 || retries === 0 ? [] : yield* commit(access, ends, retries - 1)
  return operations.map((operation) => again[ends.indexOf(operation)] ?? failed)
})

/** So that whatever the database refuses about one is no matter for the others. */
const commitEach = Effect.fnUntraced(function* (access: Access, operations: ReadonlyArray<Operation>, retries: number) {
  const written: Array<Written> = []
  for (const operation of operations) {
    const before = written.at(-1)
    const isBroken = before !== undefined && Exit.isFailure(before) && isTransient(before.cause)
    written.push(...(isBroken ? [before] : yield* commit(access, [operation], retries)))
  }
  return written
})

/** Whether it is the database that failed, and not the record. A defect could be anything. */
const isTransient = (cause: Cause.Cause<SqlError.SqlError>): boolean => {
  const error = Cause.findError(cause)
  return Result.isFailure(error) || error.success.isRetryable
}
