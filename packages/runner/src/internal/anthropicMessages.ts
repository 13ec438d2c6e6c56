/** A conversation as Anthropic's Messages API takes it. */
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type * as Schema from "effect/Schema"
import type { CallResult } from "../CallResult.ts"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import * as Media from "./media.ts"
import * as Replay from "./replay.ts"
import * as Sentences from "./sentences.ts"

type Block = Readonly<Record<string, unknown>>

export interface AnthropicMessage {
  readonly role: "assistant" | "user"
  readonly content: ReadonlyArray<Block>
}

/**
 * Roles alternate, no content is empty, and the results of an answer's calls stand at the beginning of the message after
 * it. Thinking is replayed only to a model that is thinking.
 */
export const messagesOf = (
  messages: ReadonlyArray<Model.RequestMessage>,
  provider: string | undefined
): ReadonlyArray<AnthropicMessage> =>
  Replay.merged(
    messages.map((message) => toMessage(message, provider)).filter(({ content }) => content.length > 0),
    (left, right) => (left.role === right.role ? { ...left, content: [...left.content, ...right.content] } : undefined)
  )

const toMessage = (message: Model.RequestMessage, provider: string | undefined): AnthropicMessage => {
  switch (message._tag) {
    case "User":
      return { role: "user", content: message.content.map(contentBlock) }
    case "Assistant":
      return { role: "assistant", content: message.parts.flatMap((part) => partBlocks(part, provider)) }
    case "Results":
      return { role: "user", content: message.results.map(resultBlock) }
  }
}

const partBlocks = (part: Message.Part, provider: string | undefined): ReadonlyArray<Block> => {
  switch (part._tag) {
    case "Text":
      return [{ type: "text", text: part.text }]
    case "Reasoning":
      return part.provider === provider && isBlock(part.replay) ? [part.replay] : []
    case "Call":
      return [{ type: "tool_use", id: part.id, name: Replay.nameOf(part.name), input: Replay.argumentsOf(part.input) }]
  }
}

const isBlock = (json: Schema.Json | undefined): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** An error may have text alone. */
const resultBlock = ({ callID, content, isError }: CallResult): Block => ({
  type: "tool_result",
  tool_use_id: callID,
  content: isError ? [{ type: "text", text: Media.plainText(content) }] : content.map(contentBlock),
  ...(isError ? { is_error: true } : {})
})

const contentBlock = (part: ToolContent): Block => {
  if (part._tag === "Text") return { type: "text", text: part.text }
  const source = { type: "base64", media_type: part.mimeType, data: Media.base64(part) }
  if (Media.isImage(part)) return { type: "image", source }
  return Media.isPdf(part) ? { type: "document", source } : { type: "text", text: Media.noteOf(part) }
}

/** A conversation with calls needs tools, also if none is offered any more: they stand in under the names it has. */
export const toolsOf = (
  definitions: ReadonlyArray<ToolDefinition>,
  messages: ReadonlyArray<Model.RequestMessage>
): ReadonlyArray<Block> => {
  if (definitions.length > 0) return definitions.map(toTool)
  const calls = messages.flatMap((message) => (message._tag === "Assistant" ? message.parts : []))
  const names = new Set(calls.flatMap((part) => (part._tag === "Call" ? [Replay.nameOf(part.name)] : [])))
  return [...names].map((name) => ({ name, description: Sentences.retired, input_schema: { type: "object" } }))
}

const toTool = ({ description, inputSchema, name }: ToolDefinition): Block => ({
  name,
  description,
  input_schema: inputSchema
})

/** Everything up to the last block is read once and remembered for a while, which is most of what a long session costs. */
export const cached = (messages: ReadonlyArray<AnthropicMessage>): ReadonlyArray<AnthropicMessage> =>
  messages.map((message, index) =>
    index < messages.length - 1 ? message : { ...message, content: markLast(message.content) }
  )

export const markLast = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  blocks.map((block, index) => (index < blocks.length - 1 ? block : { ...block, cache_control: { type: "ephemeral" } }))
