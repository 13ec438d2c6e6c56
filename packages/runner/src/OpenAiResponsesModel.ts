/** Models of OpenAI, by the Responses API. Nothing is kept at OpenAI: every request has the whole conversation. */
import * as ModelCompatibility from "@haft/registry/ModelCompatibility"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Http from "./internal/http.ts"
import { ResponsesReader } from "./internal/responsesEvents.ts"
import * as Items from "./internal/responsesItems.ts"
import * as Model from "./Model.ts"

/** Which model, and how it is asked. */
export interface Options {
  readonly model: string
  readonly apiKey: Redacted.Redacted
  /** With the version, as in the default. */
  readonly baseUrl?: string
  /** Of one answer, thoughts included; what the model can if not given. */
  readonly maxTokens?: number
  /** For models that think. Their thoughts are replayed to them, encrypted. */
  readonly reasoning?: "low" | "medium" | "high"
  /** Whether the model is held to the schemas of tools. Some tools have to be left out then. */
  readonly strict?: boolean
  /** Goes into the body of every request, over everything else: `{ temperature: 0 }`. */
  readonly extra?: Schema.JsonObject
  /** How long nothing may come. */
  readonly idleTimeout?: Duration.Input
}

/** Where OpenAI answers. */
export const defaultBaseUrl = "https://api.openai.com/v1"

/** Needs an `HttpClient`, such as Effect's `FetchHttpClient.layer`. */
export const layer = (options: Options): Layer.Layer<Model.Service, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model.Service,
    Effect.map(HttpClient.HttpClient, (client) => {
      const profile = options.strict === true ? ModelCompatibility.openaiStrict : ModelCompatibility.openai
      const endpoint = endpointOf(options, profile.provider)
      return {
        profile,
        stream: (request) =>
          Stream.suspend(() => {
            const reader = new ResponsesReader(endpoint)
            return Http.post(client, endpoint, bodyOf(options, request, profile.provider)).pipe(
              Stream.mapEffect((data) => reader.read(data)),
              Stream.flattenIterable
            )
          })
      }
    })
  )

const endpointOf = ({ apiKey, baseUrl = defaultBaseUrl, idleTimeout }: Options, provider: string): Http.Endpoint => ({
  provider,
  apiKey,
  url: Http.urlOf(baseUrl, "/responses"),
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  idleTimeout: idleTimeout ?? Http.defaultIdleTimeout
})

const bodyOf = (options: Options, { messages, system, tools }: Model.Request, provider: string): object => {
  const { maxTokens, model, reasoning, strict = false } = options
  return {
    model,
    stream: true,
    store: false,
    ...(system === undefined || system.trim() === "" ? {} : { instructions: system }),
    input: Items.itemsOf(messages, reasoning === undefined ? undefined : provider),
    ...(tools.length === 0 ? {} : { tools: Items.toolsOf(tools, strict) }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(reasoning === undefined
      ? {}
      : { reasoning: { effort: reasoning, summary: "auto" }, include: ["reasoning.encrypted_content"] }),
    ...options.extra
  }
}
