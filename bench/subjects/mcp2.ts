/** A client and a server of the second SDK, joined in memory. The server checks both ways, and the client once more. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { McpServer } from "@modelcontextprotocol/server"
import type { Subject } from "../subject.ts"
import { description, type Input, run, sumOf, type Work } from "../works.ts"
import { inputOf, outputOf } from "../zodWorks.ts"

const add = (server: McpServer, { kind, name }: Work): void => {
  const execute = run(kind)
  const outputSchema = outputOf(kind)
  server.registerTool(
    name,
    { description, inputSchema: inputOf(kind), ...(outputSchema === undefined ? {} : { outputSchema }) },
    async (input: unknown, { mcpReq }: { readonly mcpReq: { readonly signal: AbortSignal } }) => {
      const output = await execute(input as Input, mcpReq.signal)
      if (typeof output === "string") return { content: [{ type: "text" as const, text: output }] }
      return { content: [], structuredContent: output as Record<string, unknown> }
    }
  )
}

export const subject: Subject = {
  offer: async (works) => {
    const server = new McpServer({ name: "server", version: "1.0.0" })
    const client = new Client({ name: "client", version: "1.0.0" })
    for (const work of works) add(server, work)
    const [left, right] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(left), client.connect(right)])
    // The client checks the outputs of those tools that it has listed.
    await client.listTools()
    const call = (name: string, input: Input, signal?: AbortSignal) =>
      client.callTool({ name, arguments: { ...input } }, signal === undefined ? {} : { signal })
    return {
      calls: {
        manner: "promise",
        call: async (name, input, signal) => {
          const result = await call(name, input, signal)
          return result.isError === true ? Number.NaN : sumOf(result.structuredContent)
        }
      },
      definitions: async () =>
        (await client.listTools()).tools.map(({ inputSchema, name }) => ({ name, parameters: inputSchema })),
      read: async (name, input) => {
        const { content } = (await call(name, input)) as { readonly content: ReadonlyArray<{ readonly text?: string }> }
        return content.map(({ text }) => text ?? "").join("")
      },
      close: async () => {
        await client.close()
        await server.close()
      }
    }
  }
}
