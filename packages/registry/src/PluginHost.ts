/**
 * The plugins of one Location. Each is installed after the tools that were registered before the host, fails alone, and is
 * replaced without a moment in which its names are gone; a version that cannot be installed leaves the one before it.
 */
import * as Tools from "@haft/core/Tools"
import type * as Capability from "@haft/plugin-api/Capability"
import * as Installation from "@haft/plugin-api/Installation"
import type * as Plugin from "@haft/plugin-api/Plugin"
import type { PluginFailure } from "@haft/plugin-api/PluginFailure"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Slots from "./internal/pluginSlots.ts"
import * as internal from "./internal/pluginState.ts"

/** How a plugin stands: `Loading`, `Active`, `Outdated` (the last good version, and why the next failed) or `Failed`. */
export const Status = internal.Status
export type Status = typeof Status.Type

/** What a host knows about one plugin. */
export const State = internal.State
export type State = typeof State.Type

export interface Interface {
  /**
   * Loads and installs a plugin, in place of the one that `source` stood for until now. Never fails: what goes wrong is in
   * the state. Two of one source go one after the other.
   */
  readonly install: (source: string, plugin: Effect.Effect<Plugin.Plugin, PluginFailure>) => Effect.Effect<State>
  /** Takes a plugin away. Its running calls have the grace time to end. */
  readonly remove: (source: string) => Effect.Effect<void>
  /** In the order in which they were first installed. */
  readonly states: Effect.Effect<ReadonlyArray<State>>
  /** How they stand now, and again after each change. */
  readonly changes: Stream.Stream<ReadonlyArray<State>>
}

export class Service extends Context.Service<Service, Interface>()("@haft/registry/PluginHost") {}

/** What a host decides about its plugins. */
export interface Options {
  /** Plugins that come with the host, each under its id, installed in this order before the layer is there. */
  readonly plugins?: ReadonlyArray<Plugin.Plugin>
  /** What a plugin is granted besides registering tools. Nothing, if the host does not say. */
  readonly grants?: (manifest: Plugin.Manifest) => ReadonlyArray<Capability.Grant>
  /** How long loading may take, and installing. */
  readonly installTimeout?: Duration.Input
  /** How long the calls of a version go on after it was replaced or removed, before they are interrupted. */
  readonly grace?: Duration.Input
}

/** As long as a person waits for a program to start. */
export const defaultInstallTimeout = "10 seconds"

/** Longer than most calls, and short enough for old versions not to pile up. */
export const defaultGrace = "30 seconds"

/** Built after whatever else registers tools in the Location, so that plugins come after the built-in ones. */
export const layer = (options: Options = {}): Layer.Layer<Service, never, Tools.Service> =>
  Layer.effect(
    Service,
    Effect.gen(function* () {
      const slots = yield* Slots.make({
        tools: yield* Tools.Service,
        grants: options.grants ?? (() => []),
        installTimeout: Duration.fromInputUnsafe(options.installTimeout ?? defaultInstallTimeout),
        grace: Duration.fromInputUnsafe(options.grace ?? defaultGrace)
      })
      const host: Interface = {
        install: (source, plugin) => Slots.install(slots, source, plugin),
        remove: (source) => Slots.remove(slots, source),
        states: Effect.map(SubscriptionRef.get(slots.states), toList),
        changes: Stream.map(SubscriptionRef.changes(slots.states), toList)
      }
      yield* Effect.forEach(options.plugins ?? [], (plugin) => host.install(sourceOf(plugin), Effect.succeed(plugin)))
      return host
    })
  )

/** What is no plugin fails under this name, when it is installed. */
const sourceOf = (plugin: Plugin.Plugin): string =>
  Result.match(Installation.manifestOf(plugin), { onFailure: () => "not a plugin", onSuccess: ({ id }) => id })

const toList = (states: ReadonlyMap<string, State>): ReadonlyArray<State> => [...states.values()]
