/**
 * A turn's tools for the language models of `effect/ai`: any provider written for Effect can offer them, and its model's
 * calls end in `settle` like all others.
 */
import type { Materialization, SettleError } from "@haft/core/Materialization"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as AiTurn from "./internal/aiTurn.ts"

/** Where in the session the calls stand. Each call has its own id beside it. */
export type CallContext = AiTurn.CallContext

/** By name. */
export type Tools = AiTurn.Tools

/** The result of a call, under the call's id. */
export type ToolResult = AiTurn.ToolResult

/**
 * For code that owns its loop, such as `Chat`. Invalid arguments are failures that the model reads. An invented name is
 * not: `effect/ai` fails the whole response for it, which `generateText` and `streamText` here do not.
 */
export const make = (
  materialization: Materialization,
  context: CallContext,
  /** What an operational error becomes. No model reads it. */
  onSettleError: (error: SettleError) => AiError.AiError = unsettled
): Toolkit.WithHandler<Tools> => ({
  tools: AiTurn.toAiTools(materialization),
  handle: (name, params, id = "") =>
    Effect.succeed(
      Stream.fromEffect(
        AiTurn.settle({ materialization, context }, { id, name: String(name), params }).pipe(
          Effect.mapError(onSettleError),
          Effect.map((outcome) => ({ ...outcome, encodedResult: outcome.result, preliminary: false }))
        )
      )
    )
})

const unsettled = ({ _tag }: SettleError): AiError.AiError =>
  AiError.make({
    module: "@haft/interop/EffectAiToolkit",
    method: "settle",
    reason: new AiError.UnknownError({ description: `The call could not be settled: ${_tag}` })
  })

/** What one request to a model needs. */
export interface Options {
  readonly prompt: Prompt.RawInput
  readonly materialization: Materialization
  readonly context: CallContext
  /** How many calls are settled at once; without a number all of them. */
  readonly concurrency?: number
}

/** One answer of a model with the results of its calls. */
export interface Turn {
  readonly response: LanguageModel.GenerateTextResponse<Tools, "deferred">
  /** In the order of the calls. */
  readonly results: ReadonlyArray<ToolResult>
  /** The prompt with the answer and the results after it: what the next request begins with. */
  readonly prompt: Prompt.Prompt
}

/**
 * One request whose calls are all settled, invented names included. An operational error keeps its type, and fails the
 * request once the other calls have ended.
 */
export const generateText = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Turn, AiError.AiError | SettleError, LanguageModel.LanguageModel> {
  const { concurrency = "unbounded", materialization } = options
  const response = yield* LanguageModel.generateText({ prompt: options.prompt, ...AiTurn.deferred(materialization) })
  const isWhole = AiTurn.finishedWell(response.content) ?? true
  const answers = yield* Effect.forEach(
    AiTurn.callsIn(response.content),
    (call) => AiTurn.answer(options, call, isWhole),
    { concurrency }
  )
  const results = yield* Effect.fromResult(Result.all(answers))
  const prompt = Prompt.concat(Prompt.make(options.prompt), Prompt.fromResponseParts([...response.content, ...results]))
  return { response, results, prompt }
})

/** A part of an answer as it arrives, or the result of a call. */
export type StreamPart = Response.StreamPart<Tools, "deferred"> | ToolResult

/**
 * The same as a stream. Calls are settled once the answer is complete, and each result comes as soon as there is one.
 * `Prompt.fromResponseParts` of all parts is what the next request needs.
 */
export const streamText = (
  options: Options
): Stream.Stream<StreamPart, AiError.AiError | SettleError, LanguageModel.LanguageModel> =>
  Stream.suspend(() => {
    const parts: Array<Response.StreamPart<Tools, "deferred">> = []
    return LanguageModel.streamText({ prompt: options.prompt, ...AiTurn.deferred(options.materialization) }).pipe(
      Stream.tap((part) => Effect.sync(() => parts.push(part))),
      Stream.concat(Stream.suspend(() => results(options, parts)))
    )
  })

/** A stream that ended without a reason was cut off on its way. */
const results = (
  options: Options,
  parts: ReadonlyArray<Response.StreamPart<Tools, "deferred">>
): Stream.Stream<ToolResult, SettleError> => {
  const isWhole = AiTurn.finishedWell(parts) ?? false
  const errors: Array<SettleError> = []
  const keep = (result: Result.Result<ToolResult, SettleError>): ReadonlyArray<ToolResult> => {
    if (Result.isSuccess(result)) return [result.success]
    errors.push(result.failure)
    return []
  }
  return Stream.fromIterable(AiTurn.callsIn(parts)).pipe(
    Stream.mapEffect((call) => AiTurn.answer(options, call, isWhole), {
      concurrency: options.concurrency ?? "unbounded",
      unordered: true
    }),
    Stream.flatMap((result) => Stream.fromIterable(keep(result))),
    Stream.concat(Stream.suspend(() => (errors[0] === undefined ? Stream.empty : Stream.fail(errors[0]))))
  )
}
