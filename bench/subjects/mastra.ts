/** A tool of Mastra's, converted and executed as its agents do it. */
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
    options: { readonly toolCallId: string; readonly messages: []; readonly abortSignal?: AbortSignal }
  ) => Promise<unknown>
}

const convert = (tool: MastraTool): Converted =>
  makeCoreTool(
    tool as Parameters<typeof makeCoreTool>[0],
    { name: tool.id, description, requestContext: new RequestContext() } as unknown as Parameters<
      typeof makeCoreTool
    >[1]
  ) as Converted

export const subject: Subject = {
  offer: async (works) => {
    const tools = works.map(toolOf)
    const converted = new Map(tools.map((tool) => [tool.id, convert(tool)]))
    const execute = async (name: string, input: Input, abortSignal?: AbortSignal): Promise<unknown> =>
      converted
        .get(name)
        ?.execute?.(input, { toolCallId: "call", messages: [], ...(abortSignal === undefined ? {} : { abortSignal }) })
    return {
      calls: { manner: "promise", call: async (name, input, signal) => sumOf(await execute(name, input, signal)) },
      definitions: async () =>
        tools.map((tool) => ({ name: tool.id, parameters: convert(tool).parameters?.jsonSchema })),
      read: async (name, input) => String(await execute(name, input)),
      close: async () => {}
    }
  }
}
