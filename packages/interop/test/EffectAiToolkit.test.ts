import { assert, describe, it } from "@effect/vitest"
import { Agent, Session, Tool, ToolContent, ToolFailure, Tools } from "@haft/core"
import { EffectAiToolkit } from "@haft/interop"
import { ModelCompatibility, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Deferred, Effect, Layer, Ref, Schema, Stream } from "effect"
import { AiError, Chat, Prompt, Tool as AiTool } from "effect/ai"
import { answer, call, finish, layer, Script, text } from "./support/scriptedModel.ts"

const read = Tool.make({
  description: "Reads a file",
  input: Schema.Struct({ path: Schema.String, since: Schema.optionalKey(Schema.Date) }),
  output: Schema.Struct({ text: Schema.String }),
  execute: ({ path, since }) =>
    path === "missing"
      ? ToolFailure.notFound({ message: "No such file", hint: "List the files first" })
      : Effect.succeed({ text: `contents of ${path}${since === undefined ? "" : ` since ${since.getUTCFullYear()}`}` })
})

const draw = Tool.make({
  description: "Draws",
  input: Schema.Struct({}),
  output: Schema.Null,
  execute: () => Effect.succeed(null),
  toModelOutput: () => [
    ToolContent.text("a dot"),
    ToolContent.media({ mimeType: "image/png", data: new Uint8Array([1, 2]), name: "dot.png" })
  ]
})

const context = {
  sessionID: Session.ID.make("s"),
  agent: Agent.ID.make("a"),
  assistantMessageID: Session.MessageID.make("m")
}

const turnOf = Effect.fnUntraced(function* (record: Readonly<Record<string, Tool.Any>>) {
  const tools = yield* Tools.Service
  yield* tools.register(record)
  const registry = yield* ToolRegistry.Service
  return yield* registry.materialize()
})

const Live = Layer.merge(layer, Testing.layer)

const shown = ({ id, isFailure, result }: EffectAiToolkit.ToolResult) => ({ id, isFailure, result })

describe("generateText", () => {
  it.effect("settles good, failing, invalid and invented calls, and answers each by its id", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* answer([
        text("Let me see"),
        call("1", "read", { path: "a", since: "2026-01-01T00:00:00.000Z" }),
        call("2", "read", { path: "missing" }),
        call("3", "read", { path: 7 }),
        call("4", "constructor", {})
      ])
      const turn = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      const results = turn.results.map(shown)
      assert.deepStrictEqual(results.slice(0, 2), [
        { id: "1", isFailure: false, result: { text: "contents of a since 2026" } },
        {
          id: "2",
          isFailure: true,
          result: { error: "NotFound", message: "No such file", hint: "List the files first" }
        }
      ])
      assert.deepStrictEqual(
        results.slice(2).map(({ isFailure, result }) => [isFailure, Object(result).error]),
        [
          [true, "InvalidInput"],
          [true, "UnknownTool"]
        ]
      )
      assert.strictEqual(turn.response.text, "Let me see")
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("gives the prompt of the next request, with the calls and their results", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* answer([call("1", "read", { path: "a" })], [text("done")])
      const first = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      yield* EffectAiToolkit.generateText({ prompt: first.prompt, materialization, context })
      const [, second] = yield* Effect.flatMap(Script, ({ asked }) => Ref.get(asked))
      assert.deepStrictEqual(
        second?.prompt.content.map(({ role }) => role),
        ["user", "assistant", "tool"]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("shows the provider our JSON Schema as it is, and asks for no strict mode", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      const [asked] = yield* Effect.flatMap(Script, (script) => Ref.get(script.asked))
      const [tool] = asked?.tools ?? []
      assert(tool !== undefined)
      assert.deepStrictEqual(AiTool.getJsonSchema(tool), materialization.definitions[0]?.inputSchema)
      assert.isFalse(AiTool.getStrictMode(tool))
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("works on a turn in the dialect of a provider", () =>
    Effect.gen(function* () {
      const turn = yield* turnOf({ read })
      const materialization = yield* Effect.fromResult(ModelCompatibility.adapt(turn, ModelCompatibility.openaiStrict))
      yield* answer([call("1", "read", { path: "a", since: null })])
      const { results } = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      assert.deepStrictEqual(results.map(shown), [{ id: "1", isFailure: false, result: { text: "contents of a" } }])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("hands text and media on as they are", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ draw })
      yield* answer([call("1", "draw", {})])
      const { results } = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      const parts = results[0]?.modelOutput ?? []
      assert.deepStrictEqual(
        parts.map((part) => (part.type === "text" ? part.text : [part.mediaType, part.data, part.fileName])),
        ["a dot", ["image/png", new Uint8Array([1, 2]), "dot.png"]]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("runs no call of an answer that was cut off, and says so", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const count = Tool.make({
        description: "Count",
        input: Schema.Struct({}),
        output: Schema.Int,
        execute: () => Ref.updateAndGet(runs, (before) => before + 1)
      })
      const materialization = yield* turnOf({ count })
      yield* answer([call("1", "count", {}), finish("length")], [call("2", "count", {}), finish("tool-calls")])
      const cut = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      assert.deepStrictEqual(
        cut.results.map(({ id, result }) => [id, Object(result).error]),
        [["1", "CutOff"]]
      )
      assert.strictEqual(yield* Ref.get(runs), 0)
      yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      assert.strictEqual(yield* Ref.get(runs), 1)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("fails with the operational error itself, once the calls beside it have ended", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const slow = Tool.make({
        description: "Slow",
        input: Schema.Struct({}),
        output: Schema.Null,
        execute: () => Effect.yieldNow.pipe(Effect.andThen(Deferred.succeed(ended, undefined)), Effect.as(null))
      })
      const bad = Tool.make({
        description: "Bad",
        input: Schema.Struct({}),
        output: Schema.NonEmptyString,
        execute: () => Effect.succeed("")
      })
      const materialization = yield* turnOf({ bad, slow })
      yield* answer([call("1", "bad", {}), call("2", "slow", {})])
      const error = yield* Effect.flip(EffectAiToolkit.generateText({ prompt: "hi", materialization, context }))
      assert.strictEqual(error._tag, "InvalidOutput")
      assert.isTrue(yield* Deferred.isDone(ended))
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("fails one call whose id cannot be recorded, and settles its siblings", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* answer([call("not an id", "read", { path: "a" }), call("2", "read", { path: "b" })])
      const { results } = yield* EffectAiToolkit.generateText({ prompt: "hi", materialization, context })
      assert.sameDeepMembers(
        results.map(({ id, isFailure }) => [id, isFailure]),
        [
          ["not an id", true],
          ["2", false]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})

describe("streamText", () => {
  it.effect("gives the answer as it comes, then the results, which make the next prompt", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* answer([text("Hm"), call("1", "read", { path: "a" }), call("2", "nothing", {}), finish("tool-calls")])
      const parts = yield* Stream.runCollect(EffectAiToolkit.streamText({ prompt: "hi", materialization, context }))
      assert.deepStrictEqual(
        parts.map(({ type }) => type),
        ["text-start", "text-delta", "text-end", "tool-call", "tool-call", "finish", "tool-result", "tool-result"]
      )
      const last = Prompt.fromResponseParts(parts).content.at(-1)
      assert(last?.role === "tool")
      const results = last.content.filter((part) => part.type === "tool-result")
      assert.sameDeepMembers(
        results.map(({ id, isFailure }) => [id, isFailure]),
        [
          ["1", false],
          ["2", true]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("fails with an operational error after all results", () =>
    Effect.gen(function* () {
      const bad = Tool.make({
        description: "Bad",
        input: Schema.Struct({}),
        output: Schema.NonEmptyString,
        execute: () => Effect.succeed("")
      })
      const materialization = yield* turnOf({ bad, read })
      yield* answer([call("1", "bad", {}), call("2", "read", { path: "a" }), finish("tool-calls")])
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const error = yield* EffectAiToolkit.streamText({ prompt: "hi", materialization, context }).pipe(
        Stream.runForEach(({ type }) => Ref.update(seen, (before) => [...before, type])),
        Effect.flip
      )
      assert.strictEqual(error._tag, "InvalidOutput")
      assert.deepStrictEqual(yield* Ref.get(seen), ["tool-call", "tool-call", "finish", "tool-result"])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("runs nothing when the stream ends without saying why", () =>
    Effect.gen(function* () {
      const materialization = yield* turnOf({ read })
      yield* answer([call("1", "read", { path: "a" })])
      const parts = yield* Stream.runCollect(EffectAiToolkit.streamText({ prompt: "hi", materialization, context }))
      const results = parts.filter((part) => part.type === "tool-result")
      assert.deepStrictEqual(
        results.map(({ result }) => Object(result).error),
        ["CutOff"]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})

describe("a toolkit for code that owns its loop", () => {
  it.effect("runs our tools in a Chat, and what does not fit is a failure there", () =>
    Effect.gen(function* () {
      const toolkit = EffectAiToolkit.make(yield* turnOf({ read, draw }), context)
      yield* answer([call("1", "read", { path: "a" }), call("2", "read", {}), call("3", "draw", {})])
      const chat = yield* Chat.empty
      const { toolResults } = yield* chat.generateText({ prompt: "hi", toolkit })
      assert.sameDeepMembers(
        toolResults.map(({ id, isFailure, modelOutput }) => [id, isFailure, modelOutput?.length]),
        [
          ["1", false, undefined],
          ["2", true, undefined],
          ["3", false, 2]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("runs our tools in a streaming Chat", () =>
    Effect.gen(function* () {
      const toolkit = EffectAiToolkit.make(yield* turnOf({ read }), context)
      yield* answer([call("1", "read", { path: "a" }), finish("tool-calls")])
      const chat = yield* Chat.empty
      const parts = yield* Stream.runCollect(chat.streamText({ prompt: "hi", toolkit }))
      const results = parts.filter((part) => part.type === "tool-result")
      assert.deepStrictEqual(
        results.map(({ result }) => result),
        [{ text: "contents of a" }]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("fails the request on an operational error", () =>
    Effect.gen(function* () {
      const bad = Tool.make({
        description: "Bad",
        input: Schema.Struct({}),
        output: Schema.NonEmptyString,
        execute: () => Effect.succeed("")
      })
      yield* answer([call("1", "bad", {})])
      const chat = yield* Chat.empty
      const toolkit = EffectAiToolkit.make(yield* turnOf({ bad }), context)
      const error = yield* Effect.flip(chat.generateText({ prompt: "hi", toolkit }))
      assert.isTrue(AiError.isAiError(error))
      assert.include(String(error.message), "InvalidOutput")
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})
