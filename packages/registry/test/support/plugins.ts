/** Plugins and hosts for tests. */
import { Tool, Tools } from "@haft/core"
import { Plugin } from "@haft/plugin-api"
import { PluginHost, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Ref, Schema, Stream } from "effect"

export const returning = (text: string): Tool.Any =>
  Tool.make({ description: text, input: Schema.Struct({}), output: Schema.String, execute: () => Effect.succeed(text) })

export const registering = (record: Readonly<Record<string, Tool.Any>>) =>
  Effect.flatMap(Tools.Service, (tools) => tools.register(record))

/** A plugin with one tool, which says the version. */
export const greeter = (version: string, name = "greet"): Plugin.Plugin =>
  Plugin.make({ id: "greeter", version, install: registering({ [name]: returning(version) }) })

/** A registry in memory with a host of plugins in it. */
export const layer = (options?: PluginHost.Options) => Layer.provideMerge(PluginHost.layer(options), Testing.layer)

export const install = Effect.fnUntraced(function* (source: string, plugin: Plugin.Plugin) {
  const host = yield* PluginHost.Service
  return yield* host.install(source, Effect.succeed(plugin))
})

export const stateOf = Effect.fnUntraced(function* (source: string) {
  const host = yield* PluginHost.Service
  return (yield* host.states).find((state) => state.source === source)
})

/** Waits until a plugin stands as it should. */
export const until = Effect.fnUntraced(function* (source: string, holds: (state: PluginHost.State) => boolean) {
  const host = yield* PluginHost.Service
  const met = (states: ReadonlyArray<PluginHost.State>) =>
    states.some((state) => state.source === source && holds(state))
  yield* Stream.runHead(Stream.filter(host.changes, met))
})

export const materialize = Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize())

export const names = Effect.map(materialize, ({ definitions }) => definitions.map(({ name }) => String(name)))

let calls = 0

/** Settles a call of a tool without arguments, under an id that no other has. */
export const settle = (turn: Effect.Success<typeof materialize>, name: string) =>
  turn.settle(Testing.request(name, {}, { id: `call-${++calls}` }))

/** What a call that is made now returns. */
export const call = (name: string) =>
  Effect.map(
    Effect.flatMap(materialize, (turn) => settle(turn, name)),
    (settlement) => (settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag)
  )

/** What happened, in order. */
export const makeEvents = Effect.map(Ref.make<ReadonlyArray<string>>([]), (events) => ({
  note: (event: string) => Ref.update(events, (before) => [...before, event]),
  all: Ref.get(events)
}))
