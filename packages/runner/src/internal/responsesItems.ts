/** A conversation as OpenAI's Responses API takes it. */
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type { CallResult } from "../CallResult.ts"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import * as Media from "./media.ts"
import * as Replay from "./replay.ts"

export type Item = Readonly<Record<string, unknown>>

/** Items in a row: each call is followed by the outputs of its answer, each output names its call, nothing is empty. */
export const itemsOf = (
  messages: ReadonlyArray<Model.RequestMessage>,
  provider: string | undefined
): ReadonlyArray<Item> =>
  messages.flatMap((message) => {
    switch (message._tag) {
      case "User":
        return [{ type: "message", role: "user", content: message.content.map(contentItem) }]
      case "Assistant":
        return message.parts.flatMap((part) => partItems(part, provider))
      case "Results":
        return message.results.map(outputItem)
    }
  })

const partItems = (part: Message.Part, provider: string | undefined): ReadonlyArray<Item> => {
  switch (part._tag) {
    case "Text":
      return [{ type: "message", role: "assistant", content: [{ type: "output_text", text: part.text }] }]
    case "Reasoning":
      return part.provider === provider && isItem(part.replay) ? [part.replay] : []
    case "Call":
      return [
        {
          type: "function_call",
          call_id: part.id,
          name: Replay.nameOf(part.name),
          arguments: JSON.stringify(Replay.argumentsOf(part.input))
        }
      ]
  }
}

const isItem = (json: unknown): json is Item => typeof json === "object" && json !== null && !Array.isArray(json)

/** Text alone is the form that every model and server takes. */
const outputItem = ({ callID, content }: CallResult): Item => ({
  type: "function_call_output",
  call_id: callID,
  output: content.some(isShown) ? content.map(contentItem) : Media.plainText(content)
})

const isShown = (part: ToolContent): boolean => part._tag === "Media" && (Media.isImage(part) || Media.isPdf(part))

const contentItem = (part: ToolContent): Item => {
  if (part._tag === "Text") return { type: "input_text", text: part.text }
  if (Media.isImage(part)) return { type: "input_image", image_url: Media.dataUrl(part), detail: "auto" }
  return Media.isPdf(part)
    ? { type: "input_file", filename: Media.fileName(part), file_data: Media.dataUrl(part) }
    : { type: "input_text", text: Media.noteOf(part) }
}

/** Said explicitly, because the API takes tools to be strict if nobody says so. */
export const toolsOf = (definitions: ReadonlyArray<ToolDefinition>, strict: boolean): ReadonlyArray<Item> =>
  definitions.map(({ description, inputSchema, name }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict
  }))
