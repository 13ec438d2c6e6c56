/** A function tool, invoked as the runner of the SDK does it: with the text of the arguments. */
import { type FunctionTool, invokeFunctionTool, RunContext, tool } from "@openai/agents"
import type { Subject } from "../subject.ts"
import { description, type Input, run, sumOf, type Work } from "../works.ts"
import { inputOf, outputOf } from "../zodWorks.ts"

const toolOf = ({ kind, name }: Work): FunctionTool => {
  const execute = run(kind)
  const outputSchema = outputOf(kind)
  return tool({
    name,
    description,
    parameters: inputOf(kind),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: (input: unknown, _: unknown, details?: { readonly signal?: AbortSignal }) =>
      execute(input as Input, details?.signal)
  } as Parameters<typeof tool>[0]) as FunctionTool
}

export const subject: Subject = {
  offer: async (works) => {
    const tools = new Map(works.map((work) => [work.name, toolOf(work)]))
    const context = new RunContext({})
    const invoke = async (name: string, input: Input, signal?: AbortSignal): Promise<unknown> => {
      const called = tools.get(name)
      if (called === undefined) throw new Error(`There is no ${name}`)
      const details = signal === undefined ? {} : { signal }
      return invokeFunctionTool({ tool: called, runContext: context, input: JSON.stringify(input), details })
    }
    return {
      calls: { manner: "promise", call: async (name, input, signal) => sumOf(await invoke(name, input, signal)) },
      definitions: async () => [...tools.values()].map(({ name, parameters }) => ({ name, parameters })),
      read: async (name, input) => String(await invoke(name, input)),
      close: async () => {}
    }
  }
}
