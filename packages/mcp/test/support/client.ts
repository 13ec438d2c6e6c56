/** The official client, as an Effect resource. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"

type Transport = Parameters<Client["connect"]>[0]

export const connect = (make: () => Transport, client = new Client({ name: "official", version: "1.0.0" })) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await client.connect(make())
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

export const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("../fixtures/server.ts", import.meta.url))],
    stderr: "inherit"
  })

export const overHttp = (url: string, token: string) => () =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
