/** A conversation as `effect/ai` takes it. */
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CallResult } from "../CallResult.ts"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import * as Media from "./media.ts"
import * as Replay from "./replay.ts"

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
const toAiTools = (definitions: ReadonlyArray<ToolDefinition>): Tools =>
  Object.assign(Object.create(null), Object.fromEntries(definitions.map((each) => [each.name, toAiTool(each)])))

/** Unknown names and invalid arguments come through like all others, and nothing is run. */
export const optionsOf = (request: Model.Request, provider: string) => ({
  prompt: Prompt.fromMessages(messagesOf(request, provider)),
  toolkit: { tools: toAiTools(request.tools), handle: () => Effect.die("calls are settled by the runner") },
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})

const messagesOf = ({ messages, system }: Model.Request, provider: string): ReadonlyArray<Prompt.Message> => [
  ...(system === undefined || system.trim() === "" ? [] : [Prompt.systemMessage({ content: system })]),
  ...messages.map((message) => {
    switch (message._tag) {
      case "User":
        return Prompt.userMessage({ content: message.content.map(contentPart) })
      case "Assistant":
        return Prompt.assistantMessage({ content: message.parts.flatMap((part) => answerParts(part, provider)) })
      case "Results":
        return Prompt.toolMessage({ content: message.results.map(resultPart) })
    }
  })
]

const isMetadata = Schema.is(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)))

const answerParts = (part: Message.Part, provider: string): ReadonlyArray<Prompt.AssistantMessagePart> => {
  switch (part._tag) {
    case "Text":
      return [Prompt.textPart({ text: part.text })]
    case "Reasoning":
      return part.provider === provider && isMetadata(part.replay)
        ? [Prompt.reasoningPart({ text: part.text, options: part.replay })]
        : []
    case "Call":
      return [
        Prompt.toolCallPart({
          id: part.id,
          name: Replay.nameOf(part.name),
          params: Replay.argumentsOf(part.input),
          providerExecuted: false
        })
      ]
  }
}

const resultPart = ({ callID, content, isError, name }: CallResult): Prompt.ToolResultPart =>
  Prompt.toolResultPart({
    id: callID,
    name: Replay.nameOf(name),
    isFailure: isError,
    result: Media.plainText(content),
    modelOutput: content.map(contentPart),
    providerExecuted: false
  })

const contentPart = (part: ToolContent) => {
  if (part._tag === "Text") return Prompt.textPart({ text: part.text })
  if (Media.isFalse(part)) return Prompt.textPart({ text: Media.noteOf(part) })
  return Prompt.filePart({ mediaType: part.mimeType, data: part.data, fileName: part.name })
}
