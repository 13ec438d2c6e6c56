/**
 * A tool of Mastra's, converted and executed as its agents do it. A call is cancelled as its documentation says, through
 * the signal of an agent's stream.
 */
import type { MastraModelConfig } from "@mastra/core/llm"
import { createTool } from "@mastra/core/tools"
import { makeCoreTool } from "@mastra/core/utils"
import { RequestContext } from "@mastra/core/request-context"
import type { Subject } from "../subject.ts"
import { description, type Input, run, sumOf, type Work } from "../works.ts"
import { inputOf, outputOf } from "../zodWorks.ts"

type MastraTool = ReturnType<typeof createTool>

const toolOf = ({ kind, name }: Work): MastraTool => {
  const execute = run(kind)
  const outputSchema = outputOf(kind)
  return createTool({
    id: name,
    description,
    inputSchema: inputOf(kind),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: async (input: unknown, context: { readonly abortSignal?: AbortSignal }) =>
      execute(input as Input, context.abortSignal)
  } as Parameters<typeof createTool>[0])
}

/** What an agent makes of a tool for a turn. */
interface Converted {
  readonly parameters?: { readonly jsonSchema?: unknown }
  readonly execute?: (
    input: unknown,
    options: { readonly toolCallId: string; readonly messages: [] }
  ) => Promise<unknown>
}

const convert = (tool: MastraTool): Converted =>
  makeCoreTool(
    tool as Parameters<typeof makeCoreTool>[0],
    { name: tool.id, description, requestContext: new RequestContext() } as unknown as Parameters<
      typeof makeCoreTool
    >[1]
  ) as Converted

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** A model that asks for one call. */
const modelFor = (toolName: string, input: Input) =>
  ({
    specificationVersion: "v2",
    provider: "bench",
    modelId: "model",
    supportedUrls: {},
    doStream: async () => ({
      stream: ReadableStream.from([
        { type: "stream-start", warnings: [] },
        { type: "tool-call", toolCallId: "call", toolName, input: JSON.stringify(input) },
        { type: "finish", finishReason: "tool-calls", usage }
      ])
    })
  }) as unknown as MastraModelConfig

/** One step of an agent's loop. Agents are loaded here alone: nothing else needs them. */
const step = async (tool: MastraTool, input: Input, abortSignal: AbortSignal): Promise<void> => {
  const { Agent } = await import("@mastra/core/agent")
  const agent = new Agent({
    id: "agent",
    name: "agent",
    instructions: "Call it",
    model: modelFor(tool.id, input),
    tools: { [tool.id]: tool }
  })
  const { fullStream } = await agent.stream("Call it", { abortSignal, maxSteps: 1 })
  await fullStream.pipeTo(new WritableStream())
}

export const subject: Subject = {
  offer: async (works) => {
    const tools = works.map(toolOf)
    const converted = new Map(tools.map((tool) => [tool.id, convert(tool)]))
    const execute = async (name: string, input: Input): Promise<unknown> =>
      converted.get(name)?.execute?.(input, { toolCallId: "call", messages: [] })
    return {
      calls: { manner: "promise", call: async (name, input) => sumOf(await execute(name, input)) },
      definitions: async () =>
        tools.map((tool) => ({ name: tool.id, parameters: convert(tool).parameters?.jsonSchema })),
      read: async (name, input) => String(await execute(name, input)),
      cancellable: async (name, input, signal) => {
        const called = tools.find(({ id }) => id === name)
        if (called !== undefined) await step(called, input, signal)
      },
      close: async () => {}
    }
  }
}
