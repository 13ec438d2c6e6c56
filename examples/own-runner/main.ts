import { Agent, Session, Tool, ToolCall, ToolContent, Tools } from "@haft/core"
import { ModelCompatibility, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { CallResult, Message, Model, ScriptedModel } from "@haft/runner"
import { Effect, Schema, Stream } from "effect"

/** An agent loop of one's own: ask, settle, tell, ask again. It keeps nothing, and lets every error through. */
const run = Effect.fn("run")(function* (sessionID: Session.ID, prompt: string) {
  const model = yield* Model.Service
  const registry = yield* ToolRegistry.Service
  const messages: Array<Model.RequestMessage> = [Model.RequestMessage.User({ content: [ToolContent.text(prompt)] })]
  for (let turn = 1; ; turn++) {
    const offered = yield* registry.materialize({ concurrency: 64 })
    const adapted = yield* Effect.fromResult(ModelCompatibility.adapt(offered, model.profile))
    const asked = { system: undefined, messages, tools: adapted.definitions }
    const answer = yield* Stream.runCollect(model.stream(asked))
    const said = answer.flatMap((part) => (part._tag === "TextDelta" ? [part.text] : [])).join("")
    const calls = answer.flatMap((part) =>
      part._tag === "Call" ? [Message.Part.cases.Call.make({ ...part, id: ToolCall.ID.make(part.id) })] : []
    )
    if (calls.length === 0) return said
    const context = { sessionID, agent: Agent.ID.make("main"), assistantMessageID: Session.MessageID.make(`m${turn}`) }
    const settle = (call: Message.Call) =>
      Effect.map(adapted.settle({ ...context, call }), (settlement) => CallResult.settled(call, settlement))
    const results = yield* Effect.forEach(calls, settle, { concurrency: "unbounded" })
    messages.push(Model.RequestMessage.Assistant({ parts: calls }), Model.RequestMessage.Results({ results }))
  }
})

const add = Tool.make({
  description: "Add two numbers",
  input: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  output: Schema.Finite,
  execute: ({ a, b }) => Effect.succeed(a + b)
})

const Scripted = ScriptedModel.layer([
  [ScriptedModel.call("add", { a: 1, b: 2 }, "1"), ScriptedModel.call("add", { a: "x" }, "2")],
  ({ messages }) => ScriptedModel.say(JSON.stringify(messages.at(-1), undefined, 2))
])

const program = Effect.gen(function* () {
  yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ add }))
  console.log(yield* run(Session.ID.make("session"), "Add 1 and 2, then something else."))
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide([Testing.layer, Scripted])))
