import { assert, describe, it } from "@effect/vitest"
import { ToolContent } from "@haft/core"
import { AnthropicModel, Model, OpenAiChatModel, OpenAiResponsesModel } from "@haft/runner"
import { Cause, Effect, Exit, Fiber, Layer, Redacted, Ref, Stream, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { crumbled, type Provider, type Scripted, serve, sse } from "./support/provider.ts"
import * as Recordings from "./support/recordings.ts"

const secret = "sk-canary-0123456789"
const apiKey = Redacted.make(secret)

interface Setting {
  readonly url: string
  readonly apiKey?: Redacted.Redacted
  readonly idleTimeout?: string
}

/** Each speaks to the server as if it were its provider. */
const models = [
  {
    name: "Anthropic",
    path: "/messages",
    recording: Recordings.anthropic,
    ids: ["toolu_01", "toolu_02"],
    layer: ({ url, ...rest }: Setting) => AnthropicModel.layer({ model: "m", baseUrl: url, apiKey, ...timed(rest) }),
    overloaded: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    stops: ["end_turn", "max_tokens", "refusal", "stop_sequence"].map((stop_reason) => [
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "So" } },
      { type: "message_delta", delta: { stop_reason } },
      { type: "message_stop" }
    ])
  },
  {
    name: "OpenAI Responses",
    path: "/responses",
    recording: Recordings.responses,
    ids: ["call_1", "call_2"],
    layer: ({ url, ...rest }: Setting) =>
      OpenAiResponsesModel.layer({ model: "m", baseUrl: url, apiKey, reasoning: "low", ...timed(rest) }),
    overloaded: {
      type: "response.failed",
      response: { error: { code: "server_error", message: "The server had an error" } }
    },
    stops: [
      [
        { type: "response.output_text.delta", delta: "So" },
        { type: "response.completed", response: {} }
      ],
      [
        { type: "response.output_text.delta", delta: "So" },
        { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }
      ],
      [
        { type: "response.refusal.delta", delta: "So" },
        { type: "response.completed", response: {} }
      ],
      [
        { type: "response.output_text.delta", delta: "So" },
        { type: "response.completed", response: { usage: null, incomplete_details: null, error: null } }
      ]
    ]
  },
  {
    name: "Chat Completions",
    path: "/chat/completions",
    recording: Recordings.chat,
    ids: ["call_1", "call_2"],
    layer: ({ url, ...rest }: Setting) => OpenAiChatModel.layer({ model: "m", baseUrl: url, apiKey, ...timed(rest) }),
    overloaded: { error: { type: "server_error", code: null, message: "The server had an error" } },
    stops: ["stop", "length", "content_filter", "eos"].map((finish_reason) => [
      { choices: [{ delta: { content: "So" }, finish_reason }] },
      "[DONE]"
    ])
  }
] as const

const timed = ({ apiKey, idleTimeout }: Omit<Setting, "url">) => ({
  ...(apiKey === undefined ? {} : { apiKey }),
  ...(idleTimeout === undefined ? {} : { idleTimeout: "200 millis" as const })
})

type Case = (typeof models)[number]

const request: Model.Request = {
  system: undefined,
  messages: [Model.RequestMessage.User({ content: [ToolContent.text("Hello")] })],
  tools: []
}

const stream = Stream.unwrap(Effect.map(Model.Service, (model) => model.stream(request)))

const provided = ({ layer }: Case, { url }: Provider, setting: Omit<Setting, "url"> = {}) =>
  Layer.provide(layer({ url, ...setting }), FetchHttpClient.layer)

/** The parts of one answer. */
const partsOf = (model: Case, answer: Scripted) =>
  Effect.gen(function* () {
    const server = yield* serve([answer])
    return yield* Effect.provide(Stream.runCollect(stream), provided(model, server))
  })

/** The error that one answer leads to. */
const errorOf = (model: Case, answer: Scripted, setting?: Omit<Setting, "url">) =>
  Effect.gen(function* () {
    const server = yield* serve([answer])
    return yield* Effect.flip(Effect.provide(Stream.runDrain(stream), provided(model, server, setting)))
  })

const textIn = (parts: ReadonlyArray<Model.Part>, tag: "TextDelta" | "ReasoningDelta"): string =>
  parts.flatMap((part) => (part._tag === tag ? [part.text] : [])).join("")

describe.each(models)("a model of $name", (model) => {
  it.live.each([1, 7, 100_000])("reads an answer that comes in pieces of %i bytes", (size) =>
    Effect.gen(function* () {
      const parts = yield* partsOf(model, { pieces: crumbled(sse(model.recording), size) })
      assert.strictEqual(textIn(parts, "TextDelta"), Recordings.said.text)
      assert.strictEqual(textIn(parts, "ReasoningDelta"), Recordings.said.thought)
      assert.deepStrictEqual(
        parts.flatMap((part) => (part._tag === "Call" ? [[part.id, part.name, part.input]] : [])),
        [
          [model.ids[0], "read", Recordings.said.first],
          [model.ids[1], "list", Recordings.said.second]
        ]
      )
      const last = parts.at(-1)
      assert.deepStrictEqual(last, Model.Part.Finish({ stop: "calls", usage: { input: 420, output: 50, cached: 300 } }))
    })
  )

  it.live("asks the right place, with the key in a header and nowhere else", () =>
    Effect.gen(function* () {
      const server = yield* serve([{ pieces: [sse(model.recording)] }])
      yield* Effect.provide(Stream.runDrain(stream), provided(model, { ...server, url: `${server.url}/` }))
      const [asked] = server.asked
      assert.deepStrictEqual([asked?.method, asked?.path], ["POST", model.path])
      assert.include(JSON.stringify(asked?.headers), secret)
      assert.notInclude(JSON.stringify(asked?.body), secret)
      assert.isUndefined(asked?.headers["traceparent"])
    })
  )

  it.live("says that an answer was cut off, after what had come", () =>
    Effect.gen(function* () {
      const whole = sse(model.recording)
      for (const ending of ["destroy", "end"] as const) {
        const server = yield* serve([{ pieces: [whole.slice(0, whole.indexOf("東京") - 30)], ending }])
        const seen = yield* Ref.make<ReadonlyArray<Model.Part>>([])
        const exit = yield* stream.pipe(
          Stream.runForEach((part) => Ref.update(seen, (parts) => [...parts, part])),
          Effect.provide(provided(model, server)),
          Effect.result
        )
        const parts = yield* Ref.get(seen)
        assert.isNotEmpty(parts)
        assert.isFalse(parts.some(({ _tag }) => _tag === "Finish" || _tag === "Call"))
        if (ending === "destroy") assert.isTrue(exit._tag === "Failure" && exit.failure.reason === "CutOff")
      }
    })
  )

  it.live("knows why an answer ended", () =>
    Effect.gen(function* () {
      const stops = yield* Effect.forEach(model.stops, (events: ReadonlyArray<object | string>) =>
        Effect.map(partsOf(model, { pieces: [sse(events)] }), (parts) => {
          assert.strictEqual(textIn(parts, "TextDelta"), "So")
          const last = parts.at(-1)
          return last?._tag === "Finish" ? last.stop : undefined
        })
      )
      assert.deepStrictEqual(stops, ["ended", "length", "refused", "ended"])
    })
  )

  it.live("says that an event cannot be read", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(model, { pieces: [sse(['{"type":']), sse(model.recording)] })
      assert.deepStrictEqual([error.reason, error.isTransient], ["Malformed", true])
      const other = yield* errorOf(model, { pieces: [sse(["[1, 2]"])] })
      assert.strictEqual(other.reason, "Malformed")
    })
  )

  it.live("tells an error in the middle of an answer from the end of it", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(model, { pieces: [sse([...model.recording.slice(0, 4), model.overloaded])] })
      assert.include(["Overloaded", "ServerError"], error.reason)
      assert.isTrue(error.isTransient)
    })
  )

  it.live("knows what a refusal means, by its status and code", () =>
    Effect.gen(function* () {
      const refusals: ReadonlyArray<readonly [number, object, Model.Reason, boolean]> = [
        [401, { error: { type: "authentication_error", message: `bad key ${secret}` } }, "Unauthorized", false],
        [403, { error: { type: "permission_error", message: "no" } }, "Unauthorized", false],
        [400, { error: { type: "invalid_request_error", message: "messages.1: wrong" } }, "InvalidRequest", false],
        [400, { error: { type: "invalid_request_error", code: "context_length_exceeded" } }, "TooLong", false],
        [404, { error: { type: "not_found_error", message: "model: m" } }, "InvalidRequest", false],
        [413, { error: { type: "request_too_large", message: "big" } }, "TooLong", false],
        [429, { error: { type: "rate_limit_error", message: "slow down" } }, "RateLimited", true],
        [429, { error: { type: "insufficient_quota", code: "insufficient_quota" } }, "OutOfQuota", false],
        [500, { error: { type: "api_error", message: "oops" } }, "ServerError", true],
        [503, { error: { message: "busy" } }, "Overloaded", true],
        [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "Overloaded", true]
      ]
      for (const [status, body, reason, isTransient] of refusals) {
        const error = yield* errorOf(model, { status, pieces: [JSON.stringify(body)] })
        assert.deepStrictEqual([error.status, error.reason, error.isTransient], [status, reason, isTransient])
        assert.notInclude(JSON.stringify(error), secret)
      }
    })
  )

  it.live("quotes a provider shortly and without the key, and survives a page that is none of its own", () =>
    Effect.gen(function* () {
      const message = `wrong: ${secret} ${"x".repeat(10_000)}`
      const error = yield* errorOf(model, { status: 400, pieces: [JSON.stringify({ error: { message } })] })
      assert.match(error.detail ?? "", /^wrong: <redacted> x+…$/)
      assert.isAtMost(error.detail?.length ?? 0, 501)
      const page = yield* errorOf(model, { status: 502, pieces: ["<html>", "x".repeat(200_000)] })
      assert.deepStrictEqual([page.reason, page.detail], ["ServerError", undefined])
    })
  )

  it.live("reads when to come back, in seconds, in milliseconds and as a date", () =>
    Effect.gen(function* () {
      const delays = yield* Effect.forEach(
        [{ "retry-after": "7" }, { "retry-after-ms": "1500" }, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, {}],
        (headers) =>
          Effect.map(errorOf(model, { status: 429, headers, pieces: ["{}"] }), ({ retryAfterMs }) => retryAfterMs)
      )
      assert.deepStrictEqual(delays, [7_000, 1_500, 0, undefined])
      const later = { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }
      const { retryAfterMs = 0 } = yield* errorOf(model, { status: 429, headers: later, pieces: ["{}"] })
      assert.isAbove(retryAfterMs, 3_000_000)
    })
  )

  it.live("does not wait for ever, neither for the first word nor for the next", () =>
    Effect.gen(function* () {
      for (const pieces of [[], [sse(model.recording.slice(0, 3))]]) {
        const error = yield* errorOf(model, { pieces, ending: "hang" }, { idleTimeout: "short" })
        assert.strictEqual(error.reason, "Stalled")
      }
    })
  )

  it.live("ends the request when somebody interrupts it", () =>
    Effect.gen(function* () {
      const server = yield* serve([{ pieces: [sse(model.recording.slice(0, 4))], ending: "hang" }])
      const fiber = yield* stream.pipe(
        Stream.runDrain,
        Effect.provide(provided(model, server)),
        Effect.forkChild({ startImmediately: true })
      )
      yield* Effect.repeat(Effect.sleep(5), { until: () => server.asked.length > 0 })
      yield* Fiber.interrupt(fiber)
      yield* server.left
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.live("does not follow a redirect, which would take the key along", () =>
    Effect.gen(function* () {
      const elsewhere = yield* serve([{ pieces: [sse(model.recording)] }])
      const error = yield* errorOf(model, { status: 307, headers: { location: elsewhere.url }, pieces: [] })
      assert.strictEqual(error.reason, "Unreachable")
      assert.deepStrictEqual(elsewhere.asked, [])
    })
  )

  it.live("says that nobody is there", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(serve([]))
      const error = yield* Effect.flip(Effect.provide(Stream.runDrain(stream), provided(model, gone)))
      assert.deepStrictEqual([error.reason, error.isTransient], ["Unreachable", true])
    })
  )

  it.live("refuses a key that cannot stand in a header, without quoting it", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(model, { pieces: [] }, { apiKey: Redacted.make(`${secret}\n`) })
      assert.strictEqual(error.reason, "Unauthorized")
      assert.notInclude(String(error) + JSON.stringify(error), secret)
    })
  )

  it.live("leaves the key in no span and in no error, however it ends", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const answers = [{ pieces: [sse(model.recording)] }, { status: 401, pieces: ["{}"] }]
      for (const answer of answers) {
        const server = yield* serve([answer])
        yield* stream.pipe(
          Stream.runDrain,
          Effect.withSpan("test"),
          Effect.provide(provided(model, server)),
          Effect.exit,
          Effect.provideService(Tracer.Tracer, tracer)
        )
      }
      assert.isAbove(spans.length, 2)
      for (const { attributes, events, status } of spans) {
        assert.notInclude(JSON.stringify([[...attributes], events, String(status)]), secret)
      }
    })
  )
})
