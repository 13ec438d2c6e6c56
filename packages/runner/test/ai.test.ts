import { assert, describe, it } from "@effect/vitest"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { History, Runner } from "@haft/runner"
import * as EffectAi from "@haft/runner/ai"
import { Duration, Effect, Layer, Ref, Stream } from "effect"
import { AiError, LanguageModel, type Prompt, type Response } from "effect/ai"
import * as Running from "./support/running.ts"

type Answer = ReadonlyArray<Response.StreamPartEncoded> | AiError.AiError

/** A provider that gives these answers one after the other, and remembers what it was asked. */
const scripted = (answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const prompts = yield* Ref.make<ReadonlyArray<Prompt.Prompt>>([])
    const left = yield* Ref.make(answers)
    const model = LanguageModel.make({
      generateText: () => Effect.die("only streams are asked for"),
      streamText: ({ prompt }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            yield* Ref.update(prompts, (before) => [...before, prompt])
            const [answer] = yield* Ref.getAndUpdate(left, (before) => before.slice(1))
            if (answer instanceof AiError.AiError) return Stream.fail(answer)
            return Stream.fromIterable(answer ?? [])
          })
        )
    })
    const Model = Layer.provide(EffectAi.layer(), Layer.effect(LanguageModel.LanguageModel, model))
    const layer = Runner.layer.pipe(Layer.provideMerge(Layer.mergeAll(Model, History.layerMemory, Testing.layer)))
    return { layer, prompts: Ref.get(prompts) }
  })

const usage = {
  inputTokens: { uncached: 100, total: 420, cacheRead: 320, cacheWrite: 0 },
  outputTokens: { total: 50, text: 50, reasoning: 0 }
}

const finish = (reason: Response.FinishReason): Response.StreamPartEncoded => ({ type: "finish", reason, usage })

const said = (text: string): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: text },
  { type: "text-end", id: "t" }
]

const session = Effect.gen(function* () {
  yield* Running.register({ echo: Running.echo })
  const runner = yield* Runner.Service
  const registry = yield* ToolRegistry.Service
  const { agent, sessionID } = Running
  const request = { sessionID, agent, prompt: "Hello", system: "Be brief.", tools: registry.materialize() }
  return yield* Runner.conclude(runner.run({ ...request, limits: { attempts: 1 } }))
})

describe("a provider of effect/ai", () => {
  it.effect("can be asked by a runner, with thoughts that it gets back, and calls that the registry settles", () =>
    Effect.gen(function* () {
      const { layer, prompts } = yield* scripted([
        [
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "hm" },
          { type: "reasoning-end", id: "r", metadata: { provider: { signature: "s" } } },
          ...said("I call"),
          { type: "tool-call", id: "one", name: "echo", params: { value: 1 } },
          { type: "tool-call", id: "two", name: "invented", params: {} },
          { type: "tool-call", id: "three", name: "search", params: {}, providerExecuted: true },
          finish("tool-calls")
        ],
        [...said("Done"), finish("stop")]
      ])
      yield* Effect.gen(function* () {
        const conclusion = yield* session
        assert.deepStrictEqual([conclusion.reason, conclusion.text, conclusion.calls], ["answered", "Done", 2])
        assert.deepStrictEqual(conclusion.usage, { input: 840, output: 100, cached: 640 })
      }).pipe(Effect.provide(layer))
      const last = (yield* prompts).at(-1)
      assert.deepStrictEqual(
        last?.content.map(({ role }) => role),
        ["system", "user", "assistant", "tool"]
      )
      const [, , answer, results] = last?.content ?? []
      assert(answer?.role === "assistant" && results?.role === "tool")
      assert.deepStrictEqual(
        answer.content.map(({ type }) => type),
        ["reasoning", "text", "tool-call", "tool-call"]
      )
      assert.deepStrictEqual(answer.content[0]?.options, { provider: { signature: "s" } })
      assert.deepStrictEqual(
        results.content.map((part) => (part.type === "tool-result" ? [part.id, part.isFailure] : [])),
        [
          ["one", false],
          ["two", true]
        ]
      )
    })
  )

  it.effect("that fails says why in our words, and when to come back", () =>
    Effect.gen(function* () {
      const reason = new AiError.RateLimitError({ retryAfter: Duration.hours(1) })
      const { layer } = yield* scripted([new AiError.AiError({ module: "m", method: "m", reason })])
      const error = yield* Effect.flip(Effect.provide(session, layer))
      assert(error._tag === "ModelError")
      assert.deepStrictEqual([error.reason, error.retryAfterMs], ["RateLimited", 3_600_000])
    })
  )

  it.effect("that stops for its own reasons is understood", () =>
    Effect.gen(function* () {
      const ends = yield* Effect.forEach(["length", "content-filter", "other"] as const, (reason) =>
        Effect.gen(function* () {
          const { layer } = yield* scripted([[...said("So"), finish(reason)]])
          return (yield* Effect.provide(session, layer)).reason
        })
      )
      assert.deepStrictEqual(ends, ["length", "refused", "answered"])
      const { layer } = yield* scripted([[...said("So"), finish("error")]])
      const error = yield* Effect.flip(Effect.provide(session, layer))
      assert(error._tag === "ModelError")
      assert.strictEqual(error.reason, "ServerError")
    })
  )
})
