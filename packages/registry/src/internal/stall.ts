/** Waiting for a store that may hang, for no longer than that can be told from one that is slow. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/**
 * Without moving. A disk that is only busy takes the next megabyte within seconds; one that is on a network
 * and has lost it is given up by its driver after about as long. Looked at so often, it is noticed within twice the time.
 */
const maxStallMs = 60_000

export interface Attempt<A> {
  readonly operation: OutputStore.StorageError["operation"]
  readonly run: Effect.Effect<A, OutputStore.StorageError>
  /** Changes whenever something moves. */
  readonly moves: () => number
  /** For what comes out of it when nobody waits any more. */
  readonly tooLate: (value: A) => Effect.Effect<void>
}

/**
 * Fails if an attempt does not move, and then stops it without waiting for that. In fibers of their own, because neither a
 * store that ignores interruption nor a caller that cannot be interrupted may keep the time from running out.
 */
export const unlessStalled = Effect.fnUntraced(function* <A>(
  attempt: Attempt<A>
): Effect.fn.Return<A, OutputStore.StorageError> {
  const ended = yield* Deferred.make<A, OutputStore.StorageError>()
  const running = yield* Effect.forkDetach(attempt.run, { startImmediately: true })
  running.addObserver((exit) => Deferred.doneUnsafe(ended, exit))
  const watching = yield* Effect.forkDetach(Effect.andThen(stalled(attempt.moves), giveUp(attempt, running, ended)))
  return yield* Effect.ensuring(Deferred.await(ended), Fiber.interrupt(watching))
})

const stalled = (moves: () => number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = moves()
    return Effect.flatMap(Effect.sleep(maxStallMs), () => (moves() === before ? Effect.void : stalled(moves)))
  })

const giveUp = <A>(
  { operation, tooLate }: Attempt<A>,
  running: Fiber.Fiber<A, OutputStore.StorageError>,
  ended: Deferred.Deferred<A, OutputStore.StorageError>
): Effect.Effect<void> => {
  const cause = new Cause.TimeoutError(`the store has not moved for ${maxStallMs} ms`)
  const error = new OutputStore.StorageError({ operation, cause })
  const clearUp = Effect.flatMap(Fiber.await(running), (exit) =>
    Exit.isSuccess(exit) ? tooLate(exit.value) : Effect.void
  )
  const stop = Effect.suspend(() => {
    if (!Deferred.doneUnsafe(ended, Effect.fail(error))) return Effect.void
    running.interruptUnsafe()
    return Effect.asVoid(Effect.forkDetach(clearUp))
  })
  // Who waits goes on as soon as this has ended, and then interrupts the watching.
  return Effect.uninterruptible(stop)
}
