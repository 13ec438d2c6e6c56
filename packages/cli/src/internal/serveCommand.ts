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
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as HttpServer from "effect/http/HttpServer"
import * as Project from "../Project.ts"
import { answeredByClients, decidedByClients } from "./answeredByClients.ts"
import { type Contract, contracts } from "./contracts.ts"
import { OperationalError, UsageError } from "./faults.ts"
import { haft, withHost } from "./haft.ts"
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

const contract = Flag.ChoiceWithValue("contract", Object.entries(contracts)).pipe(
  Flag.withDescription(
    "Serve governed calls in this contract instead of MCP, over HTTP. Needs a token of 16 characters"
  ),
  Flag.optional
)

const actor = Flag.String("actor").pipe(
  Flag.withDescription(
    "With a contract: as whom the holder of the token acts. By default requests say for whom they are"
  ),
  Flag.optional
)

const manifests = Flag.String("manifests").pipe(
  Flag.withDescription("With a contract: offer what has a manifest below this directory, pinned by its lock"),
  Flag.optional
)

const permissions = Flag.String("permissions").pipe(
  Flag.withDescription(
    "With a contract: a JSON file of tool permissions, agent policies, roles and agents that decide"
  ),
  Flag.optional
)

const approver = Flag.String("approver").pipe(
  Flag.withDescription(
    "With a contract: who decides about approvals over HTTP, with $HAFT_APPROVER_TOKEN or a new token. Without it, what needs one is refused"
  ),
  Flag.optional
)

interface Given {
  readonly contract: Option.Option<Contract>
  readonly actor: Option.Option<string>
  readonly manifests: Option.Option<string>
  readonly permissions: Option.Option<string>
  readonly approver: Option.Option<string>
  readonly http: Option.Option<number>
  readonly host: string
  readonly names: ReadonlyArray<string>
  readonly origins: ReadonlyArray<string>
  readonly open: boolean
}

const flags = { http, host, names, origins, open, contract, actor, manifests, permissions, approver }

export const serve = Command.make("serve", flags, (given) =>
  withHost(
    Effect.gen(function* () {
      if (Option.isSome(given.contract)) return yield* inContract(given, given.contract.value)
      if (Option.isSome(given.approver)) return yield* new UsageError(Sentences.withContractOnly("--approver"))
      if (Option.isSome(given.permissions)) return yield* new UsageError(Sentences.withContractOnly("--permissions"))
      const source = yield* sourceOf
      yield* Effect.forkScoped(decidedByClients, { startImmediately: true })
      yield* Effect.forkScoped(answeredByClients, { startImmediately: true })
      yield* upkeep
      return yield* Option.isSome(given.http) ? overHttp(source, given, given.http.value) : overStdio(source)
    }).pipe(Effect.scoped, Effect.provide(McpClients.layer))
  )
).pipe(
  Command.withDescription("Serve the tools to MCP clients, or in a published contract"),
  Command.withExamples([
    { command: "haft serve", description: "For a client that starts this command itself" },
    { command: "haft serve --http 7717", description: "For clients on this machine, with a token" },
    { command: "haft serve --contract orloj --http 7717", description: "Governed calls in the Orloj contract" },
    { command: "haft serve --contract orloj --approver ada", description: "With somebody who approves" }
  ])
)

/** What serves it is loaded only here. */
const inContract = Effect.fnUntraced(function* (given: Given, contract: Contract) {
  yield* upkeep
  const { serveContract } = yield* Effect.promise(() => import("./contractServer.ts"))
  const path = yield* Path.Path
  const { root } = yield* Project.Service
  return yield* serveContract({
    contract,
    port: Option.getOrElse(given.http, () => 0),
    host: given.host,
    token: given.open ? undefined : yield* tokenOf,
    approver: Option.isNone(given.approver)
      ? undefined
      : { name: given.approver.value, token: yield* tokenIn("HAFT_APPROVER_TOKEN") },
    permissions: Option.map(given.permissions, (file) => path.resolve(root, file)),
    actor: given.actor,
    manifests: Option.map(given.manifests, (directory) => path.resolve(root, directory))
  })
})

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
  const { json } = yield* haft
  yield* json ? Console.log(JSON.stringify({ url, ...tokenOnce(token) })) : Console.error(Sentences.serving(url, token))
  return yield* Effect.never
})

/** For a program that starts the server and calls it. A token that was given is known. */
const tokenOnce = (token: { readonly value: string; readonly isNew: boolean } | undefined) =>
  token?.isNew === true ? { token: token.value } : {}

/** What fits into a header, as the server demands. */
const Token = Schema.String.check(Schema.isPattern(/^[!-~]{8,4096}$/))

const tokenIn = (name: string) =>
  Effect.gen(function* () {
    const given = yield* Config.option(Config.Redacted(name))
    if (Option.isNone(given)) return { value: SecureRandom.uuidV4Unsafe(), isNew: true }
    const value = Redacted.value(given.value)
    if (!Schema.is(Token)(value)) return yield* new UsageError(Sentences.badToken(name))
    return { value, isNew: false }
  }).pipe(Effect.catchTag("ConfigError", () => Effect.fail(new UsageError(Sentences.badToken(name)))))

const tokenOf = tokenIn("HAFT_TOKEN")
