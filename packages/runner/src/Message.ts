/**
 * What a conversation consists of, as a history keeps it: what a person said, what a model answered, and how the calls in
 * that answer ended. A tool's result is not in it: the settlement store has it, under the identity of the call.
 */
import * as Session from "@haft/core/Session"
import { SideEffect } from "@haft/core/SideEffect"
import * as ToolCall from "@haft/core/ToolCall"
import { ToolContent } from "@haft/core/ToolContent"
import * as Schema from "effect/Schema"

/** One piece of a model's answer, in the order in which it came. */
export const Part = Schema.TaggedUnion({
  Text: { text: Schema.String },
  /** What a model thought before it answered. `replay` is what its provider, and no other, wants to see again. */
  Reasoning: { text: Schema.String, provider: Schema.String, replay: Schema.optionalKey(Schema.Json) },
  /** `input` is the text that the model wrote as arguments; nobody has looked at it. */
  Call: { id: ToolCall.ID, name: Schema.String, input: Schema.String }
})
export type Part = typeof Part.Type

/** One call as its answer has it, under an id that is unique in the session. */
export type Call = typeof Part.cases.Call.Type

/** Why a call has no settlement to show. */
export const Reason = Schema.Literals([
  /** Somebody stopped it, or the whole run. */
  "Interrupted",
  /** A bug ended it. */
  "Died",
  /** Our side failed, such as a store. */
  "Operational",
  /** Its process died, and nobody knows how far it came. */
  "Unfinished",
  /** The run ended before its turn came. */
  "NotRun",
  /** The answer was cut off, so the call may be half of one. */
  "CutOff",
  /** It has the id of another call in the same answer, and asks for something else. */
  "DuplicateCall",
  /** There were more calls than one answer, or the whole run, may have. */
  "TooManyCalls",
  /** The same call was made again and again. */
  "Repeated",
  /** A person ended the turn. */
  "Stopped",
  /** It was rejected before it came to a registry, and `message` says why. */
  "Rejected"
])
export type Reason = typeof Reason.Type

/** How one call ended, as far as a history is concerned. */
export const End = Schema.TaggedUnion({
  /** The settlement store has the settlement. */
  Settled: { callID: ToolCall.ID },
  /** Stands where a result would, and is marked as none when a model reads it. */
  Synthetic: {
    callID: ToolCall.ID,
    reason: Reason,
    effect: SideEffect,
    message: Schema.optionalKey(Schema.String)
  }
})
export type End = typeof End.Type
/** An end that is no tool's result. */
export type Synthetic = typeof End.cases.Synthetic.Type

/** Why a model stopped. After `length`, `refused` and `interrupted` the answer may be half of one. */
export const Stop = Schema.Literals(["ended", "calls", "length", "refused", "interrupted"])
export type Stop = typeof Stop.Type

/** Tokens, as the provider counts them. `cached` are among `input`. */
export const Usage = Schema.Struct({ input: Schema.Finite, output: Schema.Finite, cached: Schema.Finite })
export type Usage = typeof Usage.Type

/** What a provider counts that does not count. */
export const noUsage: Usage = { input: 0, output: 0, cached: 0 }

/** One entry of a history. */
export const Message = Schema.TaggedUnion({
  User: { content: Schema.Array(ToolContent) },
  /** Its id is that of the calls in it, for ever. */
  Assistant: { id: Session.MessageID, parts: Schema.Array(Part), stop: Stop, usage: Usage },
  /** Follows an answer that has calls, and closes the turn: an end for each of them, in their order. */
  Closing: { ends: Schema.Array(End) }
})
export type Message = typeof Message.Type

/** What a person said, or showed. */
export type User = typeof Message.cases.User.Type
/** What a model answered. */
export type Assistant = typeof Message.cases.Assistant.Type
/** How the calls of an answer ended. */
export type Closing = typeof Message.cases.Closing.Type

/** A text, or several parts. */
export const user = (content: string | ReadonlyArray<ToolContent>): User => ({
  _tag: "User",
  content: typeof content === "string" ? [{ _tag: "Text", text: content }] : content
})

/** Made when an answer is complete. */
export const assistant = (fields: Omit<Assistant, "_tag">): Assistant => ({ _tag: "Assistant", ...fields })

/** Made when all calls of an answer have ended. */
export const closing = (ends: ReadonlyArray<End>): Closing => ({ _tag: "Closing", ends })

/** A call whose settlement is on record. */
export const settled = (callID: ToolCall.ID): End => ({ _tag: "Settled", callID })

/** A call that has no settlement, and never will. */
export const synthetic = (fields: Omit<Synthetic, "_tag">): Synthetic => ({ _tag: "Synthetic", ...fields })

/** In their order. */
export const callsOf = ({ parts }: Pick<Assistant, "parts">): ReadonlyArray<Call> =>
  parts.filter((part) => part._tag === "Call")

/** Everything that the model said, without what it thought. */
export const textOf = ({ parts }: Pick<Assistant, "parts">): string =>
  parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")
