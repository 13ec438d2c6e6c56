/** The tools of the project behind a published contract, over HTTP, with every call governed and on the account. */
import * as ApprovalGate from "@haft/gateway/ApprovalGate"
import * as Authorizer from "@haft/gateway/Authorizer"
import * as Budgets from "@haft/gateway/Budgets"
import * as Catalog from "@haft/gateway/Catalog"
import * as Gateway from "@haft/gateway/Gateway"
import * as GatewayHttp from "@haft/gateway/http"
import * as IdempotencyStore from "@haft/gateway/IdempotencyStore"
import * as Releases from "@haft/gateway/Releases"
import * as GatewaySql from "@haft/gateway/sql"
import * as Permission from "@haft/core/Permission"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as ToolPermissions from "@haft/policy/ToolPermissions"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { decodeConfig, parseText } from "./configText.ts"
import type { Contract } from "./contracts.ts"
import { OperationalError, UsageError } from "./faults.ts"
import { manifestsIn } from "./manifestFiles.ts"
import * as Sentences from "./sentences.ts"
import { toolsOf } from "./turn.ts"

interface Token {
  readonly value: string
  readonly isNew: boolean
}

export interface Given {
  readonly contract: Contract
  readonly port: number
  readonly host: string
  /** None lets everybody in. */
  readonly token: Token | undefined
  /** Who decides about approvals over HTTP, if somebody does. */
  readonly approver: { readonly name: string; readonly token: Token } | undefined
  /** The file of the objects that permissions are judged by. Without one, everything may be called. */
  readonly permissions: Option.Option<string>
  /** As whom the holder of the token acts, if not as whomever a request names. */
  readonly actor: Option.Option<string>
  /** The directory with the manifests of the tools that are offered, and of their lock. */
  readonly manifests: Option.Option<string>
}

/** Serves until it is interrupted. */
export const serveContract = Effect.fnUntraced(function* (given: Given) {
  const { approver, contract, host, port, token } = given
  yield* checkTokens(given)
  const catalog = yield* catalogOf(given.manifests)
  const tokens = token === undefined ? "none" : [tokenOf(token.value, given.actor)]
  const rules = yield* authorizerOf(given.permissions)
  const gate = Layer.effect(ApprovalGate.Service, Effect.map(Permission.Service, ApprovalGate.fromPermission))
  const governed = Gateway.layer(approver === undefined ? {} : unhurried).pipe(
    Layer.provide([catalog, gate, rules]),
    Layer.provideMerge(Layer.mergeAll(GatewaySql.layerSql, Budgets.layerMemory))
  )
  const server = yield* Layer.build(
    HttpRouter.serve(routesOf({ contract, tokens }, approver), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(governed),
      Layer.provideMerge(NodeHttpServer.layer({ port, host })),
      Layer.provide(HttpServer.layerServices)
    )
  ).pipe(
    Effect.catchTags({
      ServeError: ({ cause }) => Effect.fail(new OperationalError(Sentences.cannotListen(port, cause))),
      "IdempotencyStore.StorageError": () =>
        Effect.fail(new OperationalError(Sentences.storeFailed("it cannot be opened"))),
      "sql.VersionError": ({ found, supported }) =>
        Effect.fail(new OperationalError(Sentences.storeFailed(Sentences.newerDatabase(found, supported))))
    })
  )
  yield* Effect.provide(Effect.forkScoped(caretaking), server)
  const { address } = yield* Effect.provide(HttpServer.HttpServer, server)
  const url = HttpServer.formatAddress(address)
  yield* Console.error(Sentences.servingContract(contract, `${url}${GatewayHttp.paths[contract]}`, token))
  yield* Console.error(Sentences.described(`${url}${GatewayHttp.openapiPath}`))
  if (approver !== undefined) {
    const approvals = `${url}${GatewayHttp.approvalsPath}`
    yield* Console.error(Sentences.servingApprovals(approvals, approver.name, approver.token))
  }
  return yield* Effect.never
})

const checkTokens = ({ approver, token }: Given): Effect.Effect<void, UsageError> => {
  const { minTokenLength } = GatewayHttp
  const isShort = (token: Token | undefined) => token !== undefined && token.value.length < minTokenLength
  if (isShort(token)) return new UsageError(Sentences.shortToken("HAFT_TOKEN", minTokenLength))
  if (isShort(approver?.token)) return new UsageError(Sentences.shortToken("HAFT_APPROVER_TOKEN", minTokenLength))
  const isSame = approver !== undefined && approver.token.value === token?.value
  return isSame ? new UsageError(Sentences.sameTokens) : Effect.void
}

/** A tool that asks while it runs is not stopped before the person could answer. Callers may set less. */
const unhurried: Gateway.Options = {
  attemptTimeoutMs: ApprovalGate.defaultMaxWaitMs + Gateway.defaultAttemptTimeoutMs,
  callTimeoutMs: ApprovalGate.defaultMaxWaitMs + Gateway.defaultCallTimeoutMs
}

const routesOf = (options: GatewayHttp.Options, approver: Given["approver"]) => {
  if (approver === undefined) return GatewayHttp.layer(options)
  const approvers = [{ name: approver.name, token: Redacted.make(approver.token.value) }]
  return GatewayHttp.layerWithApprovals({ ...options, approvers })
}

/** The objects are read once: whoever changes them starts the server again. */
const authorizerOf = Effect.fnUntraced(function* (file: Option.Option<string>) {
  if (Option.isNone(file)) return Layer.empty
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    fileSystem.readFileString(file.value),
    ({ message }) => new UsageError(Sentences.unreadableConfig(file.value, message))
  )
  const parsed = yield* Effect.fromResult(parseText(file.value, text))
  const objects = yield* Effect.fromResult(decodeConfig(ToolPermissions.Objects, file.value, parsed))
  return Layer.succeed(
    Authorizer.Service,
    Authorizer.fromToolPermissions(() => objects)
  )
})

const tokenOf = (value: string, actor: Option.Option<string>): GatewayHttp.Token => {
  const token = Redacted.make(value)
  return Option.isSome(actor) ? { token, actor: actor.value } : { token }
}

/** Everything that the project offers in the version that it declares, or what the manifests say in the version of the lock. */
const catalogOf = Effect.fnUntraced(function* (directory: Option.Option<string>) {
  const materialize = yield* toolsOf
  if (Option.isNone(directory)) return Catalog.layer(materialize)
  const { lock, manifests } = yield* manifestsIn(directory.value)
  if (manifests.length === 0) return yield* new UsageError(Sentences.noManifests(directory.value))
  const { definitions } = yield* materialize
  const releases = manifests.map((manifest): Releases.Release => {
    const named = definitions.find(({ name }) => name.toLowerCase() === manifest.tool_id)
    return { manifest, functions: { invoke: named?.name ?? manifest.tool_id }, materialize }
  })
  const offered = Effect.succeed(releases)
  return Releases.layer(Option.isSome(lock) ? { releases: offered, lock: lock.value } : { releases: offered })
})

/** Calls of processes that died are closed, and keys that are over removed, as soon as somebody may look at them. */
const interval = "1 minute"

const caretaking = Effect.gen(function* () {
  const gateway = yield* Gateway.Service
  const keys = yield* IdempotencyStore.Service
  const once = Effect.andThen(gateway.recover, Effect.flatMap(Clock.currentTimeMillis, keys.sweep))
  yield* once.pipe(
    Effect.catchTags({
      "Audit.StorageError": (error) => Effect.logWarning("The account was not looked after", error),
      "IdempotencyStore.StorageError": (error) => Effect.logWarning("Keys were not swept", error)
    }),
    Effect.repeat(Schedule.spaced(interval))
  )
})
