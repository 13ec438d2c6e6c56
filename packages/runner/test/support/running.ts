/** A runner on a real registry, with a model that follows a script. */
import { Agent, Session, Tool, type ToolFailure, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { type Event, History, type Message, type Model, Runner, type RunError, ScriptedModel } from "@haft/runner"
import { Effect, Layer, Schema, Stream } from "effect"

export const sessionID = Session.ID.make("session")
export const agent = Agent.ID.make("agent")

/** Everything in memory. */
export const layer = (script: ScriptedModel.Script, options?: ScriptedModel.Options) =>
  layerOn(script, History.layerMemory, options)

/** Everything in memory except for the history. */
export const layerOn = <E>(
  script: ScriptedModel.Script,
  history: Layer.Layer<History.Service, E>,
  options?: ScriptedModel.Options
) => Runner.layer.pipe(Layer.provideMerge(Layer.mergeAll(ScriptedModel.layer(script, options), history, Testing.layer)))

/** A tool that takes anything by the name of `value` and does as it is told. */
export const tool = (
  execute: (value: unknown, context: Tool.Context) => Effect.Effect<string, ToolFailure.ToolFailure>,
  annotations: Tool.Annotations = {}
): Tool.Any =>
  Tool.annotate(
    Tool.make({
      description: "Test",
      input: Schema.Struct({ value: Schema.optionalKey(Schema.Json) }),
      output: Schema.String,
      execute: ({ value }, context) => execute(value, context)
    }),
    annotations
  )

/** Gives back what it gets. */
export const echo = tool((value) => Effect.succeed(JSON.stringify(value) ?? "nothing"))

export const register = (record: Readonly<Record<string, Tool.Any>>) =>
  Effect.flatMap(Tools.Service, (tools) => tools.register(record))

/** A run of the one session that tests have. */
export const run = (request: Partial<Runner.Request> = {}) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const runner = yield* Runner.Service
      const registry = yield* ToolRegistry.Service
      return runner.run({ sessionID, agent, tools: registry.materialize(), ...request })
    })
  )

/** All events of a run to its end. */
export const events = (request?: Partial<Runner.Request>) =>
  Effect.map(Stream.runCollect(run(request)), (all): ReadonlyArray<Event.Event> => all)

export const conclusion = (request?: Partial<Runner.Request>) => Runner.conclude(run(request))

export const history: Effect.Effect<
  ReadonlyArray<Message.Message>,
  RunError.RunError,
  History.Service
> = Effect.flatMap(History.Service, ({ read }) => read(sessionID))

/** What the model was asked last. */
export const lastAsked: Effect.Effect<Model.Request | undefined, never, ScriptedModel.Service> = Effect.flatMap(
  ScriptedModel.Service,
  ({ asked }) => Effect.map(asked, (requests) => requests.at(-1))
)

/** The results in a request, each as text. */
export const resultsIn = (request: Model.Request | undefined): ReadonlyArray<string> =>
  (request?.messages ?? []).flatMap((message) =>
    message._tag === "Results"
      ? message.results.map(({ content }) =>
          content.map((part) => (part._tag === "Text" ? part.text : part.mimeType)).join("\n")
        )
      : []
  )

export const tagsOf = (all: ReadonlyArray<Event.Event>): ReadonlyArray<string> => all.map(({ _tag }) => _tag)

/** The reasons of ends that are no results. */
export const reasonsIn = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    message._tag === "Closing" ? message.ends.map((end) => (end._tag === "Settled" ? "Settled" : end.reason)) : []
  )
