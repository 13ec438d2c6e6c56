import { Agent, Session, Tool, ToolCall, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Schema } from "effect"

const add = Tool.make({
  description: "Add two numbers",
  input: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  output: Schema.Finite,
  execute: ({ a, b }) => Effect.succeed(a + b)
})

const turn = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ add })
  const { definitions, settle } = yield* registry.materialize()
  console.log(definitions.map(({ name }) => name))

  const message = {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("main"),
    assistantMessageID: Session.MessageID.make("message")
  }
  const calls = [
    { id: ToolCall.ID.make("1"), name: "add", input: { a: 1, b: 2 } },
    { id: ToolCall.ID.make("2"), name: "add", input: { a: "1" } },
    { id: ToolCall.ID.make("3"), name: "subtract", input: {} }
  ]
  return yield* Effect.forEach(calls, (call) => settle({ ...message, call }), { concurrency: "unbounded" })
})

const Live = ToolRegistry.layer.pipe(
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

for (const settlement of await Effect.runPromise(turn.pipe(Effect.scoped, Effect.provide(Live)))) {
  const shown = settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag
  console.log(settlement.context.toolCallID, shown)
}
