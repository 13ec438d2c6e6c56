/**
 * Holds back what a plugin registers until its install has succeeded, so that no turn offers the tools of one that then
 * fails, and a new version takes over from the old one in one step.
 */
import * as Runtime from "@haft/core/runtime"
import type * as Tool from "@haft/core/Tool"
import type * as Tools from "@haft/core/Tools"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"

type Registering = Effect.Effect<void, Tool.RegistrationError>

export interface Stage extends Tools.Interface {
  /** Registers what was held back, and from now on at once. What was taken back meanwhile stays away. */
  readonly lift: Registering
}

export const make = (tools: Tools.Interface): Stage => {
  let waiting: Array<Registering> | undefined = []
  return {
    register: Effect.fnUntraced(function* (record) {
      if (waiting === undefined) return yield* tools.register(record)
      const copy = { ...record }
      yield* Effect.fromResult(check(copy))
      waiting.push(Scope.provide(tools.register(copy), yield* Effect.scope))
    }),
    lift: Effect.suspend(() => {
      const lifted = waiting ?? []
      waiting = undefined
      return Effect.all(lifted, { discard: true })
    })
  }
}

/** What would be refused is refused at once, where its author can see it. */
const check = (record: Readonly<Record<string, Tool.Any>>): Result.Result<unknown, Tool.RegistrationError> =>
  Result.all(Object.entries(record).map(([name, tool]) => Runtime.open(name, tool)))
