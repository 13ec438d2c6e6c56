/**
 * The two steps that `generateText` makes of a call: `parseToolCall` and `executeTool`. The loop around them, which costs
 * more, is left out, except where a call is cancelled or read by a model: there the loop is what decides.
 */
import { executeTool } from "@ai-sdk/provider-utils"
import { generateText, tool, type ToolSet } from "ai"
import { parseToolCall, prepareTools } from "ai/internal"
import { MockLanguageModelV4 } from "ai/test"
import type { Offered, Subject } from "../subject.ts"
import { description, type Input, run, sumOf, type Work } from "../works.ts"
import { inputOf, outputOf } from "../zodWorks.ts"

const toolOf = ({ kind }: Work): ToolSet[string] => {
  const execute = run(kind)
  const outputSchema = outputOf(kind)
  return tool({
    description,
    inputSchema: inputOf(kind),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => execute(input as Input, abortSignal)
  } as never) as ToolSet[string]
}

const toolCallOf = (name: string, input: Input) => ({
  type: "tool-call" as const,
  toolCallId: "call",
  toolName: name,
  input: JSON.stringify(input)
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

/** One step of the loop, with a model that asks for one call. */
const step = (tools: ToolSet, name: string, input: Input, abortSignal?: AbortSignal) =>
  generateText({
    model: new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [toolCallOf(name, input)],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: []
      })
    }),
    tools,
    prompt: "Call it",
    ...(abortSignal === undefined ? {} : { abortSignal })
  })

const calling =
  (tools: ToolSet) =>
  async (name: string, input: Input, abortSignal?: AbortSignal): Promise<number> => {
    const call = await parseToolCall({
      toolCall: toolCallOf(name, input),
      tools,
      messages: [],
      instructions: undefined,
      repairToolCall: undefined
    })
    const called = tools[name]
    if (call.invalid === true || called?.execute === undefined) return Number.NaN
    const options = { toolCallId: call.toolCallId, messages: [], context: {}, abortSignal }
    let output: unknown
    for await (const part of executeTool({ tool: called, input: call.input, options } as never)) output = part.output
    return sumOf(output)
  }

export const subject: Subject = {
  offer: async (works) => {
    const tools: ToolSet = Object.fromEntries(works.map((work) => [work.name, toolOf(work)]))
    const offered: Offered = {
      calls: { manner: "promise", call: calling(tools) },
      definitions: async () =>
        ((await prepareTools({ tools })) ?? []).map((prepared) => ({
          name: prepared.name,
          parameters: prepared.type === "function" ? prepared.inputSchema : undefined
        })),
      read: async (name, input) => {
        const { response } = await step(tools, name, input)
        const [part] = response.messages.flatMap(({ content }) =>
          typeof content === "string" ? [] : content.filter(({ type }) => type === "tool-result")
        )
        if (part?.type !== "tool-result" || part.output.type !== "text") return ""
        return part.output.value
      },
      cancellable: (name, input, signal) => step(tools, name, input, signal),
      close: async () => {}
    }
    return offered
  }
}
