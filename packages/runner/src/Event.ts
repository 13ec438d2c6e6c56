/** What happens in a run, for a user interface to show. Nothing depends on anybody reading it. */
import type * as Progress from "@haft/core/Progress"
import type { Settlement } from "@haft/core/Settlement"
import type * as ToolCall from "@haft/core/ToolCall"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Conclusion } from "./Conclusion.ts"
import type * as Message from "./Message.ts"
import type { ModelError } from "./Model.ts"

/** What somebody should know although the run goes on, as a closed set of words. */
export type WarningCode =
  /** A tool cannot be shown to this model, and was left out. */
  | "ToolLeftOut"
  /** A call had no id that can be kept, and got another one. */
  | "CallIdReplaced"
  /** The same call came twice with one id, and counts once. */
  | "CallDropped"
  /** A call was made again and again. */
  | "CallRepeated"
  /** Our side failed, or a bug ended the call; the run goes on because its policy says so. */
  | "CallTrouble"
  /** The model said nothing at all. */
  | "EmptyAnswer"

/** `Ended` is the last, unless the run fails or is interrupted. */
export type Event = Data.TaggedEnum<{
  /** A turn that an earlier run left open was closed. None of its calls ran again. */
  Recovered: { readonly calls: ReadonlyArray<EndedCall> }
  TurnStarted: { readonly turn: number }
  TextDelta: { readonly text: string }
  ReasoningDelta: { readonly text: string }
  /** The request is made again; what came of this turn so far does not count. */
  Retrying: { readonly error: ModelError; readonly attempt: number; readonly delayMs: number }
  /** The answer is complete and durable. */
  Answered: { readonly message: Message.Assistant }
  /** `interrupt` stops this call and no other. */
  CallStarted: { readonly call: Message.Call; readonly interrupt: Effect.Effect<void> }
  CallProgress: { readonly callID: ToolCall.ID; readonly update: Progress.Update }
  CallSettled: { readonly call: Message.Call; readonly settlement: Settlement }
  /** The call has no result, and the model is told why. */
  CallUnsettled: { readonly call: Message.Call; readonly end: Message.Synthetic }
  Warning: { readonly code: WarningCode; readonly message: string; readonly callID?: ToolCall.ID }
  /** All calls of the turn have ended, and that is durable. */
  TurnEnded: { readonly turn: number; readonly usage: Message.Usage }
  Ended: { readonly conclusion: Conclusion }
}>

/** One call of a turn that was left open, and how it ended. */
export interface EndedCall {
  readonly call: Message.Call
  readonly end: Message.End
}

/** Constructors, and `$match` to tell events apart. */
export const Event = Data.taggedEnum<Event>()
