/** Turns of a registry whose names have several registrations on top of each other. */
import * as Tools from "@haft/core/Tools"
import * as Observability from "@haft/registry/Observability"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Effect from "effect/Effect"
import { stopwatch } from "../measure.ts"
import { type Effort, rounds } from "../scenario.ts"
import { inMemory, requestOf, toolOf } from "./haft.ts"
import { work } from "../works.ts"

const names = 1_000

/** `depth` registrations of each name. Milliseconds from having changed something to a settled call. */
export const turnsOver = (depth: number, { quick }: Effort): Promise<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    const registry = yield* ToolRegistry.Service
    const tool = toolOf(work("sum"))
    const overlay = Object.fromEntries(Array.from({ length: names }, (_, index) => [`tool_${index}`, tool]))
    for (let layer = 0; layer < depth; layer++) yield* tools.register(overlay)
    const turn = Effect.gen(function* () {
      // Something has changed since the turn before, as when a plugin comes: nothing can be given again unseen.
      yield* tools.register({ one_more: tool })
      const elapsed = stopwatch()
      const { definitions, settle } = yield* registry.materialize()
      const settlement = yield* settle(requestOf("tool_500", { a: 1, b: "x" }))
      const millis = elapsed()
      if (definitions.length !== names + 1 || settlement._tag !== "Succeeded") return yield* Effect.die("Not settled")
      return millis
    }).pipe(Effect.scoped)
    const context = yield* Effect.context<never>()
    return yield* Effect.promise(() =>
      rounds({ budgetMillis: 8_000, count: quick ? 5 : 60, warmUp: quick ? 3 : 30 }, () =>
        Effect.runPromiseWith(context)(turn)
      )
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(inMemory, { local: true }),
    Effect.provideService(Observability.Level, "none"),
    Effect.runPromise
  )
