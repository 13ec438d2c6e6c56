/** A structured tool, invoked with a call and answered with a message, as LangChain's tool node does it. */
import { ToolMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import type { Subject } from "../subject.ts"
import { description, type Input, run, sumOf, type Work } from "../works.ts"
import { inputOf } from "../zodWorks.ts"

const toolOf = ({ kind, name }: Work) => {
  const execute = run(kind)
  return tool(
    (input: unknown, config: { readonly signal?: AbortSignal }) => execute(input as Input, config.signal) as object,
    { name, description, schema: inputOf(kind) }
  )
}

export const subject: Subject = {
  offer: async (works) => {
    const tools = new Map(works.map((work) => [work.name, toolOf(work)]))
    const invoke = async (name: string, input: Input, signal?: AbortSignal): Promise<string> => {
      const call = { type: "tool_call", id: "call", name, args: { ...input } }
      const message: unknown = await tools.get(name)?.invoke(call as never, signal === undefined ? {} : { signal })
      return ToolMessage.isInstance(message) && typeof message.content === "string" ? message.content : ""
    }
    return {
      calls: {
        manner: "promise",
        call: async (name, input, signal) => sumOf(JSON.parse(await invoke(name, input, signal)))
      },
      definitions: async () =>
        [...tools.values()].map((one) => {
          const { function: definition } = convertToOpenAITool(one)
          return { name: definition.name, parameters: definition.parameters }
        }),
      read: invoke,
      close: async () => {}
    }
  }
}
