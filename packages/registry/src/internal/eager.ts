/** Effects that are over before they are run, which is how most codecs answer, and effects that throw while they are made. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The exit that an effect already is, if it is one. The guard of `Exit` forgets the types that the effect had. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** The success that an effect already is, if it is one. A success has no error, whatever type the effect gave it. */
export const successOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Success<A> | undefined =>
  Exit.isExit(effect) && Exit.isSuccess(effect) ? (effect as Exit.Success<A>) : undefined

/** How it ends, also where it throws before there is an effect. Takes arguments, so that no call makes a function for it. */
export const attempt = <Args extends ReadonlyArray<unknown>, A, E>(
  make: (...args: Args) => Effect.Effect<A, E>,
  ...args: Args
): Effect.Effect<Exit.Exit<A, E>> => {
  try {
    return Effect.exit(make(...args))
  } catch (defect) {
    return Exit.succeed(Exit.die(defect))
  }
}
