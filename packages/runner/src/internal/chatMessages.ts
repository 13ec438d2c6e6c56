/** A conversation as servers take it that speak OpenAI's Chat Completions. */
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import * as Media from "./media.ts"
import * as Replay from "./replay.ts"

export type ChatMessage = { readonly role: string } & Readonly<Record<string, unknown>>

/** An answer with calls is followed by one `tool` message for each, and no two messages of a user follow each other. */
export const messagesOf = (
  system: string | undefined,
  messages: ReadonlyArray<Model.RequestMessage>
): ReadonlyArray<ChatMessage> => [
  ...(system === undefined || system.trim() === "" ? [] : [{ role: "system", content: system }]),
  ...joined(messages).flatMap(toMessages)
]

/** Templates of local models want roles to alternate. */
const joined = (messages: ReadonlyArray<Model.RequestMessage>): ReadonlyArray<Model.RequestMessage> =>
  Replay.merged(messages, (left, right) =>
    left._tag === "User" && right._tag === "User"
      ? { ...left, content: [...left.content, ...right.content] }
      : undefined
  )

const toMessages = (message: Model.RequestMessage): ReadonlyArray<ChatMessage> => {
  switch (message._tag) {
    case "User":
      return [{ role: "user", content: userContent(message.content) }]
    case "Assistant":
      return assistant(message.parts)
    case "Results":
      return message.results.map(({ callID, content }) => ({
        role: "tool",
        tool_call_id: callID,
        content: Media.plainText(content)
      }))
  }
}

/** Thoughts have no place here. */
const assistant = (parts: ReadonlyArray<Message.Part>): ReadonlyArray<ChatMessage> => {
  const text = parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n")
  const calls = parts.flatMap((part) => (part._tag === "Call" ? [toCall(part)] : []))
  if (calls.length > 0) return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }]
  return text === "" ? [] : [{ role: "assistant", content: text }]
}

/** Servers put arguments into templates as JSON, and fail for any other text. */
const toCall = ({ id, input, name }: Message.Call) => ({
  id,
  type: "function",
  function: { name: Replay.nameOf(name), arguments: JSON.stringify(Replay.argumentsOf(input)) }
})

/** Text alone is the form that every server takes. */
const userContent = (content: ReadonlyArray<ToolContent>): unknown =>
  content.some((part) => part._tag === "Media" && Media.isImage(part))
    ? content.map(userPart)
    : Media.plainText(content)

const userPart = (part: ToolContent): object => {
  if (part._tag === "Text") return { type: "text", text: part.text }
  if (!Media.isImage(part)) return { type: "text", text: Media.noteOf(part) }
  return { type: "image_url", image_url: { url: Media.dataUrl(part) } }
}

export const toolsOf = (definitions: ReadonlyArray<ToolDefinition>): ReadonlyArray<object> =>
  definitions.map(({ description, inputSchema, name }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema }
  }))
