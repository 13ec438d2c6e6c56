/**
 * Models on servers that speak OpenAI's Chat Completions: llama.cpp, Ollama, vLLM, LM Studio, and many in the cloud. For
 * OpenAI's own models `OpenAiResponsesModel` is the better way.
 */
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ChatReader } from "./internal/chatEvents.ts"
import * as Messages from "./internal/chatMessages.ts"
import * as Http from "./internal/http.ts"
import * as Model from "./Model.ts"

/** Which model, where, and how it is asked. */
export interface Options {
  readonly model: string
  /** Such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  /** Local servers need none. */
  readonly apiKey?: Redacted.Redacted
  /** Of one answer; what the server allows if not given. */
  readonly maxTokens?: number
  /** The dialect that tools are shown in: any JSON Schema, unless the server is pickier. */
  readonly profile?: ModelCompatibility.Profile
  /** Goes into the body of every request, over everything else: `{ temperature: 0 }`. */
  readonly extra?: Schema.JsonObject
  /** How long nothing may come. */
  readonly idleTimeout?: Duration.Input
}

/** Needs an `HttpClient`, such as Effect's `FetchHttpClient.layer`. */
export const layer = (options: Options): Layer.Layer<Model.Service, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model.Service,
    Effect.map(HttpClient.HttpClient, (client) => {
      const profile = options.profile ?? ModelCompatibility.openaiCompatible
      const endpoint = endpointOf(options, profile.provider)
      return {
        profile,
        stream: (request) =>
          Stream.suspend(() => {
            const reader = new ChatReader(endpoint)
            return Http.post(client, endpoint, bodyOf(options, request)).pipe(
              Stream.mapEffect((data) => reader.read(data)),
              Stream.concat(Stream.suspend(() => Stream.succeed(reader.hasFinished ? reader.end() : []))),
              Stream.flattenIterable
            )
          })
      }
    })
  )

const endpointOf = ({ apiKey, baseUrl, idleTimeout }: Options, provider: string): Http.Endpoint => ({
  provider,
  apiKey,
  url: Http.urlOf(baseUrl, "/chat/completions"),
  headers: (key): Readonly<Record<string, string>> => (key === "" ? {} : { authorization: `Bearer ${key}` }),
  idleTimeout: idleTimeout ?? Http.defaultIdleTimeout
})

const bodyOf = (options: Options, { messages, system, tools }: Model.Request): object => ({
  model: options.model,
  stream: true,
  stream_options: { include_usage: true },
  messages: Messages.messagesOf(system, messages),
  ...(tools.length === 0 ? {} : { tools: Messages.toolsOf(tools) }),
  ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
  ...options.extra
})
