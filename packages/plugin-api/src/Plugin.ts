/**
 * A plugin: tools that come and go together, with what they need while they are there. It is installed once in each
 * Location, in a Scope of its own, with the capability to register tools and those others that it declared.
 */
import type * as Tools from "@haft/core/Tools"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Capability from "./Capability.ts"
import * as internal from "./internal/carrier.ts"
import * as Sentences from "./internal/sentences.ts"
import type { PluginFailure } from "./PluginFailure.ts"

declare const TypeId: unique symbol

/** Has no fields at run time: it can be passed on and installed, and nothing else. */
export interface Plugin {
  readonly [TypeId]: typeof TypeId
}

/** The longest that npm accepts for a package, after which most plugins are called. */
const maxLength = 214

/** Names a plugin among all of a Location: like the name of a package. */
export const ID = Schema.String.check(
  Schema.isPattern(/^[@A-Za-z0-9][A-Za-z0-9@/._-]*$/, { expected: "letters, digits, and any of @ / . _ -" }),
  Schema.isMaxLength(maxLength)
).pipe(Schema.brand("@haft/plugin-api/Plugin.ID"))
export type ID = typeof ID.Type

/** What a plugin says about itself, before anything of it runs. */
export const Manifest = Schema.Struct({
  id: ID,
  version: Schema.optionalKey(Schema.NonEmptyString),
  /** The names of what it asks for besides registering tools. */
  capabilities: Schema.Array(Schema.String)
})
export type Manifest = typeof Manifest.Type

/** What an install effect may use, if it has declared these capabilities. */
export type Handed<C extends ReadonlyArray<Capability.Any>> =
  | Scope.Scope
  | Tools.Service
  | Capability.Identifier<C[number]>

/** What a plugin is made from. */
export interface Options<C extends ReadonlyArray<Capability.Any>> {
  readonly id: string
  readonly version?: string
  /** What it asks for. Its host grants all of it, or does not install it. */
  readonly capabilities?: C
  /**
   * Registers tools and acquires what they need. Whatever its Scope holds is released when the plugin is removed or
   * replaced, after its last call has ended.
   */
  readonly install: Effect.Effect<unknown, unknown, Handed<C>>
}

/** Never throws: options that make no sense are told when the plugin is installed. */
export const make = <const C extends ReadonlyArray<Capability.Any> = readonly []>(options: Options<C>): Plugin =>
  internal.seal(read(options))

const decodeManifest = Schema.decodeUnknownResult(Manifest)

/** Authors may have no compiler, so nothing is taken for granted. */
const read = <C extends ReadonlyArray<Capability.Any>>(
  options: Options<C>
): Result.Result<internal.Content, PluginFailure> => {
  try {
    const { capabilities = [], id, install, version } = options
    if (!Array.isArray(capabilities) || !capabilities.every(Capability.isCapability)) return notCapabilities
    if (!Effect.isEffect(install)) return notAnEffect
    const names = capabilities.map(Capability.nameOf)
    return Result.mapBoth(decodeManifest({ id, capabilities: names, ...(version === undefined ? {} : { version }) }), {
      onFailure: ({ message }) => Sentences.invalidOptions(message),
      onSuccess: (manifest) => ({
        manifest,
        capabilities: [...capabilities],
        // What it needs is handed to it when it is installed, and forgotten until then.
        install: install as Effect.Effect<unknown, unknown>
      })
    })
  } catch (cause) {
    return Result.fail(Sentences.invalidOptions(Sentences.messageOf(cause)))
  }
}

const notCapabilities = Result.fail(Sentences.invalidOptions("capabilities must be a list of capabilities"))

const notAnEffect = Result.fail(
  Sentences.invalidOptions(
    "install must be an Effect; for a function that returns a promise there is PromisePlugin.make"
  )
)
