/** A registry for tests: everything in memory, made-up ids, and nothing else to provide. */
import * as Agent from "@haft/core/Agent"
import type * as Materialization from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as ToolCall from "@haft/core/ToolCall"
import type * as Tools from "@haft/core/Tools"
import * as Layer from "effect/Layer"
import * as ApplicationTools from "./ApplicationTools.ts"
import type { ApplicationPlacement } from "./internal/applicationPlacement.ts"
import type { KeptSettlements } from "./internal/keptSettlements.ts"
import * as OutputBounds from "./OutputBounds.ts"
import * as SettlementStores from "./SettlementStores.ts"
import * as ToolRegistry from "./ToolRegistry.ts"

export { KeptSettlements } from "./internal/keptSettlements.ts"

/** One Location in a process of its own, on memory stores. */
export const layer: Layer.Layer<
  | ApplicationPlacement
  | ApplicationTools.Service
  | KeptSettlements
  | OutputBounds.Service
  | SettlementStore.Service
  | ToolRegistry.Service
  | Tools.Service
> = Layer.fresh(
  ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layerMemory(), SettlementStores.layerMemory))
  )
)

/** A call of `name` under an id that the test chooses, in a session and a message that are always the same. */
export const request = (
  name: string,
  input: unknown,
  options: { readonly id?: string } & Pick<Materialization.Request, "repeat" | "timeoutMs"> = {}
): Materialization.Request => {
  const { id = "call", ...rest } = options
  return {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("agent"),
    assistantMessageID: Session.MessageID.make("message"),
    call: { id: ToolCall.ID.make(id), name, input },
    ...rest
  }
}
