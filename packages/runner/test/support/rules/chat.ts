/** The rules of Chat Completions about a conversation, written down apart from the code that keeps to them. */
import { duplicates, isBlank, isJsonObjectText, type Json, listOf, malformedTexts, objectOf, textOf } from "./json.ts"

export const chatFaults = (body: unknown): ReadonlyArray<string> => {
  const messages = listOf(objectOf(body)["messages"])
  const ids = messages.flatMap(({ tool_calls }) => listOf(tool_calls).map(({ id }) => textOf(id)))
  const last = messages.at(-1)?.["role"]
  return [
    ...(messages.length === 0 ? ["there are no messages"] : []),
    ...(last === "user" || last === "tool" ? [] : ["the last message is the model's"]),
    ...duplicates(ids).map((id) => `${id} is the id of two calls`),
    ...messages.flatMap((message, index) => [
      ...messageFaults(message, index),
      ...(message["role"] === "user" && messages[index - 1]?.["role"] === "user"
        ? ["two messages of a user in a row"]
        : []),
      ...answerFaults(messages, index)
    ]),
    ...strayResults(messages),
    ...malformedTexts(body)
  ]
}

/** Directly behind an answer with calls there is one message for each of them. */
const answerFaults = (messages: ReadonlyArray<Json>, index: number): ReadonlyArray<string> => {
  const calls = listOf(messages[index]?.["tool_calls"]).map(({ id }) => textOf(id))
  const results = messages.slice(index + 1, index + 1 + calls.length)
  return calls.every((id, at) => results[at]?.["role"] === "tool" && results[at]?.["tool_call_id"] === id)
    ? []
    : ["calls without their results"]
}

const strayResults = (messages: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const calls = messages.flatMap(({ tool_calls }) => listOf(tool_calls)).length
  const results = messages.filter(({ role }) => role === "tool").length
  return calls === results ? [] : ["there are not as many results as calls"]
}

const messageFaults = (message: Json, index: number): ReadonlyArray<string> => {
  switch (message["role"]) {
    case "system":
      return [
        ...(index === 0 ? [] : ["a late system message"]),
        ...(isBlank(message["content"]) ? ["it is blank"] : [])
      ]
    case "user":
      return typeof message["content"] === "string"
        ? isBlank(message["content"])
          ? ["a message is blank"]
          : []
        : listOf(message["content"]).flatMap(({ text, type }) =>
            type === "text" && isBlank(text) ? ["a part is blank"] : []
          )
    case "tool":
      return isBlank(message["content"]) ? ["a result is blank"] : []
    case "assistant": {
      const calls = listOf(message["tool_calls"])
      return [
        ...(calls.length === 0 && isBlank(message["content"]) ? ["an answer is blank"] : []),
        ...calls.flatMap(({ function: called }) => callFaults(objectOf(called)))
      ]
    }
    default:
      return [`a message of the unknown role ${textOf(message["role"])}`]
  }
}

const callFaults = (called: Json): ReadonlyArray<string> => [
  ...(/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(called["name"])) ? [] : ["the name of a call is none"]),
  ...(isJsonObjectText(called["arguments"]) ? [] : ["arguments are no JSON object"])
]
