/** An answer of a provider of `effect/ai` as it is streamed, and its errors. */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Message from "../Message.ts"
import * as Model from "../Model.ts"
import type { Tools } from "./aiPrompt.ts"
import { broken } from "./httpErrors.ts"
import * as Sentences from "./sentences.ts"

type AiPart = Response.StreamPart<Tools, "deferred">

interface Thought {
  text: string
  metadata: Record<string, Schema.Json>
}

/** Reads one answer. Calls that the provider executes itself are none of ours. */
export class AiReader {
  private readonly provider: string
  private readonly thoughts = new Map<string, Thought>()

  constructor(provider: string) {
    this.provider = provider
  }

  read(part: AiPart): Effect.Effect<ReadonlyArray<Model.Part>, Model.ModelError> {
    if (part.type === "error" || (part.type === "finish" && part.reason === "error")) {
      return Effect.fail(broken({ provider: this.provider, apiKey: undefined }, "ServerError"))
    }
    return Effect.succeed(this.take(part))
  }

  private take(part: AiPart): ReadonlyArray<Model.Part> {
    switch (part.type) {
      case "text-delta":
        return [Model.Part.TextDelta({ text: part.delta })]
      case "reasoning-start":
        this.think(part.id, "", part.metadata)
        return []
      case "reasoning-delta":
        this.think(part.id, part.delta, part.metadata)
        return [Model.Part.ReasoningDelta({ text: part.delta })]
      case "reasoning-end":
        return [this.thought(part.id, part.metadata)]
      case "tool-call":
        return part.providerExecuted ? [] : [callOf(part)]
      case "finish":
        return [finishOf(part)]
      default:
        return []
    }
  }

  /** What a provider wants to see again may come with any piece. */
  private think(id: string, text: string, metadata: Response.ProviderMetadata): Thought {
    const thought = this.thoughts.get(id) ?? { text: "", metadata: {} }
    thought.text += text
    for (const [key, value] of Object.entries(metadata)) if (value !== undefined) thought.metadata[key] = value
    this.thoughts.set(id, thought)
    return thought
  }

  private thought(id: string, metadata: Response.ProviderMetadata): Model.Part {
    const { metadata: replay, text } = this.think(id, "", metadata)
    return Model.Part.Reasoning({ text, replay })
  }
}

const callOf = ({ id, name, params }: Extract<AiPart, { readonly type: "tool-call" }>): Model.Part =>
  Model.Part.Call({ id, name, input: typeof params === "string" ? params : (JSON.stringify(params) ?? "{}") })

const finishOf = ({ reason, usage }: Extract<AiPart, { readonly type: "finish" }>): Model.Part => {
  const { inputTokens, outputTokens } = usage
  return Model.Part.Finish({
    stop: stops[reason] ?? "ended",
    usage: { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0, cached: inputTokens.cacheRead ?? 0 }
  })
}

const stops: Partial<Record<Response.FinishReason, Exclude<Message.Stop, "interrupted">>> = {
  length: "length",
  "content-filter": "refused",
  "tool-calls": "calls"
}

const reasons: Partial<Record<AiError.AiError["reason"]["_tag"], Model.Reason>> = {
  RateLimitError: "RateLimited",
  QuotaExhaustedError: "OutOfQuota",
  AuthenticationError: "Unauthorized",
  InternalProviderError: "ServerError",
  NetworkError: "Unreachable",
  InvalidOutputError: "Malformed",
  InvalidResponseError: "Malformed"
}

/** By its tag. What it says may quote a request. */
export const errorOf = (provider: string, error: AiError.AiError): Model.ModelError => {
  const reason = reasons[error.reason._tag] ?? "InvalidRequest"
  const { retryAfter } = error
  return new Model.ModelError({
    provider,
    reason,
    message: Sentences.modelErrors[reason],
    ...(retryAfter === undefined ? {} : { retryAfterMs: Duration.toMillis(retryAfter) })
  })
}
