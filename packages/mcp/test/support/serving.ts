/** A server over HTTP on a free port. */
import { McpHttp, type Source } from "@haft/mcp"
import { NodeHttpServer } from "@haft/node"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"

export const token = "a-token-of-the-test"

export const tokens: McpHttp.Options["tokens"] = [{ name: "test", token: Redacted.make(token) }]

/** Serves until the Scope closes, and gives the address. */
export const serving = Effect.fnUntraced(function* (
  source: Source.Source,
  options: Partial<Omit<McpHttp.Options, "source">> = {}
) {
  const server = McpHttp.layer({ name: "fixture", version: "1.0.0", source, tokens, ...options })
  const services = yield* Layer.build(Layer.provideMerge(server, NodeHttpServer.layer({ port: 0 })))
  const { address } = yield* Effect.provide(HttpServer.HttpServer, services)
  const port = address._tag === "InetAddressV4" ? address.port : 0
  return `http://127.0.0.1:${port}/mcp`
})
