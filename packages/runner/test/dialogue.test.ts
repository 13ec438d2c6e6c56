import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { AnthropicModel, History, type Model, OpenAiChatModel, OpenAiResponsesModel, Runner } from "@haft/runner"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { crumbled, serve, sse } from "./support/provider.ts"
import * as Recordings from "./support/recordings.ts"
import { anthropicFaults } from "./support/rules/anthropic.ts"
import { chatFaults } from "./support/rules/chat.ts"
import { responsesFaults } from "./support/rules/responses.ts"
import * as Running from "./support/running.ts"

const apiKey = Redacted.make("key")

const dialogues = [
  {
    name: "Anthropic",
    layer: (baseUrl: string) => AnthropicModel.layer({ model: "m", baseUrl, apiKey, thinking: 1_024 }),
    calls: Recordings.anthropic,
    last: [
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" }
    ],
    faults: anthropicFaults
  },
  {
    name: "OpenAI Responses",
    layer: (baseUrl: string) => OpenAiResponsesModel.layer({ model: "m", baseUrl, apiKey, reasoning: "low" }),
    calls: Recordings.responses,
    last: [
      { type: "response.output_text.delta", delta: "Done" },
      { type: "response.completed", response: {} }
    ],
    faults: responsesFaults
  },
  {
    name: "Chat Completions",
    layer: (baseUrl: string) => OpenAiChatModel.layer({ model: "m", baseUrl }),
    calls: Recordings.chat,
    last: [{ choices: [{ delta: { content: "Done" }, finish_reason: "stop" }] }, "[DONE]"],
    faults: chatFaults
  }
] as const

const read = Tool.make({
  description: "Reads a file",
  input: Schema.Struct({ path: Schema.String }),
  output: Schema.String,
  execute: ({ path }) => Effect.succeed(`contents of ${path}`)
})

const process = (model: Layer.Layer<Model.Service>) =>
  Runner.layer.pipe(Layer.provideMerge(Layer.mergeAll(model, History.layerMemory, Testing.layer)))

describe.each(dialogues)("a session with $name", ({ calls, faults, last, layer }) => {
  it.live("goes through a refusal, two calls at once and a second turn, by the rules all the way", () =>
    Effect.gen(function* () {
      const server = yield* serve([
        { status: 429, headers: { "retry-after-ms": "1" }, pieces: ["{}"] },
        { pieces: crumbled(sse(calls)) },
        { pieces: [sse(last)] }
      ])
      const events = yield* Effect.gen(function* () {
        yield* Running.register({ read, list: Running.echo })
        const runner = yield* Runner.Service
        const registry = yield* ToolRegistry.Service
        return yield* Stream.runCollect(
          runner.run({
            sessionID: Running.sessionID,
            agent: Running.agent,
            prompt: "Look",
            system: "Be brief.",
            tools: registry.materialize()
          })
        )
      }).pipe(Effect.provide(process(Layer.provide(layer(server.url), FetchHttpClient.layer))))
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Retrying" ? [event.delayMs] : [])),
        [1]
      )
      const settled = events.flatMap((event) => (event._tag === "CallSettled" ? [event.settlement._tag] : []))
      assert.deepStrictEqual(settled, ["Succeeded", "Succeeded"])
      const end = events.at(-1)
      assert.isTrue(end?._tag === "Ended" && end.conclusion.text === "Done")
      assert.strictEqual(server.asked.length, 3)
      for (const { body } of server.asked) assert.deepStrictEqual(faults(body), [])
    })
  )
})
