/**
 * A function tool, invoked as the runner of the SDK does it: with the text of the arguments. A call is cancelled as its
 * documentation says, through the signal of a run.
 */
import {
  Agent,
  type FunctionTool,
  invokeFunctionTool,
  type Model,
  RunContext,
  Runner,
  tool,
  Usage
} from "@openai/agents"
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

/** One turn of the loop, with a model that asks for one call. */
const turn = (called: FunctionTool, input: Input, signal: AbortSignal): Promise<unknown> => {
  const call = { type: "function_call", callId: "call", name: called.name, arguments: JSON.stringify(input) }
  const model = {
    getResponse: async () => ({ usage: new Usage(), output: [{ ...call, status: "completed" }] })
  } as unknown as Model
  const agent = new Agent({ name: "agent", model, tools: [called], toolUseBehavior: "stop_on_first_tool" })
  return new Runner({ tracingDisabled: true }).run(agent, "Call it", { signal })
}

export const subject: Subject = {
  offer: async (works) => {
    const tools = new Map(works.map((work) => [work.name, toolOf(work)]))
    const context = new RunContext({})
    const toolNamed = (name: string): FunctionTool => {
      const called = tools.get(name)
      if (called === undefined) throw new Error(`There is no ${name}`)
      return called
    }
    const invoke = async (name: string, input: Input): Promise<unknown> =>
      invokeFunctionTool({ tool: toolNamed(name), runContext: context, input: JSON.stringify(input) })
    return {
      calls: { manner: "promise", call: async (name, input) => sumOf(await invoke(name, input)) },
      definitions: async () => [...tools.values()].map(({ name, parameters }) => ({ name, parameters })),
      read: async (name, input) => String(await invoke(name, input)),
      cancellable: (name, input, signal) => turn(toolNamed(name), input, signal),
      close: async () => {}
    }
  }
}
