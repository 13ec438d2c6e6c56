/** Waiting that ends in time. It is for waiting alone: what is waited for goes on. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const atMost = <A>(limit: Duration.Duration, waiting: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
  Effect.timeoutOption(Effect.interruptible(waiting), limit)

/** For finalizers: by the timers of the system, because a clock that a test moves may stand still by then. */
export const nativelyAtMost = <A>(
  limit: Duration.Duration,
  waiting: Effect.Effect<A>
): Effect.Effect<Option.Option<A>> =>
  Effect.raceFirst(
    Effect.asSome(Effect.interruptible(waiting)),
    Effect.as(Effect.interruptible(timer(limit)), Option.none())
  )

const timer = (limit: Duration.Duration): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timeout = setTimeout(() => resume(Effect.void), Duration.toMillis(limit))
    return Effect.sync(() => clearTimeout(timeout))
  })
