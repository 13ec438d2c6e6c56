/**
 * Batches without timers: whatever was submitted while one batch was under way is the next batch. One at a time costs
 * one commit, or one query, each; many at once share one.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

/** Bounds how long the others wait for one batch. */
const maxRecords = 512
/** The same in characters of what is written, because records differ in size by a factor of thousands. */
const maxSize = 1024 * 1024
/** Who submits beyond this waits for a place, so a slow disk slows callers down before it fills the memory. */
const capacity = 10_000

export interface Options<Item, Result> {
  /** One result for each item. */
  readonly run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<Result, unknown>>>
  /** Characters that an item adds to a batch. */
  readonly sizeOf: (item: Item) => number
}

/** Fails with what became of the item. Who is interrupted meanwhile does not learn it. */
export type Submit<Item, Result> = (item: Item) => Effect.Effect<Result, unknown>

/** Closing the Scope runs what was submitted before; what comes later fails. */
export const make = Effect.fnUntraced(function* <Item, Result>(
  options: Options<Item, Result>
): Effect.fn.Return<Submit<Item, Result>, never, Scope.Scope> {
  const queue = yield* Queue.bounded<Entry<Item, Result>, Cause.Done>(capacity)
  const next = Effect.flatMap(Queue.takeBetween(queue, 1, maxRecords), (entries) =>
    Effect.forEach(batchesOf(entries, options.sizeOf), (batch) => settle(batch, options.run), { discard: true })
  )
  yield* Effect.acquireRelease(Effect.forkDetach(Effect.forever(next)), (fiber) =>
    Effect.andThen(Queue.end(queue), Fiber.await(fiber))
  )
  return (item) =>
    Effect.suspend(() => {
      const entry = { item, result: Deferred.makeUnsafe<Result, unknown>() }
      return Effect.flatMap(Queue.offer(queue, entry), (accepted) =>
        accepted ? Deferred.await(entry.result) : Effect.fail(new Error("the store is closed"))
      )
    })
})

interface Entry<Item, Result> {
  readonly item: Item
  readonly result: Deferred.Deferred<Result, unknown>
}

/** A single item may be larger than a batch; then it is alone in one. */
const batchesOf = <Item, Result>(
  entries: ReadonlyArray<Entry<Item, Result>>,
  sizeOf: (item: Item) => number
): ReadonlyArray<ReadonlyArray<Entry<Item, Result>>> => {
  const batches: Array<Array<Entry<Item, Result>>> = []
  let room = 0
  for (const entry of entries) {
    const size = sizeOf(entry.item)
    if (size > room || batches.length === 0) {
      batches.push([])
      room = maxSize
    }
    batches.at(-1)?.push(entry)
    room -= size
  }
  return batches
}

/** A batch that dies fails its members and leaves the next one alone. */
const settle = <Item, Result>(
  batch: ReadonlyArray<Entry<Item, Result>>,
  run: Options<Item, Result>["run"]
): Effect.Effect<void> =>
  Effect.map(Effect.exit(run(batch.map(({ item }) => item))), (exit) => {
    for (const [index, { result }] of batch.entries()) Deferred.doneUnsafe(result, resultAt(exit, index))
  })

const resultAt = <Result>(
  exit: Exit.Exit<ReadonlyArray<Exit.Exit<Result, unknown>>>,
  index: number
): Exit.Exit<Result, unknown> => {
  if (Exit.isFailure(exit)) return Exit.fail(Cause.squash(exit.cause))
  const result = exit.value[index]
  if (result === undefined) return Exit.fail(new Error("a batch gave no result"))
  return Exit.isFailure(result) ? Exit.fail(Cause.squash(result.cause)) : result
}
