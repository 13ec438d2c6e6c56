/**
 * What one provider turn may call: the definitions that a model was shown, and the way to settle calls against exactly
 * those. It holds identities and no executors, so keeping one keeps no tool alive.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { InvalidOutput } from "./InvalidOutput.ts"
import type * as OutputStore from "./OutputStore.ts"
import type { Settlement } from "./Settlement.ts"
import type * as SettlementStore from "./SettlementStore.ts"
import { SideEffect } from "./SideEffect.ts"
import type * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"

/** One call of the model, and where it stands in the session. */
export interface Request extends Omit<Tool.Context, "toolCallID"> {
  readonly call: ToolCall
  /**
   * Time for this call. The smallest of the request's, the turn's and the tool's own limit counts. It is kept against an
   * executor that ignores interruption, but not against a loop that never yields, which nothing in one thread can stop;
   * and what has begun is recorded, however long the store takes for that.
   */
  readonly timeoutMs?: number
  /** Executes a call once more that ended without a settlement. The host answers for what may happen twice. */
  readonly repeat?: boolean
}

/** The call ended before, and not in a settlement that could be given again. */
export class CallAlreadyEnded extends Schema.TaggedError<CallAlreadyEnded>()("Materialization.CallAlreadyEnded", {
  /** How it ended. `Unfinished`: its process died, and nobody knows how far it came. */
  end: Schema.Literals(["Interrupted", "Died", "Operational", "Unfinished"]),
  effect: SideEffect
}) {}

/** Another process is executing the call right now. */
export class CallInProgress extends Schema.TaggedError<CallInProgress>()("Materialization.CallInProgress", {}) {}

/** The executor was interrupted, by itself or by whoever had registered it, although nobody had interrupted the call. */
export class SelfInterrupted extends Schema.TaggedError<SelfInterrupted>()("Materialization.SelfInterrupted", {
  effect: SideEffect
}) {}

/** Our side failed, so there is nothing to show to a model. What happens next is the runner's policy. */
export type SettleError =
  | InvalidOutput
  | OutputStore.StorageError
  | SettlementStore.StorageError
  | CallAlreadyEnded
  | CallInProgress
  | SelfInterrupted

export interface Materialization {
  /** Sorted by name. The same set of tools gives the same objects in every turn. */
  readonly definitions: ReadonlyArray<ToolDefinition>
  /** Ends in one settlement for each call identity, however often it is asked. Interruption and defects pass through. */
  readonly settle: (request: Request) => Effect.Effect<Settlement, SettleError>
}
