import { assert, describe, it } from "@effect/vitest"
import { Tools } from "@haft/core"
import { McpClients, McpHttp } from "@haft/mcp"
import { NodeHttpServer } from "@haft/node"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { conformanceTools } from "./support/conformanceTools.ts"

const suite = join(
  fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")),
  "../dist/index.js"
)

const both = [
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "dns-rebinding-protection"
]

const scenarios = [
  ...["server-initialize", "ping", "server-session-lifecycle", "json-schema-2020-12", ...both].map(
    (name) => ["2025-11-25", name] as const
  ),
  ...["http-header-validation", "sep-2164-resource-not-found", ...both].map((name) => ["2026-07-28", name] as const)
]

/** The suite itself, as a process. */
const run = (url: string, version: string, scenario: string) =>
  Effect.callback<{ readonly failed: boolean; readonly printed: string }>((resume) => {
    const args = [suite, "server", "--url", url, "--spec-version", version, "--scenario", scenario]
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resume(Effect.succeed({ failed: error !== null, printed: `${stdout}${stderr}` }))
    )
  })

describe("the official conformance suite", () => {
  it.live.each(scenarios)("%s: %s", ([version, scenario]) =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const registry = yield* ToolRegistry.Service
      yield* tools.register(conformanceTools)
      const source = { materialize: registry.materialize(), changes: registry.changes }
      const server = McpHttp.layer({ name: "conforming", version: "1.0.0", source, tokens: "none" })
      const services = yield* Layer.build(Layer.provideMerge(server, NodeHttpServer.layer({ port: 0 })))
      const { address } = yield* Effect.provide(HttpServer.HttpServer, services)
      const { failed, printed } = yield* run(`${HttpServer.formatAddress(address)}/mcp`, version, scenario)
      assert.isFalse(failed, printed)
    }).pipe(Effect.provide(Layer.merge(Testing.layer, McpClients.layer)))
  )
})
