/** A registry for tests: everything in memory, ids that are the same in every run, and a probe in its store. */
import * as Agent from "@haft/core/Agent"
import type * as Materialization from "@haft/core/Materialization"
import type * as OutputStore from "@haft/core/OutputStore"
import * as Session from "@haft/core/Session"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as ToolCall from "@haft/core/ToolCall"
import type * as Tools from "@haft/core/Tools"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApplicationTools from "./ApplicationTools.ts"
import type { ApplicationPlacement } from "./internal/applicationPlacement.ts"
import * as Probe from "./internal/probe.ts"
import * as OutputBounds from "./OutputBounds.ts"
import * as OutputStores from "./OutputStores.ts"
import * as SettlementStores from "./SettlementStores.ts"
import * as ToolRegistry from "./ToolRegistry.ts"

export { healthy, type Meanwhile, type Operation, Probe, type Probed } from "./internal/probe.ts"

const layerStore = Probe.layer.pipe(Layer.provide(SettlementStores.layerMemory))

/** One Location in a process of its own, on memory stores. */
export const layer: Layer.Layer<
  | ApplicationPlacement
  | ApplicationTools.Service
  | OutputBounds.Service
  | OutputStore.Service
  | Probe.Probe
  | SettlementStore.Service
  | ToolRegistry.Service
  | Tools.Service
> = Layer.fresh(
  ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), layerStore)),
    Layer.provideMerge(OutputStores.layerMemory())
  )
)

/** Fails one operation of the store, and lets the others through. */
export const failing =
  (broken: Probe.Operation): Probe.Meanwhile =>
  (operation) =>
    operation === broken ? Effect.fail(new SettlementStore.StorageError({ operation })) : Effect.void

/** What a test may choose about a call. */
export type RequestOptions = { readonly id?: string } & Pick<Materialization.Request, "repeat" | "timeoutMs">

/** A call of `name` under an id that the test chooses, in a session and a message that are always the same. */
export const request = (name: string, input: unknown, options: RequestOptions = {}): Materialization.Request => {
  const { id = "call", ...rest } = options
  return {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("agent"),
    assistantMessageID: Session.MessageID.make("message"),
    call: { id: ToolCall.ID.make(id), name, input },
    ...rest
  }
}

/** Makes requests like `request`, each for a call of its own: `call-1`, `call-2` and so on, the same in every run. */
export const numbered = (): typeof request => {
  let count = 0
  return (name, input, options) => request(name, input, { id: `call-${++count}`, ...options })
}
