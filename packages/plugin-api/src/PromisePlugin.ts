/**
 * A plugin for authors who write promises. The contract is the same as that of `Plugin.make`: it is installed once in each
 * Location, with what it declared and was granted, and everything it registers goes with it.
 */
import type * as Capability from "./Capability.ts"
import type { Promised } from "./internal/promised.ts"
import { installing } from "./internal/promiseInstall.ts"
import * as Plugin from "./Plugin.ts"
import type * as PromiseTool from "./PromiseTool.ts"

export type { Promised } from "./internal/promised.ts"

/** The capabilities that were declared, by name, with promises where Effect authors have effects. */
export type Granted<C extends ReadonlyArray<Capability.Any>> = {
  readonly [One in C[number] as Capability.Name<One>]: Promised<Capability.Shape<One>>
}

/** What install is given. */
export interface Setup<C extends ReadonlyArray<Capability.Any>> {
  /**
   * Adds tools, written as plain objects, until the plugin goes: all of them or, if one is bad, none. What it rejects with
   * fails the install, whether somebody waits for it or not.
   */
  readonly register: <Inputs extends Readonly<Record<string, PromiseTool.InputSchema>>>(tools: {
    readonly [Name in keyof Inputs]: PromiseTool.Options<Inputs[Name]>
  }) => Promise<void>
  readonly capabilities: Granted<C>
  /** Aborted when the plugin goes, and when its install is given up. */
  readonly signal: AbortSignal
  /** Runs when the plugin goes, after its last call. The last one added runs first. */
  readonly onClose: (cleanup: () => Promise<void> | void) => void
}

/** What a plugin is made from. */
export interface Options<C extends ReadonlyArray<Capability.Any>> {
  readonly id: string
  readonly version?: string
  /** What it asks for. Its host grants all of it, or does not install it. */
  readonly capabilities?: C
  readonly install: (setup: Setup<C>) => Promise<void> | void
}

/** Never throws: options that make no sense are told when the plugin is installed. */
export const make = <const C extends ReadonlyArray<Capability.Any> = readonly []>(
  options: Options<C>
): Plugin.Plugin => {
  const { install } = options
  return Plugin.make<C>({
    ...options,
    install: typeof install === "function" ? installing(options.capabilities ?? [], install) : install
  })
}
