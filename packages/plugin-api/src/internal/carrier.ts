/**
 * Keeps the inside of a plugin away from whoever holds it: a plugin can be passed on and installed, and install can be run
 * in no other way.
 */
import * as Result from "effect/Result"
import type { Any } from "../Capability.ts"
import type * as Plugin from "../Plugin.ts"
import type { PluginFailure } from "../PluginFailure.ts"
import type * as Effect from "effect/Effect"
import * as Sentences from "./sentences.ts"

/** What `Plugin.make` was given, with the types of its capabilities forgotten. */
export interface Content {
  readonly manifest: Plugin.Manifest
  readonly capabilities: ReadonlyArray<Any>
  /** Needs what it declared, and is run in nothing but that. */
  readonly install: Effect.Effect<unknown, unknown>
}

/** A plugin that cannot be installed keeps the reason, so that making one never throws. */
type Sealed = Result.Result<Content, PluginFailure>

const contents = new WeakMap<object, Sealed>()

const carriersKey: unique symbol = Symbol.for("@haft/plugin-api/Plugin/carriers")

/** The carriers of all copies of this package in the process: a second copy is recognised and not opened. */
const carriers = ((globalThis as { [carriersKey]?: WeakSet<object> })[carriersKey] ??= new WeakSet())

export const seal = (content: Sealed): Plugin.Plugin => {
  const carrier: Plugin.Plugin = Object.freeze(Object.create(null))
  contents.set(carrier, content)
  carriers.add(carrier)
  return carrier
}

export const unseal = (value: unknown): Sealed => {
  if (typeof value !== "object" || value === null) return Result.fail(Sentences.notAPlugin())
  return contents.get(value) ?? Result.fail(carriers.has(value) ? Sentences.foreignPlugin() : Sentences.notAPlugin())
}
