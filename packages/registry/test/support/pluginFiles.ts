/** Plugins as files, in a directory from which the packages of this repository are found. */
import { NodeFileSystem, NodePath } from "@haft/node"
import { PluginHost } from "@haft/registry"
import * as Plugins from "@haft/registry/plugins"
import { Effect, FileSystem, Layer, Stream } from "effect"
import * as Support from "./plugins.ts"

/** Vitest has modules of its own, which plugins have to share with their host. */
export const importModule = (url: string): Promise<unknown> => import(/* @vite-ignore */ url)

export const Disk = Layer.merge(NodeFileSystem.layer, NodePath.layer)

/** A plugin with one tool that says `text`. */
export const source = (id: string, name: string, text: string): string =>
  `import { PromisePlugin } from "@haft/plugin-api"
const answer: string = ${JSON.stringify(text)}
export default PromisePlugin.make({
  id: ${JSON.stringify(id)},
  version: ${JSON.stringify(text)},
  install: ({ register }) =>
    register({ ${name}: { description: "Say it", input: { type: "object" }, execute: async () => answer } })
})
`

/** Below this package, because that is where Vitest finds what a plugin imports. */
export const makeFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const root = yield* fs.makeTempDirectoryScoped({ directory: import.meta.dirname, prefix: ".plugins-" })
  return {
    root,
    write: (path: string, content: string) => fs.writeFileString(`${root}/${path}`, content),
    remove: (path: string) => fs.remove(`${root}/${path}`, { recursive: true }),
    makeDirectory: (path: string) => fs.makeDirectory(`${root}/${path}`, { recursive: true })
  }
})

/** A host of the plugins in a folder. */
export const hosting = (options: Plugins.FolderOptions, host?: PluginHost.Options) =>
  Plugins.layerFolder({ importModule, debounce: 10, pollInterval: 20, ...options }).pipe(
    Layer.provideMerge(Support.layer(host)),
    Layer.provideMerge(Disk)
  )

/** Waits until the host says so about its plugins. */
export const untilStates = Effect.fnUntraced(function* (holds: (states: ReadonlyArray<PluginHost.State>) => boolean) {
  const host = yield* PluginHost.Service
  yield* Stream.runHead(Stream.filter(host.changes, holds))
})
