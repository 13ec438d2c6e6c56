/** Why a run failed. Its history can be replayed all the same. */
import type { SettleError } from "@haft/core/Materialization"
import * as Session from "@haft/core/Session"
import type * as SettlementStore from "@haft/core/SettlementStore"
import * as ToolCall from "@haft/core/ToolCall"
import type { ModelCompatibilityError } from "@haft/registry/ModelCompatibility"
import * as Schema from "effect/Schema"
import type * as History from "./History.ts"
import * as Sentences from "./internal/sentences.ts"
import type { ModelError } from "./Model.ts"

/** The session is running already, in this process or in another one. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("Runner.SessionBusy", {
  sessionID: Session.ID
}) {
  override readonly message = Sentences.sessionBusy
}

/** There is nothing in the prompt. */
export class BlankPrompt extends Schema.TaggedError<BlankPrompt>()("Runner.BlankPrompt", {}) {
  override readonly message = Sentences.blankPrompt
}

/** Our side failed while a call was settled, and the run's policy is to stop then. */
export class CallFailed extends Schema.TaggedError<CallFailed>()("Runner.CallFailed", {
  callID: ToolCall.ID,
  name: Schema.String,
  code: Schema.String,
  /** Of another type in a store's hands, so it is not part of what is written down. */
  cause: Schema.Defect()
}) {
  /** From the error that `settle` ended with. */
  static of(call: { readonly id: ToolCall.ID; readonly name: string }, error: SettleError): CallFailed {
    return new CallFailed({ callID: call.id, name: call.name, code: error._tag, cause: error })
  }
}

/** Defects and interruption are not among them: they pass through. */
export type RunError =
  | BlankPrompt
  | CallFailed
  | History.ConflictError
  | History.StorageError
  | ModelCompatibilityError
  | ModelError
  | SessionBusy
  | SettlementStore.StorageError
