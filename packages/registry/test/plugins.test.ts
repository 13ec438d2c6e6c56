import { assert, describe, it } from "@effect/vitest"
import { PluginHost } from "@haft/registry"
import * as Plugins from "@haft/registry/plugins"
import { Deferred, Effect, Fiber, FileSystem, Layer, PlatformError, Queue, Ref, Stream } from "effect"
import { Disk, hosting, importModule, makeFolder, source, untilStates } from "./support/pluginFiles.ts"
import { call, names } from "./support/plugins.ts"

const load = (path: string) => Plugins.load(path, { importModule })

const versionIs =
  (file: string, version: string) =>
  (states: ReadonlyArray<PluginHost.State>): boolean =>
    states.some(
      ({ source, status }) => source.endsWith(file) && status._tag === "Active" && status.manifest.version === version
    )

const statusIs =
  (file: string, tag: PluginHost.Status["_tag"]) =>
  (states: ReadonlyArray<PluginHost.State>): boolean =>
    states.some(({ source, status }) => source.endsWith(file) && status._tag === tag)

/** Runs in a host of the folder, as long as it takes. */
const inHost = <A, E, R>(options: Plugins.FolderOptions, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.fresh(hosting(options)))

describe("a folder of plugins", () => {
  it.live("has one in each file and each directory with an index, and leaves the rest alone", () =>
    Effect.gen(function* () {
      const { makeDirectory, root, write } = yield* makeFolder
      yield* write("one.ts", source("one", "one", "1"))
      yield* write("two.mjs", source("two", "two", "2").replace(": string", ""))
      yield* makeDirectory("three/node_modules")
      yield* write("three/index.ts", source("three", "three", "3"))
      yield* makeDirectory("four/lib")
      yield* write("four/package.json", JSON.stringify({ exports: { ".": { import: "./lib/main.ts" } } }))
      yield* write("four/lib/main.ts", source("four", "four", "4"))
      for (const name of ["notes.md", "_shared.ts", ".hidden.ts", "one.test.ts", "one.d.ts"]) yield* write(name, "{")
      yield* inHost(
        { folder: root },
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* names, ["four", "one", "three", "two"])
          assert.strictEqual(yield* call("three"), "3")
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("that does not exist has none, and once it does, what is dropped into it is there", () =>
    Effect.gen(function* () {
      const { makeDirectory, remove, root, write } = yield* makeFolder
      yield* inHost(
        { folder: `${root}/later`, watch: true },
        Effect.gen(function* () {
          const host = yield* PluginHost.Service
          assert.deepStrictEqual(yield* host.states, [])
          yield* makeDirectory("later")
          yield* write("later/one.ts", source("one", "say", "1"))
          yield* untilStates(versionIs("one.ts", "1"))
          yield* remove("later")
          yield* untilStates((states) => states.length === 0)
          yield* makeDirectory("later")
          yield* write("later/two.ts", source("two", "say", "2"))
          yield* untilStates(versionIs("two.ts", "2"))
          assert.strictEqual(yield* call("say"), "2")
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("that is watched follows what appears, changes, breaks, is mended and goes", () =>
    Effect.gen(function* () {
      const { remove, root, write } = yield* makeFolder
      yield* inHost(
        { folder: root, watch: true },
        Effect.gen(function* () {
          yield* write("one.ts", source("one", "say", "1"))
          yield* untilStates(versionIs("one.ts", "1"))
          assert.strictEqual(yield* call("say"), "1")
          yield* write("one.ts", source("one", "say", "2"))
          yield* untilStates(versionIs("one.ts", "2"))
          assert.strictEqual(yield* call("say"), "2")
          yield* write("one.ts", source("one", "say", "3").replace("export default", "export default ?"))
          yield* untilStates(statusIs("one.ts", "Outdated"))
          assert.strictEqual(yield* call("say"), "2")
          yield* write("one.ts", source("one", "say", "4"))
          yield* untilStates(versionIs("one.ts", "4"))
          assert.strictEqual(yield* call("say"), "4")
          yield* remove("one.ts")
          yield* untilStates((states) => states.length === 0)
          assert.deepStrictEqual(yield* names, [])
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("is not loaded again when nothing in it has changed", () =>
    Effect.gen(function* () {
      const { root, write } = yield* makeFolder
      yield* write("one.ts", source("one", "say", "1"))
      let imports = 0
      const counting = (url: string) => (imports++, importModule(url))
      yield* inHost(
        { folder: root, watch: true, importModule: counting },
        Effect.gen(function* () {
          yield* write("one.ts", source("one", "say", "1"))
          yield* write("two.ts", source("two", "other", "1"))
          yield* untilStates(versionIs("two.ts", "1"))
          assert.strictEqual(imports, 2)
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("that cannot be watched is looked at now and then", () =>
    Effect.gen(function* () {
      const { root, write } = yield* makeFolder
      const fs = yield* FileSystem.FileSystem
      const blind = Layer.succeed(FileSystem.FileSystem, { ...fs, watch: (path) => fs.watch(`${path}/nowhere`) })
      const program = Effect.gen(function* () {
        yield* write("one.ts", source("one", "say", "1"))
        yield* untilStates(versionIs("one.ts", "1"))
        yield* write("one.ts", source("one", "say", "2"))
        yield* untilStates(versionIs("one.ts", "2"))
        assert.strictEqual(yield* call("say"), "2")
      })
      const layer = Plugins.layerFolder({ folder: root, watch: true, importModule, debounce: 10, pollInterval: 20 })
      yield* Effect.provide(
        program,
        Layer.provideMerge(Layer.provide(layer, blind), hosting({ folder: `${root}/none` }))
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("that cannot be read for a while keeps what it had", () =>
    Effect.gen(function* () {
      const { root, write } = yield* makeFolder
      yield* write("one.ts", source("one", "say", "1"))
      const fs = yield* FileSystem.FileSystem
      const reads = yield* Ref.make<ReadonlyArray<"denied" | "given">>([])
      const refused = PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "list" })
      let isDenied = false
      const moody = Layer.succeed(FileSystem.FileSystem, {
        ...fs,
        watch: (path) => fs.watch(`${path}/nowhere`),
        readDirectoryEntries: (path) =>
          Ref.update(reads, (before) => [...before, isDenied ? ("denied" as const) : ("given" as const)]).pipe(
            Effect.andThen(isDenied ? Effect.fail(refused) : fs.readDirectoryEntries(path))
          )
      })
      const program = Effect.gen(function* () {
        isDenied = true
        yield* Effect.repeat(Effect.andThen(Effect.sleep(1), Ref.get(reads)), {
          until: (all) => all.filter((read) => read === "denied").length > 1
        })
        assert.strictEqual(yield* call("say"), "1")
        isDenied = false
        yield* write("one.ts", source("one", "say", "2"))
        yield* untilStates(versionIs("one.ts", "2"))
      })
      const layer = Plugins.layerFolder({ folder: root, watch: true, importModule, debounce: 10, pollInterval: 20 })
      yield* Effect.provide(
        program,
        Layer.provideMerge(Layer.provide(layer, moody), hosting({ folder: `${root}/none` }))
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("takes a change in any file of a directory for a new version", () =>
    Effect.gen(function* () {
      const { makeDirectory, root, write } = yield* makeFolder
      yield* makeDirectory("many/lib")
      yield* write("many/index.ts", source("many", "say", "1"))
      yield* inHost(
        { folder: root, watch: true },
        Effect.gen(function* () {
          const host = yield* PluginHost.Service
          assert.isTrue(versionIs("many", "1")(yield* host.states))
          const changes = yield* Effect.forkChild(Stream.runCollect(Stream.take(Stream.drop(host.changes, 1), 2)), {
            startImmediately: true
          })
          yield* write("many/lib/other.json", "{}")
          const [loading, active] = yield* Fiber.join(changes)
          assert.isTrue(loading !== undefined && statusIs("many", "Loading")(loading))
          assert.isTrue(active !== undefined && statusIs("many", "Active")(active))
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("installs only the last of the changes that come while a plugin is being installed", () =>
    Effect.gen(function* () {
      const { root, write } = yield* makeFolder
      const started = yield* Queue.unbounded<string>()
      const go = yield* Deferred.make<void>()
      const slowly = async (url: string) => {
        Queue.offerUnsafe(started, url)
        await Effect.runPromise(Deferred.await(go))
        return importModule(url)
      }
      yield* inHost(
        { folder: root, watch: true, importModule: slowly },
        Effect.gen(function* () {
          yield* write("one.ts", source("one", "say", "1"))
          yield* Queue.take(started)
          for (const version of ["2", "3", "4"]) {
            yield* write("one.ts", source("one", "say", version))
            yield* write(`mark${version}.ts`, source(`mark${version}`, `mark${version}`, version))
            // The host has seen the change of this plugin by the time it loads the other.
            yield* Effect.repeat(Queue.take(started), { until: (url) => url.includes(`mark${version}`) })
          }
          yield* Deferred.succeed(go, undefined)
          const isOne = (url: string) => url.includes("one.ts")
          yield* Effect.repeat(Queue.take(started), { until: isOne })
          yield* write("mark5.ts", source("mark5", "mark5", "5"))
          const others: Array<string> = []
          yield* Effect.repeat(Queue.take(started), { until: (url) => others.push(url) > 0 && url.includes("mark5") })
          assert.isFalse(others.some(isOne))
          yield* untilStates(versionIs("one.ts", "4"))
        })
      )
    }).pipe(Effect.provide(Disk))
  )

  it.live("keeps the other plugins going while one of them hangs", () =>
    Effect.gen(function* () {
      const { root, write } = yield* makeFolder
      const hanging = `import { PromisePlugin } from "@haft/plugin-api"
export default PromisePlugin.make({ id: "hangs", install: () => new Promise(() => {}) })`
      yield* inHost(
        { folder: root, watch: true },
        Effect.gen(function* () {
          yield* write("hangs.ts", hanging)
          yield* untilStates(statusIs("hangs.ts", "Loading"))
          yield* write("one.ts", source("one", "say", "1"))
          yield* untilStates(versionIs("one.ts", "1"))
          yield* write("one.ts", source("one", "say", "2"))
          yield* untilStates(versionIs("one.ts", "2"))
          const host = yield* PluginHost.Service
          assert.isTrue(statusIs("hangs.ts", "Loading")(yield* host.states))
        })
      )
    }).pipe(Effect.provide(Disk))
  )
})

describe("a plugin that cannot be loaded", () => {
  const failureOf = (path: string) =>
    Effect.map(Effect.flip(load(path)), ({ message, reason }) => [reason, message] as const)

  it.live("says which file it is, what is wrong and what to do", () =>
    Effect.gen(function* () {
      const { makeDirectory, root, write } = yield* makeFolder
      const expect = Effect.fnUntraced(function* (path: string, reason: string, ...parts: ReadonlyArray<string>) {
        const [found, message] = yield* failureOf(`${root}/${path}`)
        assert.strictEqual(found, reason, message)
        for (const part of [path, ...parts]) assert.include(message, part)
      })
      yield* expect("nothing.ts", "NotFound", "Look whether the path is right")
      yield* write("readme.md", "")
      yield* expect("readme.md", "NotLoaded", "ends in .ts, .mts, .js or .mjs")
      yield* makeDirectory("empty")
      yield* expect("empty", "NotLoaded", "Add an index")
      yield* write("throws.ts", `throw new Error("no such database")`)
      yield* expect("throws.ts", "NotLoaded", "no such database", "Mend what its module does")
      yield* write("nothing.mjs", "export const plugin = 1")
      yield* expect("nothing.mjs", "NotAPlugin", "no default export", "export default Plugin.make")
      yield* write("object.mjs", `export default { id: "x", install() {} }`)
      yield* expect("object.mjs", "NotAPlugin", "Plugin.make or PromisePlugin.make")
    }).pipe(Effect.provide(Disk))
  )
})
