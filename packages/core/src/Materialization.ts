/**
 * What one provider turn may call: the definitions that a model was shown, and the way to settle calls against exactly
 * those. It holds identities and no executors, so keeping one keeps no tool alive.
 */
import type * as Effect from "effect/Effect"
import type { InvalidOutput } from "./InvalidOutput.ts"
import type * as OutputStore from "./OutputStore.ts"
import type { Settlement } from "./Settlement.ts"
import type * as SettlementStore from "./SettlementStore.ts"
import type * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"

/** One call of the model, and where it stands in the session. */
export interface Request extends Omit<Tool.Context, "toolCallID"> {
  readonly call: ToolCall
}

/** Our side failed, so there is nothing to show to a model. What happens next is the runner's policy. */
export type SettleError = InvalidOutput | OutputStore.StorageError | SettlementStore.StorageError

export interface Materialization {
  /** Sorted by name. The same set of tools gives the same objects in every turn. */
  readonly definitions: ReadonlyArray<ToolDefinition>
  /** Ends in one settlement for each call identity, however often it is asked. Interruption and defects pass through. */
  readonly settle: (request: Request) => Effect.Effect<Settlement, SettleError>
}
