/** The install of a plugin that is written with promises, as an effect. */
import * as Tools from "@haft/core/Tools"
import type * as Tool from "@haft/core/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Scope from "effect/Scope"
import * as Capability from "../Capability.ts"
import type * as Plugin from "../Plugin.ts"
import type * as PromisePlugin from "../PromisePlugin.ts"
import * as PromiseTool from "../PromiseTool.ts"
import { promised, type Run } from "./promised.ts"
import { messageOf } from "./sentences.ts"

/** Done when the function is, and all that it has registered by then is registered. */
export const installing = <C extends ReadonlyArray<Capability.Any>>(
  capabilities: ReadonlyArray<C[number]>,
  install: PromisePlugin.Options<C>["install"]
): Effect.Effect<void, unknown, Plugin.Handed<C>> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Plugin.Handed<C>>()
    const [run, fork] = [Effect.runPromiseWith(context), Effect.runForkWith(context)]
    const closing = new AbortController()
    const abort = Effect.sync(() => closing.abort())
    const registrations = new Registrations(yield* Tools.Service, yield* Effect.scope, run)
    const setup: PromisePlugin.Setup<C> = {
      register: (record) => registrations.add(toTools(record)),
      capabilities: grantedIn(context, capabilities, run),
      signal: closing.signal,
      // Not a promise: if the plugin is closed already, the cleanup runs at once, and nobody would hear of a rejection.
      onClose: (cleanup) =>
        void fork(
          Scope.addFinalizer(
            registrations.scope,
            Effect.promise(async () => cleanup())
          )
        )
    }
    const installed = Effect.tryPromise({ try: async () => install(setup), catch: Function.identity })
    yield* Effect.onError(Effect.andThen(installed, registrations.made), () => abort)
    // The last to be added is the first to run, so that what is still under way stops before it is cleaned up.
    yield* Effect.addFinalizer(() => abort)
  })

/** Keeps what registrations come to, because their author may not wait for them. */
class Registrations {
  readonly scope: Scope.Scope
  private readonly tools: Tools.Interface
  private readonly run: Run
  private pending: Array<Promise<void>> | undefined = []

  constructor(tools: Tools.Interface, scope: Scope.Scope, run: Run) {
    this.tools = tools
    this.scope = scope
    this.run = run
  }

  add(record: Readonly<Record<string, Tool.Any>>): Promise<void> {
    const added = this.run(Scope.provide(this.tools.register(record), this.scope))
    // Without a handler of ours, a rejection that the author does not wait for would end the process.
    added.catch((error) => this.late(error))
    this.pending?.push(added)
    return added
  }

  /** From here on nobody waits for a registration but its author. */
  readonly made = Effect.tryPromise({
    try: () => {
      const pending = this.pending
      this.pending = undefined
      return Promise.all(pending ?? [])
    },
    catch: Function.identity
  })

  private late(error: unknown): void {
    if (this.pending === undefined) void this.run(Effect.logWarning(`A registration failed: ${messageOf(error)}`))
  }
}

const toTools = <Inputs extends Readonly<Record<string, PromiseTool.InputSchema>>>(record: {
  readonly [Name in keyof Inputs]: PromiseTool.Options<Inputs[Name]>
}): Readonly<Record<string, Tool.Any>> =>
  Object.fromEntries(
    Object.entries<PromiseTool.Options<Inputs[keyof Inputs]>>(record).map(([name, tool]) => [
      name,
      PromiseTool.make(tool)
    ])
  )

/** By name. The host has granted all of them, or this would not run. */
const grantedIn = <C extends ReadonlyArray<Capability.Any>>(
  context: Context.Context<never>,
  capabilities: ReadonlyArray<C[number]>,
  run: Run
): PromisePlugin.Granted<C> =>
  Object.fromEntries(
    capabilities.map((capability) => [
      Capability.nameOf(capability),
      promised(Context.getUnsafe(context, capability), run)
    ])
  ) as PromisePlugin.Granted<C>
