import { Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Schema } from "effect"

const people = new Map(Object.entries({ Oslo: 717_710, Paris: 2_103_778 }))

const population = Tool.make({
  description: "How many people live in a city",
  input: Schema.Struct({ city: Schema.String, since: Schema.optionalKey(Schema.Date) }),
  output: Schema.Struct({ people: Schema.Int }),
  execute: ({ city }) => {
    const count = people.get(city)
    if (count !== undefined) return Effect.succeed({ people: count })
    return ToolFailure.notFound({ message: `No city called ${city}`, candidates: [...people.keys()] })
  }
})

const { output } = await Effect.runPromise(Testing.call(population, { city: "Oslo" }))
console.log(output.structured)
