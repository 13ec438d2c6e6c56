/** One request to a language model of `effect/ai`, of which that runs and checks nothing, and the answers to its calls. */
import type { Materialization, SettleError } from "@haft/core/Materialization"
import type * as Tool from "@haft/core/Tool"
import * as ToolCall from "@haft/core/ToolCall"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Response from "effect/ai/Response"
import * as AiTool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AiOutcome, failure, outcomeOf } from "./aiOutcome.ts"
import * as Sentences from "./sentences.ts"

export type CallContext = Omit<Tool.Context, "toolCallID">

/** Raw JSON Schema keeps providers from rewriting it; without strict mode they do not ask for a dialect of their own. */
const toAiTool = ({ description, inputSchema, name }: ToolDefinition) =>
  AiTool.dynamic(name, {
    description,
    parameters: inputSchema,
    success: Schema.Json,
    failure: Schema.Json,
    failureMode: "return"
  }).annotate(AiTool.Strict, false)

export type Tools = Record<string, ReturnType<typeof toAiTool>>

/** Inherits nothing: a model may well ask for a tool called `constructor`. */
export const toAiTools = ({ definitions }: Materialization): Tools =>
  Object.assign(Object.create(null), Object.fromEntries(definitions.map((each) => [each.name, toAiTool(each)])))

/** What `effect/ai` is asked for. Unknown names and invalid arguments come through like all others. */
export const deferred = (materialization: Materialization) => ({
  toolkit: { tools: toAiTools(materialization), handle: () => Effect.die("calls are settled after the answer") },
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})

/** Where calls are settled. */
export interface Place {
  readonly materialization: Materialization
  readonly context: CallContext
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

const toID = Schema.decodeUnknownResult(ToolCall.ID)

/** Without an id that can be recorded nobody could tell the call from another one. */
export const settle = (
  { context, materialization }: Place,
  { id, name, params }: Call
): Effect.Effect<AiOutcome, SettleError> => {
  const callID = toID(id)
  if (Result.isFailure(callID)) return Effect.succeed(failure("InvalidCallId", Sentences.unusableId))
  const call = { id: callID.success, name, input: params }
  return Effect.map(materialization.settle({ ...context, call }), outcomeOf)
}

export type AnyPart = Response.Part<Tools, "deferred"> | Response.StreamPart<Tools, "deferred">

/** Those that the provider has not executed itself. */
export const callsIn = (parts: ReadonlyArray<AnyPart>): ReadonlyArray<Call> =>
  parts.filter((part) => part.type === "tool-call").filter(({ providerExecuted }) => !providerExecuted)

/** Any other reason means that the last call may be half of one. Nothing if the answer has none. */
export const finishedWell = (parts: ReadonlyArray<AnyPart>): boolean | undefined => {
  const finish = parts.find((part) => part.type === "finish")
  return finish === undefined ? undefined : ["stop", "tool-calls", "pause"].includes(finish.reason)
}

/** The result of one call. An operational error is kept, so that it does not interrupt the calls beside it. */
export const answer = (place: Place, call: Call, isWhole: boolean) => {
  const settled = isWhole ? settle(place, call) : Effect.succeed(failure("CutOff", Sentences.cutOff))
  return Effect.result(Effect.map(settled, (outcome) => resultPart(call, outcome)))
}

const resultPart = ({ id, name }: Call, outcome: AiOutcome) =>
  Response.makePart("tool-result", {
    id,
    name,
    ...outcome,
    encodedResult: outcome.result,
    providerExecuted: false,
    preliminary: false
  })

export type ToolResult = ReturnType<typeof resultPart>
