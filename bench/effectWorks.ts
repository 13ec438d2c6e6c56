/** The same work on Effect, with the schemas that go with it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { deafMillis, expected, type Input, type Kind, large, run, slowMillis, tick, wrongSum } from "./works.ts"

export const Pair = Schema.Struct({ a: Schema.Int, b: Schema.String })
export const Query = Schema.Struct({ query: Schema.String, limit: Schema.optionalKey(Schema.Int) })
export const Sum = Schema.Struct({ sum: Schema.Int })

/** Made anew: nothing that one tool made for its schemas is there for the next. */
export const inputOf = (kind: Kind) =>
  kind === "search" ? Schema.Struct({ query: Schema.String, limit: Schema.optionalKey(Schema.Int) }) : Pair

const tickMillis = 5

const unheeding = (input: Input) => Effect.promise(() => Promise.resolve(run("deaf")(input)))

/** What the tool does, as an Effect. `wrong` returns what the schema of its output does not admit. */
export const effectOf = (kind: Kind): ((input: Input) => Effect.Effect<unknown>) => {
  switch (kind) {
    case "sum":
    case "search":
      return (input) => Effect.succeed({ sum: expected(input) })
    case "slow":
      return (input) => Effect.delay(Effect.succeed({ sum: expected(input) }), slowMillis)
    case "wrong":
      return () => Effect.succeed({ sum: wrongSum })
    case "large":
      return () => Effect.sync(() => large.text)
    case "cooperative":
      return (input) =>
        Effect.as(Effect.repeat(Effect.delay(Effect.sync(tick), tickMillis), { times: deafMillis / tickMillis }), {
          sum: expected(input)
        })
    case "deaf":
      return unheeding
    case "shielded":
      return (input) => Effect.uninterruptible(unheeding(input))
  }
}
