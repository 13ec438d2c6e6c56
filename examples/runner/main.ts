import { Agent, Session, Tool, ToolFailure, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { type Event, History, Runner, ScriptedModel } from "@haft/runner"
import { Console, Effect, Layer, Schema, Stream } from "effect"

const weather = Tool.make({
  description: "Tells the weather of a city",
  input: Schema.Struct({ city: Schema.String }),
  output: Schema.String,
  execute: ({ city }) =>
    city === "Oslo" ? Effect.succeed("rain") : Effect.fail(ToolFailure.notFound({ message: `${city} is unknown.` }))
})

// Stands for AnthropicModel.layer({ model, apiKey }), OpenAiResponsesModel.layer(…) or OpenAiChatModel.layer(…).
const Model = ScriptedModel.layer([
  [...ScriptedModel.say("Let me see."), ...["Oslo", "Atlantis"].map((city) => ScriptedModel.call("weather", { city }))],
  ScriptedModel.say("Take an umbrella to Oslo.")
])

const session = Effect.gen(function* () {
  const runner = yield* Runner.Service
  const registry = yield* ToolRegistry.Service
  yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ weather }))
  const request = { sessionID: Session.ID.make("trip"), agent: Agent.ID.make("main"), tools: registry.materialize() }
  yield* Stream.runForEach(runner.run({ ...request, prompt: "What do I pack?" }), show)
})

const show = (event: Event.Event) => {
  if (event._tag === "Answered") return Console.log("answered with", event.message.parts.length, "parts")
  if (event._tag === "CallSettled") return Console.log(event.call.name, event.call.input, event.settlement._tag)
  return event._tag === "Ended" ? Console.log(event.conclusion.reason, event.conclusion.text) : Effect.void
}

const Live = Layer.merge(Runner.layer, ToolRegistry.layer).pipe(
  Layer.provide([Model, History.layerMemory, SettlementStores.layerMemory, ApplicationTools.layer]),
  Layer.provide(OutputBounds.layer()),
  Layer.provide(OutputStores.layerMemory())
)

await Effect.runPromise(session.pipe(Effect.scoped, Effect.provide(Live)))
