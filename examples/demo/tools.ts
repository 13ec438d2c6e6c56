/** The two tools of the demo: one that counts days, and one that never ends by itself. */
import { Progress, Tool, ToolContent, ToolFailure } from "@haft/core"
import { Effect, Schema } from "effect"

const millisPerDay = 24 * 60 * 60 * 1000

/** Dates travel as text; the executor only ever sees dates. */
export const daysBetween = Tool.make({
  description: "Count the days from one date to a later one",
  input: Schema.Struct({
    from: Schema.Date.annotate({ description: "The first day" }),
    to: Schema.Date.annotate({ description: "The last day" })
  }),
  output: Schema.Struct({ days: Schema.Int }),
  execute: ({ from, to }) => {
    const days = Math.round((to.getTime() - from.getTime()) / millisPerDay)
    if (days >= 0) return Effect.succeed({ days })
    return ToolFailure.precondition({
      message: "The last day is before the first",
      hint: "Swap from and to",
      field: "to"
    })
  },
  toModelOutput: ({ output }) => [ToolContent.text(`${output.days} days`)]
})

/** Holds something that has to be given back, whatever happens. */
export const watch = (onRelease: Effect.Effect<void>) =>
  Tool.make({
    description: "Watch for changes until told to stop",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: Effect.fnUntraced(function* () {
      const progress = yield* Progress.Service
      yield* progress.report({ message: "watching" })
      return yield* Effect.never
    }, Effect.ensuring(onRelease))
  })
