import { Agent, Session, Tools } from "@haft/core"
import { EffectAiToolkit, StandardSchemaTool } from "@haft/interop"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { z } from "zod"

const weather = StandardSchemaTool.make({
  description: "Tells the weather",
  input: z.object({ city: z.string().min(1), days: z.number().int().default(3) }),
  execute: ({ city, days }) => Effect.succeed(`${days} days of rain in ${city}`)
})

// Stands for a provider, such as @effect/ai-anthropic: it calls our tool, and another one that does not exist.
const Model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () =>
      Effect.succeed([
        { type: "tool-call", id: "1", name: "weather", params: { city: "Oslo" } },
        { type: "tool-call", id: "2", name: "forecast", params: {} }
      ]),
    streamText: () => Stream.empty
  })
)

const turn = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ weather })
  const context = {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("main"),
    assistantMessageID: Session.MessageID.make("message")
  }
  const materialization = yield* registry.materialize()
  return yield* EffectAiToolkit.generateText({ prompt: "Will it rain?", materialization, context })
})

const Registry = ToolRegistry.layer.pipe(
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

const { prompt, results } = await Effect.runPromise(turn.pipe(Effect.scoped, Effect.provide([Model, Registry])))
for (const { id, isFailure, result } of results) console.log(id, isFailure ? "failed" : "succeeded", result)
console.log(prompt.content.map(({ role }) => role))
