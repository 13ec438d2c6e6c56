/**
 * The tools of a Location over Streamable HTTP. Who may call is decided before anything of a request is read: by the name
 * that the server was addressed with, by the page that the request comes from, and by a token.
 */
import type * as Session from "@haft/core/Session"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { admit, type Admission, type Admitted, checked } from "./internal/admission.ts"
import { sessionIdle as defaultIdle, maxFrameBytes, sweepEvery } from "./internal/limits.ts"
import { Sessions } from "./internal/sessions.ts"
import * as McpTools from "./McpTools.ts"
import { Principal } from "./Principal.ts"
import type { Source } from "./Source.ts"

/** A token, of visible ASCII characters, and whose it is. Callers with different names never see each other's outputs. */
export interface Token {
  readonly name: string
  readonly token: Redacted.Redacted
}

/** Which tools are served where, and to whom. */
export interface Options {
  /** What the server calls itself. */
  readonly name: string
  readonly version: string
  readonly instructions?: string
  readonly source: Source
  /** Where on the server. */
  readonly path?: HttpRouter.PathInput
  /** Who may call. `"none"` lets in whoever can reach the port, and belongs behind something that authenticates. */
  readonly tokens: ReadonlyArray<Token> | "none"
  /** Names, with a port if it is not the default one, by which the server is addressed besides those of loopback. */
  readonly hosts?: ReadonlyArray<string>
  /** Origins of pages that may call. Programs send none and are let in. */
  readonly origins?: ReadonlyArray<string>
  /** How long a client may be silent before its session counts as ended; 8 hours. */
  readonly sessionIdle?: Duration.Input
}

const defaultPath = "/mcp"

const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26
] as const

/** Serves as long as the layer lives. `McpClients.layer` is for the host to provide, who may ask through it. */
export const layer = (options: Options) => {
  const { instructions, name, origins = [], source, version } = options
  const sessions = new Sessions()
  const server = McpServer.layerHttp({
    name,
    version,
    instructions,
    path: options.path ?? defaultPath,
    protocols,
    allowSessionTermination: true,
    registrations: McpTools.layer(source, sessions)
  })
  const admission: Admission = { tokens: checked(options.tokens), hosts: options.hosts ?? [], origins }
  const served = Layer.mergeAll(server, guard(admission, source, sessions), expiring(options, sessions))
  return HttpRouter.serve(served, { disableLogger: true, disableListenLog: true })
}

/** Clients that vanish say nothing, and the server behind keeps their sessions. */
const expiring = ({ sessionIdle = defaultIdle, source }: Options, sessions: Sessions) => {
  const idleMs = Duration.toMillis(sessionIdle)
  const sweep = Effect.flatMap(sessions.abandoned(idleMs), (gone) => Effect.forEach(gone, telling(source)))
  return Layer.effectDiscard(Effect.forkScoped(Effect.forever(Effect.delay(sweep, sweepEvery))))
}

/** Around every route, before any of them reads something. */
const guard = (admission: Admission, source: Source, sessions: Sessions) =>
  HttpRouter.middleware(
    (route) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const admitted = admit(admission, request.headers, maxFrameBytes)
        if (admitted._tag === "Refused") return Effect.succeed(refusal(admitted))
        // The server behind has a rule of its own about origins, and this one has decided.
        const known = request.modify({ headers: Headers.remove(request.headers, "origin") })
        return Effect.andThen(sessions.alive, route).pipe(
          Effect.tap((response) =>
            isEnd(request, response) ? Effect.flatMap(sessions.ending, telling(source)) : Effect.void
          ),
          Effect.provideService(HttpServerRequest.HttpServerRequest, known),
          Effect.provideService(Principal, admitted.principal),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxFrameBytes))
        )
      }),
    { global: true }
  )

const telling =
  ({ ended }: Source) =>
  (session: Session.ID): Effect.Effect<void> =>
    ended === undefined ? Effect.void : ended(session)

const isEnd = ({ method }: { readonly method: string }, { status }: { readonly status: number }): boolean =>
  method === "DELETE" && status === 204

const refusal = ({ message, status }: Extract<Admitted, { _tag: "Refused" }>) =>
  HttpServerResponse.jsonUnsafe(
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message } },
    { status, ...(status === 401 ? { headers: { "www-authenticate": "Bearer" } } : {}) }
  )
