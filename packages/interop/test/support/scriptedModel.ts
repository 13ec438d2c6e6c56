/** A provider of `effect/ai` that answers from a script and remembers what it was asked. */
import { Context, Effect, Layer, Ref, Stream } from "effect"
import { LanguageModel, type Response } from "effect/ai"

type Answer = ReadonlyArray<Response.PartEncoded>

export class Script extends Context.Service<
  Script,
  {
    readonly answers: Ref.Ref<ReadonlyArray<Answer>>
    readonly asked: Ref.Ref<ReadonlyArray<LanguageModel.ProviderOptions>>
  }
>()("test/Script") {}

const makeScript = Effect.all({
  answers: Ref.make<ReadonlyArray<Answer>>([]),
  asked: Ref.make<ReadonlyArray<LanguageModel.ProviderOptions>>([])
})

const makeModel = Effect.gen(function* () {
  const { answers, asked } = yield* Script
  const next = Effect.fnUntraced(function* (options: LanguageModel.ProviderOptions) {
    yield* Ref.update(asked, (before) => [...before, options])
    const [answer = []] = yield* Ref.getAndUpdate(answers, (before) => before.slice(1))
    return [...answer]
  })
  return yield* LanguageModel.make({
    generateText: next,
    streamText: (options) =>
      Stream.unwrap(Effect.map(next(options), (parts) => Stream.fromIterable(parts.flatMap(toStream))))
  })
})

/** Text arrives in pieces. */
const toStream = (part: Response.PartEncoded): ReadonlyArray<Response.StreamPartEncoded> => {
  if (part.type !== "text") return part.type === "reasoning" ? [] : [part]
  return [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: part.text },
    { type: "text-end", id: "t" }
  ]
}

export const layer = Layer.effect(LanguageModel.LanguageModel, makeModel).pipe(
  Layer.provideMerge(Layer.effect(Script, makeScript))
)

export const answer = (...answers: ReadonlyArray<Answer>) =>
  Effect.flatMap(Script, (script) => Ref.set(script.answers, answers))

export const call = (id: string, name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})

export const text = (text: string): Response.PartEncoded => ({ type: "text", text })

export const finish = (reason: Response.FinishReason): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: undefined, total: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined }
  },
  response: undefined
})
