/** Work in a fiber of its own, which is left when a deadline passes. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Deadline } from "./deadline.ts"
import type { Journey } from "./journey.ts"

/** What ends at once has ended when it is looked at, and needs no timer. */
export const startNow = { startImmediately: true } as const

/**
 * How a fiber ended, or nothing if it has not by the deadline: it is then interrupted, and nobody waits for it. Whoever
 * is interrupted here interrupts the fiber, and waits for it until the deadline.
 */
export const endInTime = <A, E>(
  restore: Journey["restore"],
  fiber: Fiber.Fiber<A, E>,
  deadline: Deadline
): Effect.Effect<Option.Option<Exit.Exit<A, E>>> => {
  const exit = fiber.pollUnsafe()
  return exit === undefined ? wait(restore, fiber, deadline) : Effect.succeedSome(exit)
}

const wait = Effect.fnUntraced(function* <A, E>(
  restore: Journey["restore"],
  fiber: Fiber.Fiber<A, E>,
  deadline: Deadline
): Effect.fn.Return<Option.Option<Exit.Exit<A, E>>> {
  const ended = Effect.suspend(() => Effect.timeoutOption(Fiber.await(fiber), deadline.restMs))
  const first = yield* Effect.exit(restore(ended))
  if (Exit.isSuccess(first) && Option.isSome(first.value)) return first.value
  fiber.interruptUnsafe()
  return Exit.isSuccess(first) ? first.value : Option.orElseSome(yield* ended, () => Exit.failCause(first.cause))
})
