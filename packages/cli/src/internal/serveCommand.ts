/** `haft serve`: the tools of the project for MCP clients, over standard streams or HTTP. */
import * as LocationJobs from "@haft/builtins/LocationJobs"
import * as OutputStore from "@haft/core/OutputStore"
import * as McpClients from "@haft/mcp/McpClients"
import * as McpHttp from "@haft/mcp/McpHttp"
import * as McpStdio from "@haft/mcp/McpStdio"
import type { Source } from "@haft/mcp/Source"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServer from "effect/http/HttpServer"
import { answeredByClients, decidedByClients } from "./answeredByClients.ts"
import { OperationalError, UsageError } from "./faults.ts"
import { withHost } from "./haft.ts"
import * as Sentences from "./sentences.ts"
import { toolsOf } from "./turn.ts"
import { upkeep } from "./upkeep.ts"
import { version } from "./version.ts"

const http = Flag.Int("http").pipe(
  Flag.withDescription("Serve over HTTP on this port, 0 for any that is free, instead of over standard streams"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
  Flag.optional
)

const host = Flag.String("host").pipe(
  Flag.withDescription("The address to listen on. Only programs on this machine can reach the default"),
  Flag.withDefault("127.0.0.1")
)

const names = Flag.String("name").pipe(
  Flag.withDescription("A name, with its port, by which clients address this server, besides those of loopback"),
  Flag.atLeast(0)
)

const origins = Flag.String("origin").pipe(
  Flag.withDescription("The origin of a web page that may call, such as https://example.com"),
  Flag.atLeast(0)
)

const open = Flag.Boolean("without-token").pipe(
  Flag.withDescription("Let in whoever can reach the port. By default a token is needed: $HAFT_TOKEN, or a new one"),
  Flag.withDefault(false)
)

interface Given {
  readonly http: Option.Option<number>
  readonly host: string
  readonly names: ReadonlyArray<string>
  readonly origins: ReadonlyArray<string>
  readonly open: boolean
}

export const serve = Command.make("serve", { http, host, names, origins, open }, (given) =>
  withHost(
    Effect.gen(function* () {
      const source = yield* sourceOf
      yield* Effect.forkScoped(decidedByClients, { startImmediately: true })
      yield* Effect.forkScoped(answeredByClients, { startImmediately: true })
      yield* upkeep
      return yield* Option.isSome(given.http) ? overHttp(source, given, given.http.value) : overStdio(source)
    }).pipe(Effect.scoped, Effect.provide(McpClients.layer))
  )
).pipe(
  Command.withDescription("Serve the tools to MCP clients"),
  Command.withExamples([
    { command: "haft serve", description: "For a client that starts this command itself" },
    { command: "haft serve --http 7717", description: "For clients on this machine, with a token" }
  ])
)

const sourceOf = Effect.gen(function* () {
  const { changes } = yield* ToolRegistry.Service
  const source: Source = {
    materialize: yield* toolsOf,
    changes,
    outputs: yield* OutputStore.Service,
    ended: (yield* LocationJobs.Service).end
  }
  return source
})

const about = { name: "haft", version }

const overStdio = (source: Source) => McpStdio.serve({ ...about, source })

const overHttp = Effect.fnUntraced(function* (source: Source, given: Given, port: number) {
  const token = given.open ? undefined : yield* tokenOf
  const server = yield* Layer.build(
    McpHttp.layer({
      ...about,
      source,
      tokens: token === undefined ? "none" : [{ name: "haft", token: Redacted.make(token.value) }],
      hosts: given.names,
      origins: given.origins
    }).pipe(Layer.provideMerge(NodeHttpServer.layer({ port, host: given.host })))
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) => Effect.fail(new OperationalError(Sentences.cannotListen(port, cause))))
  )
  const { address } = yield* Effect.provide(HttpServer.HttpServer, server)
  const url = `${HttpServer.formatAddress(address)}/mcp`
  yield* Console.error(Sentences.serving(url, token))
  return yield* Effect.never
})

/** What fits into a header, as the server demands. */
const Token = Schema.String.check(Schema.isPattern(/^[!-~]{8,4096}$/))

const tokenOf = Effect.gen(function* () {
  const given = yield* Config.option(Config.Redacted("HAFT_TOKEN"))
  if (Option.isNone(given)) return { value: SecureRandom.uuidV4Unsafe(), isNew: true }
  const value = Redacted.value(given.value)
  if (!Schema.is(Token)(value)) return yield* new UsageError(Sentences.badToken)
  return { value, isNew: false }
}).pipe(Effect.catchTag("ConfigError", () => Effect.fail(new UsageError(Sentences.badToken))))
