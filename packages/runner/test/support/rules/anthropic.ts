/** The rules of Anthropic's Messages API about a conversation, written down apart from the code that keeps to them. */
import { duplicates, isBlank, isSame, type Json, listOf, malformedTexts, objectOf, textOf } from "./json.ts"

export const anthropicFaults = (body: unknown): ReadonlyArray<string> => {
  const { max_tokens, messages: sent, system, tools } = objectOf(body)
  const messages = listOf(sent)
  const blocks = messages.flatMap(({ content }) => listOf(content))
  const uses = blocks.filter(({ type }) => type === "tool_use")
  const ids = uses.map(({ id }) => textOf(id))
  return [
    ...(typeof max_tokens === "number" ? [] : ["max_tokens is missing"]),
    ...(messages.length === 0 ? ["there are no messages"] : []),
    ...(messages[0]?.["role"] === "user" ? [] : ["the first message is not the user's"]),
    ...(messages.at(-1)?.["role"] === "user" ? [] : ["the last message is not the user's"]),
    ...(uses.length > 0 && listOf(tools).length === 0 ? ["there are calls and no tools"] : []),
    ...duplicates(ids).map((id) => `${id} is the id of two calls`),
    ...listOf(system)
      .filter(({ text }) => isBlank(text))
      .map(() => "a system text is blank"),
    ...messages.flatMap((message, index) => messageFaults(message, messages[index - 1], messages[index + 1])),
    ...blocks.flatMap(blockFaults),
    ...malformedTexts(body)
  ]
}

const messageFaults = (message: Json, before: Json | undefined, after: Json | undefined): ReadonlyArray<string> => {
  const content = listOf(message["content"])
  const calls = content.filter(({ type }) => type === "tool_use").map(({ id }) => textOf(id))
  const results = content.filter(({ type }) => type === "tool_result")
  const firstOther = content.findIndex(({ type }) => type !== "tool_result")
  const called = listOf(before?.["content"]).filter(({ type }) => type === "tool_use")
  return [
    ...(content.length === 0 ? ["a message is empty"] : []),
    ...(before !== undefined && before["role"] === message["role"] ? ["two messages in a row have one role"] : []),
    ...(message["role"] !== "assistant" && calls.length > 0 ? ["a call outside an answer"] : []),
    ...(calls.length > 0 && after === undefined ? ["calls without results"] : []),
    ...(firstOther >= 0 && content.slice(firstOther).some(({ type }) => type === "tool_result")
      ? ["a result behind something else"]
      : []),
    ...(message["role"] === "user" &&
    !isSame(
      results.map(({ tool_use_id }) => textOf(tool_use_id)),
      called.map(({ id }) => textOf(id))
    )
      ? ["results are not those of the calls before"]
      : [])
  ]
}

const blockFaults = (block: Json): ReadonlyArray<string> => {
  switch (block["type"]) {
    case "text":
      return isBlank(block["text"]) ? ["a text is blank"] : []
    case "tool_use":
      return [
        ...(/^[a-zA-Z0-9_-]+$/.test(textOf(block["id"])) ? [] : ["the id of a call has other characters"]),
        ...(/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(block["name"])) ? [] : ["the name of a call is none"]),
        ...(typeof block["input"] === "object" && block["input"] !== null && !Array.isArray(block["input"])
          ? []
          : ["the input of a call is no object"])
      ]
    case "tool_result": {
      const content = listOf(block["content"])
      const isTextAlone = content.every(({ type }) => type === "text")
      return [
        ...(content.length === 0 ? ["a result is empty"] : []),
        ...(block["is_error"] === true && !isTextAlone ? ["an error that is not text alone"] : []),
        ...content.flatMap(blockFaults)
      ]
    }
    case "image":
    case "document":
      return isBlank(objectOf(block["source"])["data"]) ? ["media is empty"] : []
    case "thinking":
      return isBlank(block["signature"]) ? ["a thought is not signed"] : []
    case "redacted_thinking":
      return []
    default:
      return [`a block of the unknown type ${textOf(block["type"])}`]
  }
}
