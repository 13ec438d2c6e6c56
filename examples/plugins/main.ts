/** A project whose plugins are files: one is dropped in, called, changed, broken and mended while the host runs. */
import { Location, Tool, Tools } from "@haft/core"
import { NodeFileSystem, NodePath } from "@haft/node"
import { Capability, Secrets } from "@haft/plugin-api"
import { Locations, PluginHost, ToolRegistry } from "@haft/registry"
import * as Plugins from "@haft/registry/plugins"
import * as Testing from "@haft/registry/testing"
import { Console, Effect, FileSystem, Layer, Logger, Redacted, Schema, Stream } from "effect"

const greeter = (greeting: string) => `
import { PromisePlugin, Secrets } from "@haft/plugin-api"
import { Redacted } from "effect"

export default PromisePlugin.make({
  id: "greeter",
  version: "${greeting}",
  capabilities: [Secrets.Service],
  async install({ capabilities: { secrets }, register }) {
    const name: string = Redacted.value(await secrets.get("name"))
    await register({
      greet: { description: "Greet", input: { type: "object" }, execute: async () => \`${greeting}, \${name}\` }
    })
  }
})
`

const builtIn = Tool.make({
  description: "Greet",
  input: Schema.Struct({}),
  output: Schema.String,
  execute: () => Effect.succeed("Good day")
})

/** Built-in tools first, then the host, then what is in the project's folder. */
const layerOf = (ref: Location.Ref) =>
  Plugins.layerFolder({ folder: `${ref}/${Plugins.defaultFolder}`, watch: true }).pipe(
    Layer.provideMerge(
      PluginHost.layer({
        grants: ({ id }) =>
          id === "greeter"
            ? [Capability.grant(Secrets.Service, { get: () => Effect.succeed(Redacted.make("world")) })]
            : []
      })
    ),
    Layer.provide(Layer.effectDiscard(Effect.flatMap(Tools.Service, (tools) => tools.register({ greet: builtIn }))))
  )

let calls = 0

const greet = Effect.gen(function* () {
  const { settle } = yield* (yield* ToolRegistry.Service).materialize()
  const settlement = yield* settle(Testing.request("greet", {}, { id: `${++calls}` }))
  yield* Console.log(settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag)
})

/** Waits until the host says so about its only plugin. */
const until = Effect.fnUntraced(function* (holds: (status: PluginHost.Status) => boolean) {
  const host = yield* PluginHost.Service
  yield* Stream.runHead(Stream.filter(host.changes, (states) => states.some(({ status }) => holds(status))))
})

const isActive = (version: string) => (status: PluginHost.Status) =>
  status._tag === "Active" && status.manifest.version === version

const session = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  yield* greet
  yield* fs.writeFileString(file, greeter("Hello"))
  yield* until(isActive("Hello"))
  yield* greet
  yield* fs.writeFileString(file, greeter("Bonjour"))
  yield* until(isActive("Bonjour"))
  yield* greet
  yield* fs.writeFileString(file, "export default {}")
  yield* until(({ _tag }) => _tag === "Outdated")
  yield* greet
  yield* fs.remove(file)
  yield* Effect.flatMap(PluginHost.Service, ({ changes }) =>
    Stream.runHead(Stream.filter(changes, ({ length }) => length === 0))
  )
  yield* greet
})

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const project = yield* fs.makeTempDirectoryScoped()
  yield* fs.makeDirectory(`${project}/${Plugins.defaultFolder}`, { recursive: true })
  const locations = yield* Locations.make({ layer: layerOf })
  const work = session(`${project}/${Plugins.defaultFolder}/greeter.ts`)
  yield* Effect.provide(work, locations.get(Location.Ref.make(project)))
})

const Process = Layer.mergeAll(Testing.layer, NodeFileSystem.layer, NodePath.layer, Logger.layer([]))

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(Process)))
