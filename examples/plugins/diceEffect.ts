import { Tool, Tools } from "@haft/core"
import { Plugin } from "@haft/plugin-api"
import { Effect, Random, Schema } from "effect"

export default Plugin.make({
  id: "dice",
  install: Effect.gen(function* () {
    const tools = yield* Tools.Service
    yield* tools.register({
      roll: Tool.make({
        description: "Roll a die",
        input: Schema.Struct({ sides: Schema.Int }),
        output: Schema.Int,
        execute: ({ sides }) => Random.nextIntBetween(1, sides)
      })
    })
  })
})
