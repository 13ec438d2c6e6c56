/** Claude, by Anthropic's Messages API. */
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AnthropicReader } from "./internal/anthropicEvents.ts"
import * as Messages from "./internal/anthropicMessages.ts"
import * as Http from "./internal/http.ts"
import * as Model from "./Model.ts"

/** Which model, and how it is asked. */
export interface Options {
  readonly model: string
  readonly apiKey: Redacted.Redacted
  /** With the version, as in the default. */
  readonly baseUrl?: string
  /** Of one answer. */
  readonly maxTokens?: number
  /** Lets the model think before it answers: for so many tokens, or for as many as it finds right. */
  readonly thinking?: number | "adaptive"
  /** Whether what was sent before is remembered by the provider for a while, which makes long sessions cheap. */
  readonly cache?: boolean
  /** Goes into the body of every request, over everything else: `{ temperature: 0 }`. */
  readonly extra?: Schema.JsonObject
  /** How long nothing may come. */
  readonly idleTimeout?: Duration.Input
}

/** Where Anthropic answers. */
export const defaultBaseUrl = "https://api.anthropic.com/v1"

/** What every Claude since 3.5 may write. */
export const defaultMaxTokens = 8_192

/** The version of the API that this module speaks. */
const version = "2023-06-01"

/** Needs an `HttpClient`, such as Effect's `FetchHttpClient.layer`. */
export const layer = (options: Options): Layer.Layer<Model.Service, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model.Service,
    Effect.map(HttpClient.HttpClient, (client) => {
      const endpoint = endpointOf(options)
      return {
        profile: ModelCompatibility.anthropic,
        stream: (request) =>
          Stream.suspend(() => {
            const reader = new AnthropicReader(endpoint)
            return Http.post(client, endpoint, bodyOf(options, request)).pipe(
              Stream.mapEffect((data) => reader.read(data)),
              Stream.flattenIterable
            )
          })
      }
    })
  )

const endpointOf = ({ apiKey, baseUrl = defaultBaseUrl, idleTimeout }: Options): Http.Endpoint => ({
  provider: ModelCompatibility.anthropic.provider,
  apiKey,
  url: Http.urlOf(baseUrl, "/messages"),
  headers: (key) => ({ "x-api-key": key, "anthropic-version": version }),
  idleTimeout: idleTimeout ?? Http.defaultIdleTimeout
})

const bodyOf = (options: Options, { messages, system, tools }: Model.Request): object => {
  const { cache = true, maxTokens = defaultMaxTokens, model, thinking } = options
  const replaysTo = thinking === undefined ? undefined : ModelCompatibility.anthropic.provider
  const conversation = Messages.messagesOf(messages, replaysTo)
  const shown = Messages.toolsOf(tools, messages)
  const instructions = system === undefined || system.trim() === "" ? [] : [{ type: "text", text: system }]
  return {
    model,
    max_tokens: typeof thinking === "number" ? maxTokens + thinking : maxTokens,
    stream: true,
    ...(instructions.length === 0 ? {} : { system: cache ? Messages.markLast(instructions) : instructions }),
    messages: cache ? Messages.cached(conversation) : conversation,
    ...(shown.length === 0 ? {} : { tools: shown }),
    ...(thinking === undefined ? {} : { thinking: thinkingOf(thinking) }),
    ...options.extra
  }
}

const thinkingOf = (thinking: number | "adaptive") =>
  thinking === "adaptive" ? { type: thinking } : { type: "enabled", budget_tokens: thinking }
