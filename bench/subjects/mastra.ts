/** A tool of Mastra's, executed as its agents do it. */
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

const parametersOf = (tool: MastraTool): unknown => {
  const core = makeCoreTool(tool as Parameters<typeof makeCoreTool>[0], {
    name: tool.id,
    description,
    requestContext: new RequestContext()
  } as unknown as Parameters<typeof makeCoreTool>[1])
  const { parameters } = core as { readonly parameters?: { readonly jsonSchema?: unknown } }
  return parameters?.jsonSchema
}

export const subject: Subject = {
  offer: async (works) => {
    const tools = new Map(works.map((work) => [work.name, toolOf(work)]))
    const execute = async (name: string, input: Input, abortSignal?: AbortSignal): Promise<unknown> =>
      tools.get(name)?.execute?.(input, (abortSignal === undefined ? {} : { abortSignal }) as never)
    return {
      calls: { manner: "promise", call: async (name, input, signal) => sumOf(await execute(name, input, signal)) },
      definitions: async () => [...tools.values()].map((tool) => ({ name: tool.id, parameters: parametersOf(tool) })),
      read: async (name, input) => String(await execute(name, input)),
      close: async () => {}
    }
  }
}
