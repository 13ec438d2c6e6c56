/**
 * What a host does with a plugin: read its manifest, and install it with what it is handed. It is for hosts and test
 * kits; a plugin never sees it.
 */
import type * as Tool from "@haft/core/Tool"
import * as Tools from "@haft/core/Tools"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Capability from "./Capability.ts"
import { unseal } from "./internal/carrier.ts"
import { Fibers, isolate } from "./internal/isolation.ts"
import * as Sentences from "./internal/sentences.ts"
import type { Manifest } from "./Plugin.ts"
import type { PluginFailure } from "./PluginFailure.ts"

/** What a host hands to a plugin. */
export interface Handed {
  readonly tools: Tools.Interface
  /** Of these it gets those that it declared. */
  readonly grants: ReadonlyArray<Capability.Grant>
}

/** A plugin that is there. */
export interface Installed {
  readonly manifest: Manifest
  /** How many fibers it has started that still run. After its Scope has closed, they are leaks. */
  readonly fibers: Effect.Effect<number>
}

/** What a plugin says about itself, or why the value is none. Runs nothing. */
export const manifestOf = (plugin: unknown): Result.Result<Manifest, PluginFailure> =>
  Result.map(unseal(plugin), ({ manifest }) => manifest)

/**
 * Runs a plugin's install once, in the current Scope, which becomes the plugin's own. A defect of it is one of this effect,
 * and a deadline is up to the host.
 */
export const install = Effect.fnUntraced(function* (
  plugin: unknown,
  { grants, tools }: Handed
): Effect.fn.Return<Installed, PluginFailure, Scope.Scope> {
  const content = yield* Effect.fromResult(unseal(plugin))
  const granted = yield* Effect.fromResult(choose(content, grants))
  const scope = yield* Effect.scope
  const handed = Context.mergeAll(...granted.map(({ context }) => context)).pipe(
    Context.add(Tools.Service, ownedBy(scope, tools)),
    Context.add(Scope.Scope, scope)
  )
  const fibers = new Fibers()
  yield* Effect.mapError(isolate(content.install, handed, fibers), (error) => explain(content.manifest.id, error))
  return { manifest: content.manifest, fibers: Effect.sync(() => fibers.running) }
})

/** What was declared, or everything that is not granted. */
const choose = (
  { capabilities, manifest }: { readonly capabilities: ReadonlyArray<Capability.Any>; readonly manifest: Manifest },
  grants: ReadonlyArray<Capability.Grant>
): Result.Result<ReadonlyArray<Capability.Grant>, PluginFailure> => {
  const byKey = new Map(grants.map((grant) => [grant.capability.key, grant]))
  const missing = capabilities.filter(({ key }) => !byKey.has(key)).map(Capability.nameOf)
  if (missing.length > 0) return Result.fail(Sentences.notGranted(manifest.id, missing))
  return Result.succeed(capabilities.flatMap(({ key }) => byKey.get(key) ?? []))
}

/** What to say about a plugin one of whose tools was refused. */
export const badRegistration: (id: Manifest["id"], error: Tool.RegistrationError) => PluginFailure =
  Sentences.badRegistration

/** An install may fail with anything; a tool that cannot be registered is worth a sentence of its own. */
const explain = (id: Manifest["id"], error: unknown): PluginFailure =>
  isRegistrationError(error) ? badRegistration(id, error) : Sentences.failed(id, error)

const isRegistrationError = (error: unknown): error is Tool.RegistrationError =>
  Predicate.isTagged(error, "Tool.RegistrationError")

/**
 * The same capability to register, limited to the life of `scope`: whatever other Scope a registration is made in, it ends
 * with this one at the latest, and after that there are no more.
 */
export const ownedBy = (scope: Scope.Scope, tools: Tools.Interface): Tools.Interface => ({
  register: Effect.fnUntraced(function* (record) {
    const own = yield* Scope.fork(scope)
    yield* Effect.addFinalizer((exit) => Scope.close(own, exit))
    yield* Effect.onError(Scope.provide(tools.register(record), own), (cause) =>
      Scope.close(own, Exit.failCause(cause))
    )
  })
})
