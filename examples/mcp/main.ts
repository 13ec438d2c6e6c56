import { OutputStore, Tool, Tools } from "@haft/core"
import { McpClients, McpHttp } from "@haft/mcp"
import { NodeHttpServer } from "@haft/node"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Redacted, Schema } from "effect"
import { McpClient, McpProtocol } from "effect/ai"
import { FetchHttpClient, HttpServer } from "effect/http"

const add = Tool.make({
  description: "Add two numbers",
  input: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  output: Schema.Struct({ sum: Schema.Finite }),
  execute: ({ a, b }) => Effect.succeed({ sum: a + b })
})

const token = "only-for-this-example"

const Server = Layer.unwrap(
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    const registry = yield* ToolRegistry.Service
    yield* tools.register({ add })
    const source = {
      materialize: registry.materialize(),
      changes: registry.changes,
      outputs: yield* OutputStore.Service
    }
    const tokens = [{ name: "me", token: Redacted.make(token) }]
    return McpHttp.layer({ name: "example", version: "1.0.0", source, tokens })
  })
).pipe(
  Layer.provide([McpClients.layer, ToolRegistry.layer]),
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory()),
  Layer.provideMerge(NodeHttpServer.layer({ port: 0 }))
)

/** Any client of MCP would do; this one comes with Effect. */
const Client = Layer.unwrap(
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    McpClient.layerHttp({
      name: "client",
      version: "1.0.0",
      url: `${HttpServer.formatAddress(address)}/mcp`,
      protocol: McpProtocol.v2025_11_25,
      headers: { authorization: `Bearer ${token}` }
    })
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const program = Effect.gen(function* () {
  const client = yield* McpClient.McpClient
  for (const tool of yield* client.listTools()) {
    console.log(tool.name, tool.description)
    for (const input of [{ a: 1, b: 2 }, { a: "1", b: 2 }, { a: 1 }]) {
      const { content, structuredContent } = yield* client.callTool({ tool, arguments: input })
      console.log(structuredContent, content)
    }
  }
})

await Effect.runPromise(Effect.provide(program, Layer.provide(Client, Server)))
