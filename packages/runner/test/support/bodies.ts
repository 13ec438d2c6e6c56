/** What the models of each provider would send, without a server. */
import { AnthropicModel, Model, OpenAiChatModel, OpenAiResponsesModel } from "@haft/runner"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { anthropicFaults } from "./rules/anthropic.ts"
import { chatFaults } from "./rules/chat.ts"
import { responsesFaults } from "./rules/responses.ts"

const apiKey = Redacted.make("key")

/** Each with the rules of its provider. */
export const providers = [
  {
    name: "Anthropic",
    layer: AnthropicModel.layer({ model: "m", apiKey, thinking: 1_024 }),
    faults: anthropicFaults
  },
  {
    name: "OpenAI Responses",
    layer: OpenAiResponsesModel.layer({ model: "m", apiKey, reasoning: "low" }),
    faults: responsesFaults
  },
  {
    name: "Chat Completions",
    layer: OpenAiChatModel.layer({ model: "m", baseUrl: "http://127.0.0.1" }),
    faults: chatFaults
  }
] as const

/** The body of the one request that a model makes, as JSON that was read back. */
export const bodyOf = (
  layer: Layer.Layer<Model.Service, never, HttpClient.HttpClient>,
  request: Model.Request
): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const bodies: Array<unknown> = []
    const Client = Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.sync(() => {
          const { body } = request
          bodies.push(JSON.parse(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""))
          return HttpClientResponse.fromWeb(request, new Response(""))
        })
      )
    )
    yield* Effect.gen(function* () {
      const model = yield* Model.Service
      yield* Effect.ignore(Stream.runDrain(model.stream(request)))
    }).pipe(Effect.provide(Layer.provide(layer, Client)))
    return bodies[0]
  })
