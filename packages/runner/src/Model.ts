/**
 * The port to a language model: one request, answered as a stream of parts. Whoever implements it translates a
 * conversation into what its provider accepts, and calls nothing.
 */
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type { Profile } from "@haft/registry/ModelCompatibility"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { CallResult } from "./CallResult.ts"
import type * as Message from "./Message.ts"

/** One message of a conversation with the results of its calls. A `Results` follows each answer that has calls. */
export type RequestMessage = Data.TaggedEnum<{
  User: { readonly content: ReadonlyArray<ToolContent> }
  Assistant: { readonly parts: ReadonlyArray<Message.Part> }
  Results: { readonly results: ReadonlyArray<CallResult> }
}>
/** Makes messages, for whoever asks a model. */
export const RequestMessage = Data.taggedEnum<RequestMessage>()

/** What a model is asked. */
export interface Request {
  readonly system: string | undefined
  readonly messages: ReadonlyArray<RequestMessage>
  /** In the dialect of `profile`. */
  readonly tools: ReadonlyArray<ToolDefinition>
}

/** A piece of an answer as it comes in. `Finish` is the last; an answer without one was cut off. */
export type Part = Data.TaggedEnum<{
  TextDelta: { readonly text: string }
  /** For whoever watches. What is to be replayed comes as `Reasoning`. */
  ReasoningDelta: { readonly text: string }
  Reasoning: { readonly text: string; readonly replay?: Schema.Json }
  /** Complete. Neither the id nor the name nor the input has been checked. */
  Call: { readonly id: string; readonly name: string; readonly input: string }
  Finish: { readonly stop: Exclude<Message.Stop, "interrupted">; readonly usage: Message.Usage }
}>
/** Makes parts, for whoever implements a model. */
export const Part = Data.taggedEnum<Part>()

/** Why there is no answer, as a closed set of words that programs may decide on. */
export const Reason = Schema.Literals([
  /** The key is missing, wrong or not allowed to do this. */
  "Unauthorized",
  /** Nothing is left of what was paid for. */
  "OutOfQuota",
  "RateLimited",
  "Overloaded",
  /** The conversation is longer than the model can read. */
  "TooLong",
  "InvalidRequest",
  /** The provider failed by itself. */
  "ServerError",
  "Unreachable",
  /** Nothing came for too long. */
  "Stalled",
  /** The answer ended before it was complete. */
  "CutOff",
  /** The answer is not what the provider has promised. */
  "Malformed"
])
export type Reason = typeof Reason.Type

/** There is no answer. It holds neither keys nor requests, so it can be logged. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  provider: Schema.String,
  reason: Reason,
  /** For whoever runs the model: what happened and what to do. */
  message: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  /** The provider's own words for it, short and without the key. */
  detail: Schema.optionalKey(Schema.String),
  /** How long the provider wants to be left alone. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  /** Whether the same request may succeed a little later. */
  get isTransient(): boolean {
    return transient.has(this.reason)
  }
}

const transient: ReadonlySet<Reason> = new Set([
  "RateLimited",
  "Overloaded",
  "ServerError",
  "Unreachable",
  "Stalled",
  "CutOff",
  "Malformed"
])

export interface Interface {
  /** The dialect that tools are shown in. */
  readonly profile: Profile
  /** Interrupting it ends the request. */
  readonly stream: (request: Request) => Stream.Stream<Part, ModelError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/runner/Model") {}
