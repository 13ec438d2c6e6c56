/** Long work in short steps, so that other fibers, timers and sockets get their turn in between. */
import * as Effect from "effect/Effect"

/** Pauses wherever it yields. */
export type Steps<A> = Generator<undefined, A>

/** Makes new steps each time it is run. */
export const inSteps = <A>(make: () => Steps<A>): Effect.Effect<A> => Effect.suspend(() => following(make()))

const following = <A>(steps: Steps<A>): Effect.Effect<A> => {
  const next = steps.next()
  return next.done === true ? Effect.succeed(next.value) : Effect.flatMap(Effect.yieldNow, () => following(steps))
}
