/** The rules of OpenAI's Responses API about a conversation, written down apart from the code that keeps to them. */
import {
  duplicates,
  isBlank,
  isJsonObjectText,
  isSame,
  type Json,
  listOf,
  malformedTexts,
  objectOf,
  textOf
} from "./json.ts"

export const responsesFaults = (body: unknown): ReadonlyArray<string> => {
  const items = listOf(objectOf(body)["input"])
  const calls = items.filter(({ type }) => type === "function_call").map(({ call_id }) => textOf(call_id))
  const outputs = items.filter(({ type }) => type === "function_call_output").map(({ call_id }) => textOf(call_id))
  return [
    ...(items.length === 0 ? ["there is no input"] : []),
    ...(items.at(-1)?.["role"] === "assistant" ? ["the last item is the model's"] : []),
    ...duplicates(calls).map((id) => `${id} is the id of two calls`),
    ...duplicates(outputs).map((id) => `${id} has two outputs`),
    ...(isSame(calls, outputs) ? [] : ["calls and outputs do not match"]),
    ...items.flatMap(itemFaults),
    ...items.flatMap((_, index) => orderFaults(items, index)),
    ...malformedTexts(body)
  ]
}

/** An output comes after its call, and nobody says anything in between; a thought is followed by what it led to. */
const orderFaults = (items: ReadonlyArray<Json>, index: number): ReadonlyArray<string> => {
  const item = items[index] ?? {}
  if (item["type"] === "reasoning") {
    const next = items[index + 1]
    const leads = next?.["role"] === "assistant" || next?.["type"] === "function_call" || next?.["type"] === "reasoning"
    return leads ? [] : ["a thought leads nowhere"]
  }
  if (item["type"] !== "function_call") return []
  const output = items.findIndex(
    ({ call_id, type }, at) => at > index && type === "function_call_output" && call_id === item["call_id"]
  )
  if (output < 0) return ["a call has no output behind it"]
  return items.slice(index, output).some(({ role }) => role === "user") ? ["somebody speaks before an output"] : []
}

const itemFaults = (item: Json): ReadonlyArray<string> => {
  if (item["role"] === "user" || item["role"] === "assistant") {
    const content = listOf(item["content"])
    return [...(content.length === 0 ? ["a message is empty"] : []), ...content.flatMap(partFaults)]
  }
  switch (item["type"]) {
    case "function_call":
      return [
        ...(/^[\x21-\x7e]{1,64}$/.test(textOf(item["call_id"])) ? [] : ["the id of a call is none"]),
        ...(/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(item["name"])) ? [] : ["the name of a call is none"]),
        ...(isJsonObjectText(item["arguments"]) ? [] : ["arguments are no JSON object"])
      ]
    case "function_call_output":
      return typeof item["output"] === "string"
        ? isBlank(item["output"])
          ? ["an output is blank"]
          : []
        : listOf(item["output"]).flatMap(partFaults)
    case "reasoning":
      return isBlank(item["encrypted_content"]) ? ["a thought without its content"] : []
    default:
      return [`an item of the unknown type ${textOf(item["type"])}`]
  }
}

const partFaults = (part: Json): ReadonlyArray<string> => {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
      return isBlank(part["text"]) ? ["a text is blank"] : []
    case "input_image":
      return textOf(part["image_url"]).startsWith("data:image/") ? [] : ["an image is none"]
    case "input_file":
      return isBlank(part["filename"]) ? ["a file has no name"] : []
    default:
      return [`a part of the unknown type ${textOf(part["type"])}`]
  }
}
