/**
 * Runs a session whose calls each leave a visible effect, with history and settlements in one database. It loads no
 * barrel: most of what a run under a tracer costs is loading.
 */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as Tool from "@haft/core/Tool"
import * as Tools from "@haft/core/Tools"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as ApplicationTools from "@haft/registry/ApplicationTools"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as OutputStores from "@haft/registry/OutputStores"
import * as RegistrySql from "@haft/registry/sql"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Message from "@haft/runner/Message"
import type * as Model from "@haft/runner/Model"
import * as Runner from "@haft/runner/Runner"
import * as ScriptedModel from "@haft/runner/ScriptedModel"
import * as RunnerSql from "@haft/runner/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import { join } from "node:path"

/** What one session leaves in its directory. */
export const files = (directory: string) => ({
  database: join(directory, "session.db"),
  owners: join(directory, "owners"),
  /** A line for each time that a call had its effect: its message and its id. */
  effects: join(directory, "effects")
})

export const sessionID = Session.ID.make("session")

/** A turn with two calls at once, then the end. */
const script: ScriptedModel.Script = [
  [
    ...ScriptedModel.say("I act"),
    ScriptedModel.call("act", { value: 1 }, "one"),
    ScriptedModel.call("act", { value: 2 }, "two")
  ],
  ScriptedModel.say("Done")
]

/** One process, as a host on one machine has it. Without a model it follows the script. */
export const layer = (directory: string, model: Layer.Layer<Model.Service> = ScriptedModel.layer(script)) => {
  const { database, owners } = files(directory)
  const stores = Layer.merge(
    RunnerSql.layerSql,
    RegistrySql.layerSql({ owners: NodeOwners.make({ directory: owners }) })
  ).pipe(Layer.provideMerge(NodeSqlClient.layer({ filename: database })))
  return Layer.merge(Runner.layer, ToolRegistry.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(model, ApplicationTools.layer, OutputBounds.layer())),
    Layer.provideMerge(Layer.mergeAll(OutputStores.layerMemory(), stores))
  )
}

const act = (directory: string) =>
  Tool.make({
    description: "Leaves a line",
    input: Schema.Struct({ value: Schema.Int }),
    output: Schema.String,
    execute: (_, { assistantMessageID, toolCallID }) =>
      Effect.sync(() => {
        append(files(directory).effects, `${assistantMessageID} ${toolCallID}`)
        return "acted"
      })
  })

/** All events of a run. */
export const run = Effect.fnUntraced(function* (directory: string, prompt?: string) {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  const runner = yield* Runner.Service
  yield* tools.register({ act: act(directory) })
  const said = prompt === undefined ? {} : { prompt }
  const request = { sessionID, agent: Agent.ID.make("agent"), tools: registry.materialize(), ...said }
  return yield* Stream.runCollect(runner.run(request))
})

/** With other system calls than the database's, so that a kill aimed at the database never hits it. */
const append = (path: string, line: string): void => {
  const file = Fs.openSync(path, "a")
  Fs.writeSync(file, `${line}\n`)
  Fs.fdatasyncSync(file)
  Fs.closeSync(file)
}

export const effectsIn = (directory: string): ReadonlyArray<string> => {
  const { effects } = files(directory)
  return Fs.existsSync(effects) ? Fs.readFileSync(effects, "utf8").split("\n").slice(0, -1) : []
}

/** What is wrong with a history: calls without one end each, and ids that occur twice. */
export const unended = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> => {
  const ids = new Set<string>()
  return messages.flatMap((message, index) => {
    const calls = message._tag === "Assistant" ? Message.callsOf(message).map(({ id }) => String(id)) : []
    const next = messages[index + 1]
    const ends = next?._tag === "Closing" ? next.ends.map(({ callID }) => String(callID)) : []
    const twice = calls.filter((id) => ids.has(id))
    for (const id of calls) ids.add(id)
    const isEnded = ends.join() === calls.join()
    return [...(isEnded ? [] : [`message ${index} has calls without one end each`]), ...twice]
  })
}
