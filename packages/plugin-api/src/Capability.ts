/**
 * Something that a plugin asks for by name and a host may grant: a service tag whose name people can judge. A plugin that
 * was not granted what it declares is not installed, and what it does not declare it is not handed.
 */
import * as Context from "effect/Context"

const prefix = "@haft/plugin-api/Capability/"

/** The key of a capability's tag. */
export type Key<Name extends string = string> = `${typeof prefix}${Name}`

/** Any capability. No other service tag fits, so a plugin cannot ask for the inside of its host. */
export interface Any extends Context.Key<unknown, unknown> {
  readonly key: Key
}

/** What an effect needs that uses the capability. */
export type Identifier<C extends Any> = Context.Service.Identifier<C>

/** What the holder of the capability can do. */
export type Shape<C extends Any> = Context.Service.Shape<C>

/** The name of a capability, for the compiler. */
export type Name<C extends Any> = C["key"] extends Key<infer N> ? N : never

/**
 * Declares a capability: `class Clipboard extends Capability.Service<Clipboard, Interface>()("clipboard") {}`. Two of the
 * same name are one capability, whichever packages they are in.
 */
export const Service = <Self, Shape>() => {
  const service = Context.Service<Self, Shape>()
  return <const N extends string>(name: N) => service(`${prefix}${name}` as Key<N>)
}

/** The name under which people are asked about it. */
export const nameOf = (capability: Any): string => capability.key.slice(prefix.length)

/** Tells a capability from any other value, for authors without a compiler. */
export const isCapability = (value: unknown): value is Any =>
  Context.isKey(value) && value.key.startsWith(prefix) && value.key.length > prefix.length

/** A capability together with what a plugin gets for it. */
export interface Grant {
  readonly capability: Any
  readonly context: Context.Context<never>
}

/** Grants a capability. What is handed out is up to the host, and can differ from plugin to plugin. */
export const grant = <I, S>(
  capability: Context.ServiceClass<I, Key, S> | (Context.Key<I, S> & { readonly key: Key }),
  service: S
): Grant => ({ capability, context: Context.make(capability, service) })
