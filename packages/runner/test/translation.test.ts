import { assert, describe, it } from "@effect/vitest"
import { ToolCall, ToolContent, Tools } from "@haft/core"
import { ModelCompatibility, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { AnthropicModel, type Message, Model, OpenAiChatModel, OpenAiResponsesModel } from "@haft/runner"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { bodyOf, providers } from "./support/bodies.ts"
import { serve, sse } from "./support/provider.ts"
import { echo } from "./support/running.ts"

const apiKey = Redacted.make("key")
const one = ToolCall.ID.make("one")

const pngBytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const png = ToolContent.media({ mimeType: "image/png", data: pngBytes })
const pdf = ToolContent.media({ mimeType: "application/pdf", data: new TextEncoder().encode("%PDF-"), name: "a.pdf" })
const wav = ToolContent.media({ mimeType: "audio/wav", data: Uint8Array.of(5, 6), name: "b.wav" })
const media = [ToolContent.text("Look"), png, pdf, wav]

const asking = (...messages: ReadonlyArray<Model.RequestMessage>): Model.Request => ({
  system: undefined,
  messages,
  tools: []
})

const question = Model.RequestMessage.User({ content: [ToolContent.text("Look")] })

const calling = (...parts: ReadonlyArray<Message.Part>): ReadonlyArray<Model.RequestMessage> => [
  question,
  Model.RequestMessage.Assistant({ parts: [...parts, { _tag: "Call", id: one, name: "look", input: "{}" }] }),
  Model.RequestMessage.Results({ results: [{ callID: one, name: "look", content: media, isError: false }] })
]

const note = "[b.wav, audio/wav, 2 bytes: this model cannot be shown it.]"

type Body = Readonly<Record<string, unknown>>

const [anthropic, responses, chat] = providers

describe("media", () => {
  it.effect("goes to Anthropic as images and documents, in questions and results, and as a note otherwise", () =>
    Effect.gen(function* () {
      const blocks = [
        { type: "text", text: "Look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
        { type: "text", text: note }
      ]
      const layer = AnthropicModel.layer({ model: "m", apiKey, cache: false })
      const asked = (yield* bodyOf(layer, asking(Model.RequestMessage.User({ content: media })))) as Body
      assert.deepStrictEqual(asked["messages"], [{ role: "user", content: blocks }])
      const told = (yield* bodyOf(layer, asking(...calling()))) as { readonly messages: ReadonlyArray<Body> }
      assert.deepStrictEqual(told.messages.at(-1)?.["content"], [
        { type: "tool_result", tool_use_id: "one", content: blocks }
      ])
    })
  )

  it.effect("is a note for Anthropic in the result of a call that failed, where it takes text alone", () =>
    Effect.gen(function* () {
      const results = [{ callID: one, name: "look", content: media, isError: true }]
      const messages = [...calling().slice(0, 2), Model.RequestMessage.Results({ results })]
      const body = yield* bodyOf(anthropic.layer, asking(...messages))
      assert.deepStrictEqual(anthropic.faults(body), [])
      assert.include(JSON.stringify(body), "[image/png, 8 bytes: this model cannot be shown it.]")
    })
  )

  it.effect("goes to OpenAI Responses as images and files, in questions and results, and as a note otherwise", () =>
    Effect.gen(function* () {
      const parts = [
        { type: "input_text", text: "Look" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        { type: "input_text", text: note }
      ]
      const asked = (yield* bodyOf(responses.layer, asking(Model.RequestMessage.User({ content: media })))) as Body
      assert.deepStrictEqual(asked["input"], [{ type: "message", role: "user", content: parts }])
      const told = (yield* bodyOf(responses.layer, asking(...calling()))) as { readonly input: ReadonlyArray<Body> }
      assert.deepStrictEqual(told.input.at(-1), { type: "function_call_output", call_id: "one", output: parts })
    })
  )

  it.effect("goes to Chat Completions as images in questions, and as notes everywhere else", () =>
    Effect.gen(function* () {
      const asked = (yield* bodyOf(chat.layer, asking(Model.RequestMessage.User({ content: media })))) as Body
      const pdfNote = "[a.pdf, application/pdf, 5 bytes: this model cannot be shown it.]"
      assert.deepStrictEqual(asked["messages"], [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "text", text: pdfNote },
            { type: "text", text: note }
          ]
        }
      ])
      const told = (yield* bodyOf(chat.layer, asking(...calling()))) as { readonly messages: ReadonlyArray<Body> }
      assert.deepStrictEqual(told.messages.at(-1), {
        role: "tool",
        tool_call_id: "one",
        content: `Look\n[image/png, 8 bytes: this model cannot be shown it.]\n${pdfNote}\n${note}`
      })
    })
  )
})

describe("media that is not what it says", () => {
  const images = [
    ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(1, 2, 3) }),
    ToolContent.media({ mimeType: "image/jpeg", data: pngBytes }),
    ToolContent.media({ mimeType: "image/webp", data: new TextEncoder().encode("RIFF1234WAVE") }),
    ToolContent.media({ mimeType: "application/pdf", data: pngBytes }),
    ToolContent.media({ mimeType: "image/png", data: Uint8Array.from({ ...pngBytes, length: 4_000_000 }) })
  ]

  it.effect("or is too large becomes a note, so that it does not spoil the conversation", () =>
    Effect.gen(function* () {
      for (const { layer } of providers) {
        const body = JSON.stringify(yield* bodyOf(layer, asking(Model.RequestMessage.User({ content: images }))))
        assert.strictEqual(body.match(/this model cannot be shown it/g)?.length, images.length)
      }
    })
  )
})

describe("thoughts", () => {
  const thought = (provider: string): Message.Part => ({
    _tag: "Reasoning",
    text: "hm",
    provider,
    replay: { type: "thought", of: provider }
  })

  it.effect("are replayed to the provider that they came from, while its model thinks, and to no other", () =>
    Effect.gen(function* () {
      const request = asking(...calling(thought("anthropic"), thought("openai"), thought("openai-compatible")))
      const sent = yield* Effect.forEach(providers, ({ layer }) => Effect.map(bodyOf(layer, request), JSON.stringify))
      assert.deepStrictEqual(
        sent.map((body) => body.match(/"of":"[a-z-]+"/g)),
        [['"of":"anthropic"'], ['"of":"openai"'], null]
      )
      const unthinking = [
        AnthropicModel.layer({ model: "m", apiKey }),
        OpenAiResponsesModel.layer({ model: "m", apiKey })
      ]
      for (const layer of unthinking) assert.notInclude(JSON.stringify(yield* bodyOf(layer, request)), "thought")
    })
  )
})

describe("what a model wrote that is no call", () => {
  it.effect("is shown to it again in a form that every provider takes", () =>
    Effect.gen(function* () {
      const parts: ReadonlyArray<Message.Part> = ["{", "[1]", '"text"', "", "null"].map((input, index) => ({
        _tag: "Call",
        id: ToolCall.ID.make(`call_${index}`),
        name: ["", "rm -rf /", "9lives", "é", "n".repeat(101)][index] ?? "",
        input
      }))
      const results = parts.flatMap((part) =>
        part._tag === "Call"
          ? [{ callID: part.id, name: part.name, content: [ToolContent.text("no")], isError: true }]
          : []
      )
      const request = asking(
        question,
        Model.RequestMessage.Assistant({ parts }),
        Model.RequestMessage.Results({ results })
      )
      for (const { faults, layer, name } of providers) {
        const body = yield* bodyOf(layer, request)
        assert.deepStrictEqual(faults(body), [], name)
        assert.include(JSON.stringify(body), "unreadable_arguments")
      }
    })
  )
})

describe("tools", () => {
  const definitions = Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ echo }))
    const registry = yield* ToolRegistry.Service
    return (yield* registry.materialize()).definitions
  }).pipe(Effect.provide(Testing.layer))

  it.effect("are sent as each provider wants them, and strict only where that was chosen", () =>
    Effect.gen(function* () {
      const tools = yield* definitions
      const request = { ...asking(question), tools }
      const schema = tools[0]?.inputSchema
      const sent = yield* Effect.forEach(providers, ({ layer }) => bodyOf(layer, request) as Effect.Effect<Body>)
      assert.deepStrictEqual(
        sent.map(({ tools }) => tools),
        [
          [{ name: "echo", description: "Test", input_schema: schema }],
          [{ type: "function", name: "echo", description: "Test", parameters: schema, strict: false }],
          [{ type: "function", function: { name: "echo", description: "Test", parameters: schema } }]
        ]
      )
      const strict = OpenAiResponsesModel.layer({ model: "m", apiKey, strict: true })
      const body = (yield* bodyOf(strict, request)) as { readonly tools: ReadonlyArray<Body> }
      assert.strictEqual(body.tools[0]?.["strict"], true)
      const profile = yield* Effect.map(Model.Service, ({ profile }) => profile).pipe(
        Effect.provide(Layer.provide(strict, FetchHttpClient.layer))
      )
      assert.strictEqual(profile, ModelCompatibility.openaiStrict)
    }).pipe(Effect.scoped)
  )

  it.effect("that a conversation with Anthropic refers to stand in for those that are gone", () =>
    Effect.gen(function* () {
      const body = (yield* bodyOf(anthropic.layer, asking(...calling()))) as { readonly tools: ReadonlyArray<Body> }
      assert.deepStrictEqual(
        body.tools.map(({ name }) => name),
        ["look"]
      )
    })
  )
})

describe("options", () => {
  it.effect("reach the body, and what is extra counts most", () =>
    Effect.gen(function* () {
      const extra = { temperature: 0, model: "other" }
      const layers = [
        AnthropicModel.layer({ model: "m", apiKey, maxTokens: 5, extra }),
        OpenAiResponsesModel.layer({ model: "m", apiKey, maxTokens: 5, extra }),
        OpenAiChatModel.layer({ model: "m", baseUrl: "http://127.0.0.1", maxTokens: 5, extra })
      ]
      const sent = yield* Effect.forEach(layers, (layer) => bodyOf(layer, asking(question)) as Effect.Effect<Body>)
      assert.deepStrictEqual(
        sent.map((body) => [body["model"], body["temperature"], body["stream"]]),
        sent.map(() => ["other", 0, true])
      )
      assert.deepStrictEqual(
        [sent[0]?.["max_tokens"], sent[1]?.["max_output_tokens"], sent[2]?.["max_tokens"]],
        [5, 5, 5]
      )
      assert.strictEqual(sent[1]?.["store"], false)
    })
  )

  it.effect("let Anthropic remember the system text and the conversation, unless told otherwise", () =>
    Effect.gen(function* () {
      const request = { ...asking(question, ...calling()), system: "Be brief." }
      const marks = (body: unknown) => JSON.stringify(body).match(/cache_control/g)?.length ?? 0
      assert.strictEqual(marks(yield* bodyOf(AnthropicModel.layer({ model: "m", apiKey }), request)), 2)
      const off = AnthropicModel.layer({ model: "m", apiKey, cache: false })
      assert.strictEqual(marks(yield* bodyOf(off, request)), 0)
    })
  )
})

describe("servers that speak Chat Completions in their own way", () => {
  const chunk = (delta: object, finish_reason?: string) => ({ choices: [{ delta, finish_reason }] })

  const answered = (events: ReadonlyArray<object | string>) =>
    Effect.gen(function* () {
      const server = yield* serve([{ pieces: [sse(events)] }])
      const layer = Layer.provide(OpenAiChatModel.layer({ model: "m", baseUrl: server.url }), FetchHttpClient.layer)
      const parts = yield* Stream.runCollect(
        Stream.unwrap(Effect.map(Model.Service, (model) => model.stream(asking(question))))
      ).pipe(Effect.provide(layer))
      assert.isUndefined(server.asked[0]?.headers.authorization)
      return parts.map((part) => (part._tag === "Call" ? `${part.id} ${part.name} ${part.input}` : part._tag))
    })

  it.live("without an index or an id for their calls are understood", () =>
    Effect.gen(function* () {
      const call = (name: string) => ({ function: { name, arguments: "{}" } })
      assert.deepStrictEqual(
        yield* answered([
          chunk(
            {
              tool_calls: [
                { id: "a", ...call("x") },
                { id: "b", ...call("y") }
              ]
            },
            "stop"
          ),
          "[DONE]"
        ]),
        ["a x {}", "b y {}", "Finish"]
      )
      assert.deepStrictEqual(
        yield* answered([chunk({ tool_calls: [{ index: 0, ...call("x") }] }, "tool_calls"), "[DONE]"]),
        [" x {}", "Finish"]
      )
    })
  )

  it.live("that do not say that they are done are believed if they said why they stopped", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* answered([chunk({ content: "Hi" }, "stop")]), ["TextDelta", "Finish"])
      assert.deepStrictEqual(yield* answered([chunk({ content: "Hi" })]), ["TextDelta"])
      assert.deepStrictEqual(yield* answered([chunk({ content: "Hi" }), "[DONE]"]), ["TextDelta", "Finish"])
    })
  )

  it.live("that never stop are left at some point", () =>
    Effect.gen(function* () {
      const megabyte = new TextEncoder().encode(sse([chunk({ unknown: "x".repeat(1024 * 1024) })]))
      const Client = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) => {
          const body = Stream.toReadableStream(Stream.forever(Stream.succeed(megabyte)))
          return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body)))
        })
      )
      const model = Layer.provide(OpenAiChatModel.layer({ model: "m", baseUrl: "http://127.0.0.1" }), Client)
      const asked = Effect.flatMap(Model.Service, (model) => Stream.runDrain(model.stream(asking(question))))
      assert.strictEqual((yield* Effect.flip(Effect.provide(asked, model))).reason, "Malformed")
    })
  )

  it.live("that stop in the middle of a call have not finished", () =>
    Effect.gen(function* () {
      const half = chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "x", arguments: '{"a' } }] })
      assert.deepStrictEqual(yield* answered([half]), [])
      assert.deepStrictEqual(yield* answered([half, "[DONE]"]), [])
    })
  )
})
