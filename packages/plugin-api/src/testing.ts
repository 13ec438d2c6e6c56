/**
 * Installs a plugin in a unit test, with capabilities that the test makes up: list its tools, call them, close it, and see
 * what it left. Neither a host nor a registry is needed, and for authors who write promises there is `start`.
 */
import * as Testing from "@haft/core/testing"
import type * as Tool from "@haft/core/Tool"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type * as Tools from "@haft/core/Tools"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type * as Capability from "./Capability.ts"
import * as Installation from "./Installation.ts"
import type * as Plugin from "./Plugin.ts"
import type { PluginFailure } from "./PluginFailure.ts"

/** What is left of a plugin that was closed. A good one leaves nothing. */
export interface Leftovers {
  /** Names that are still registered. */
  readonly tools: ReadonlyArray<string>
  /** Fibers that still run. */
  readonly fibers: number
}

/** Nothing at all. */
export const nothing: Leftovers = { tools: [], fibers: 0 }

/** An installed plugin. */
export interface Kit {
  readonly manifest: Plugin.Manifest
  /** What a model would be told now, sorted by name. */
  readonly definitions: Effect.Effect<ReadonlyArray<ToolDefinition>>
  /** Calls one of its tools with arguments as a model would send them. A name that it has not registered is a defect. */
  readonly call: (
    name: string,
    input: unknown,
    options?: Omit<Testing.Options, "name">
  ) => Effect.Effect<Testing.Called<Tool.Codec, Tool.Codec>, Testing.CallError>
  /** Calls one of its tools, and also gives what it reported and signalled. */
  readonly observe: (
    name: string,
    input: unknown,
    options?: Omit<Testing.Options, "name">
  ) => Effect.Effect<Testing.Observed<Tool.Codec, Tool.Codec>>
  /** Closes the plugin as its host would, once, and gives what is left of it. */
  readonly close: Effect.Effect<Leftovers>
}

/** Installs the plugin until the current Scope closes, or the kit is closed. */
export const install = Effect.fnUntraced(function* (
  plugin: Plugin.Plugin,
  ...grants: ReadonlyArray<Capability.Grant>
): Effect.fn.Return<Kit, PluginFailure, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const shelf = new Shelf()
  const { fibers, manifest } = yield* Installation.install(plugin, { tools: shelf, grants }).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  return {
    manifest,
    definitions: Effect.sync(() => shelf.definitions),
    call: (name, input, options) =>
      Effect.flatMap(shelf.find(name), (tool) => Testing.call(tool, input, { ...options, name })),
    observe: (name, input, options) =>
      Effect.flatMap(shelf.find(name), (tool) => Testing.observe(tool, input, { ...options, name })),
    close: Effect.andThen(
      Scope.close(scope, Exit.void),
      Effect.map(fibers, (running) => ({ tools: shelf.definitions.map(({ name }) => name), fibers: running }))
    )
  }
})

/** Where tools are registered in a test. As in a registry, the newest of a name counts. */
class Shelf implements Tools.Interface {
  private entries: ReadonlyArray<readonly [ToolDefinition, Tool.Any]> = []

  readonly register: Tools.Interface["register"] = (record) => {
    const added = Result.all(
      Object.entries(record).map(([name, tool]) =>
        Result.map(Testing.define(name, tool), (definition) => [definition, tool] as const)
      )
    )
    return Effect.flatMap(Effect.fromResult(added), (entries) =>
      Effect.acquireRelease(
        Effect.sync(() => (this.entries = [...this.entries, ...entries])),
        () => Effect.sync(() => (this.entries = this.entries.filter((entry) => !entries.includes(entry))))
      )
    )
  }

  get definitions(): ReadonlyArray<ToolDefinition> {
    const newest = new Map(this.entries.map(([definition]) => [definition.name, definition]))
    return [...newest.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1))
  }

  find(name: string): Effect.Effect<Tool.Any> {
    const entry = this.entries.findLast(([definition]) => definition.name === name)
    const names = this.definitions.map((definition) => definition.name).join(", ")
    if (entry === undefined) return Effect.die(new Error(`There is no tool called ${name}. There are: ${names}`))
    return Effect.succeed(entry[1])
  }
}

/** An installed plugin, for tests that are written with promises. */
export interface PromiseKit {
  readonly manifest: Plugin.Manifest
  /** The names of its tools, sorted. */
  readonly names: () => ReadonlyArray<string>
  /** Gives the output as JSON. Rejects with the failure that a model would read, or with the bug. */
  readonly call: (name: string, input: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>
  /** Closes the plugin and gives what is left of it. */
  readonly close: () => Promise<Leftovers>
}

/** Installs the plugin until the kit is closed. Rejects with the reason if it cannot be installed. */
export const start = async (plugin: Plugin.Plugin, ...grants: ReadonlyArray<Capability.Grant>): Promise<PromiseKit> => {
  const scope = Effect.runSync(Scope.make())
  const kit = await Effect.runPromise(Scope.provide(install(plugin, ...grants), scope))
  return {
    manifest: kit.manifest,
    names: () => Effect.runSync(kit.definitions).map(({ name }) => name),
    call: async (name, input, options) => {
      const exit = await Effect.runPromiseExit(kit.call(name, input), options)
      if (Exit.isSuccess(exit)) return exit.value.output.structured
      throw Cause.squash(exit.cause)
    },
    close: () => Effect.runPromise(kit.close)
  }
}
