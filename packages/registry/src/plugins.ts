/**
 * Plugins from disk: one file, a directory, a package, or a folder that is followed, so that a file dropped into it is a
 * plugin a moment later. What is loaded runs in this process with all of its rights: load what you trust. Node keeps every
 * version of a module that it has ever loaded, so a process in which plugins are written all day grows.
 */
import * as Installation from "@haft/plugin-api/Installation"
import type { Plugin } from "@haft/plugin-api/Plugin"
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Folder from "./internal/pluginFolder.ts"
import { find, type Found } from "./internal/pluginFiles.ts"
import { importPlugin, type Wanted } from "./internal/pluginImport.ts"
import * as Sentences from "./internal/pluginSentences.ts"
import * as PluginHost from "./PluginHost.ts"

/** Where a project keeps its plugins, below its root. No broad permission lets a tool write there. */
export const defaultFolder = ".haft/plugins"

/** How modules are imported. */
export interface LoadOptions {
  /**
   * For programs whose modules Node does not load itself, such as tests in Vitest: imports a URL the way they do. Without
   * it, plugins get this process's `effect`, `@haft/core` and `@haft/plugin-api`, wherever they are.
   */
  readonly importModule?: (url: string) => Promise<unknown>
}

/** The plugin of a file, or of a directory that has an index or a package.json. Loads it again only if it has changed. */
export const load = Effect.fnUntraced(function* (
  target: string,
  options: LoadOptions = {}
): Effect.fn.Return<Plugin, PluginFailure, FileSystem.FileSystem | Path.Path> {
  const disk = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path }
  const absolute = disk.path.resolve(target)
  return yield* loadFound(disk.path, yield* find(disk, absolute), options)
})

/** The plugin that is the default export of an installed package, looked for as if from a file in `directory`. */
export const loadPackage = Effect.fnUntraced(function* (
  name: string,
  directory: string,
  options: LoadOptions = {}
): Effect.fn.Return<Plugin, PluginFailure, Path.Path> {
  const path = yield* Path.Path
  const parent = yield* urlOf(path, path.resolve(directory, "package.json"))
  return yield* importing(name, { specifier: name, parent, digest: "package" }, options)
})

const loadFound = Effect.fnUntraced(function* (
  path: Path.Path,
  { digest, file }: Found,
  options: LoadOptions
): Effect.fn.Return<Plugin, PluginFailure> {
  const url = yield* urlOf(path, file)
  return yield* importing(file, { specifier: url, parent: url, digest }, options)
})

const urlOf = (path: Path.Path, file: string): Effect.Effect<string, PluginFailure> =>
  Effect.mapBoth(path.toFileUrl(file), {
    onFailure: (error) => Sentences.notLoaded(file, error),
    onSuccess: ({ href }) => href
  })

const importing = Effect.fnUntraced(function* (
  name: string,
  wanted: Wanted,
  { importModule }: LoadOptions
): Effect.fn.Return<Plugin, PluginFailure> {
  const module = yield* Effect.tryPromise({
    try: () =>
      importModule === undefined ? importPlugin(wanted) : importModule(`${wanted.specifier}?haft=${wanted.digest}`),
    catch: (thrown) => Sentences.notLoaded(name, thrown)
  })
  const exported = Predicate.hasProperty(module, "default") ? module.default : undefined
  if (exported === undefined) return yield* Sentences.noDefaultExport(name)
  return yield* Effect.fromResult(Result.mapError(asPlugin(exported), (failure) => Sentences.at(name, failure)))
})

/** Who can say what a value says about itself has a plugin. */
const asPlugin = (value: unknown): Result.Result<Plugin, PluginFailure> =>
  Result.map(Installation.manifestOf(value), () => value as Plugin)

/** What a host decides about a folder of plugins. */
export interface FolderOptions extends LoadOptions {
  readonly folder: string
  /** Whether changes are followed. Otherwise the folder is read once. */
  readonly watch?: boolean
  /** How long a change is left alone, because more may come with it. */
  readonly debounce?: Duration.Input
  /** How often a folder is looked at that cannot be watched, because it is not there yet, for instance. */
  readonly pollInterval?: Duration.Input
}

/** Longer than an editor takes to write a file, and nothing that a person notices. */
export const defaultDebounce = "100 millis"

/** So that what is dropped into a new folder is there within a second. */
export const defaultPollInterval = "500 millis"

/**
 * Installs the plugins of a folder, each under its path, and is there when they have been tried. A folder that does not
 * exist has none. With `watch`, whatever appears, changes or goes afterwards is installed, replaced or removed.
 */
export const layerFolder = (
  options: FolderOptions
): Layer.Layer<never, never, PluginHost.Service | FileSystem.FileSystem | Path.Path> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const path = yield* Path.Path
      const folder: Folder.Folder = {
        disk: { fs: yield* FileSystem.FileSystem, path },
        path: path.resolve(options.folder),
        host: yield* PluginHost.Service,
        load: (found) => loadFound(path, found, options),
        debounce: Duration.fromInputUnsafe(options.debounce ?? defaultDebounce),
        pollInterval: Duration.fromInputUnsafe(options.pollInterval ?? defaultPollInterval)
      }
      const sync = yield* Folder.make(folder)
      yield* Fiber.joinAll(yield* sync.scan)
      const following = Effect.tapDefect(Folder.follow(folder, sync), (defect) =>
        Effect.logError(`The plugins in ${folder.path} are no longer followed`, defect)
      )
      if (options.watch === true) yield* Effect.forkScoped(following)
    })
  )
