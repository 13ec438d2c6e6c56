import { Tool, Tools } from "@haft/core"
import { ModelCompatibility, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Schema } from "effect"

const book = Tool.make({
  description: "Book a table",
  input: Schema.Struct({
    guests: Schema.Int,
    at: Schema.Tuple([Schema.Finite, Schema.Finite]),
    wishes: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  }),
  output: Schema.String,
  execute: (booking) => Effect.succeed(JSON.stringify(booking))
})

// The same call, as a model of each provider sends it.
const calls = [
  { profile: ModelCompatibility.anthropic, input: { guests: 2, at: [59.9, 10.7] } },
  {
    profile: ModelCompatibility.openaiStrict,
    input: { guests: 2, at: { item_1: 59.9, item_2: 10.7 }, wishes: [{ key: "window", value: "yes" }] }
  },
  { profile: ModelCompatibility.gemini, input: { guests: 2, at: { item_1: 59.9, item_2: 10.7 } } }
]

const program = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ book })
  for (const { input, profile } of calls) {
    const turn = yield* Effect.fromResult(ModelCompatibility.adapt(yield* registry.materialize(), profile))
    const settlement = yield* turn.settle(Testing.request("book", input, { id: profile.provider }))
    console.log(profile.provider, settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag)
  }
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Testing.layer)))
