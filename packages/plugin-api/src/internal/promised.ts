/** A service of effects as one of promises, so that a capability is described once for both flavours. */
import * as Effect from "effect/Effect"

/** Functions that return effects return promises instead, which reject with their errors. The rest stays as it is. */
export type Promised<Shape> = Shape extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
  ? (...args: Args) => Promise<A>
  : Shape extends (...args: never) => unknown
    ? Shape
    : { readonly [Key in keyof Shape]: PromisedMember<Shape[Key]> }

type PromisedMember<Member> = Member extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
  ? (...args: Args) => Promise<A>
  : Member

export type Run = <A, E>(effect: Effect.Effect<A, E>) => Promise<A>

export const promised = <Shape>(shape: Shape, run: Run): Promised<Shape> => convert(shape, run) as Promised<Shape>

const convert = (value: unknown, run: Run): unknown => {
  if (isFunction(value)) return running(value, run)
  if (typeof value !== "object" || value === null) return value
  // On an object of its own: a proxy of a frozen service would have to give its members as they are.
  return new Proxy(
    {},
    {
      get: (_, key) => {
        const member: unknown = Reflect.get(value, key)
        return isFunction(member) ? running(member.bind(value), run) : member
      }
    }
  )
}

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function"

const running =
  (f: AnyFunction, run: Run): AnyFunction =>
  (...args) => {
    const result = f(...args)
    return isRunnable(result) ? run(result) : result
  }

/** The methods of a capability need no services, which is what makes it one. */
const isRunnable = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)
