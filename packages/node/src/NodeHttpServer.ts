/**
 * Effect's `HttpServer` on `node:http`. Bodies stream both ways at the pace of the reader, and a client that goes away
 * interrupts its route. HTTP/1.1 without TLS; `request.upgrade` (WebSocket) fails with a `RequestParseError`.
 *
 * Closing the Scope of `serve` shuts the server down: it stops accepting, lets running handlers finish for a while,
 * then interrupts them and drops every connection.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerError from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Net from "node:net"
import { httpHandler } from "./internal/httpHandler.ts"
import { refuse } from "./internal/httpResponse.ts"

/** Where to listen, and how long to wait for running handlers at the end. */
export type Options = (InetOptions | UnixOptions) & {
  /** How long handlers may go on after the server stopped accepting; 20 seconds if not given. */
  readonly gracefulShutdownTimeout?: Duration.Input
}

/** A TCP port. */
export interface InetOptions {
  /** Port 0 lets the system choose; `HttpServer.address` has the choice. */
  readonly port: number
  /** The loopback address if not given: to be reachable from elsewhere is a decision. */
  readonly host?: string
}

/** A Unix domain socket. */
export interface UnixOptions {
  /** Where the socket appears; it is removed at the end, and one that exists already is a `ServeError`. */
  readonly path: string
}

/** Long enough for an ordinary request, shorter than the 30 seconds after which supervisors usually kill. */
const defaultShutdownTimeout = Duration.seconds(20)

const defaultHost = "127.0.0.1"

/** The longest delay of a Node timer; a longer one would fire at once. */
const maxTimerMillis = 2 ** 31 - 1

/** Listens until the layer's Scope closes; requests before `serve` are answered with 503. */
export const layer = (options: Options): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError> =>
  Layer.effect(HttpServer.HttpServer, make(options))

/** The server behind `layer`, for a Scope of one's own. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const server = yield* Effect.acquireRelease(listen(options), close)
  const timeout = Duration.fromInputUnsafe(options.gracefulShutdownTimeout ?? defaultShutdownTimeout)
  return HttpServer.make({
    address: yield* addressOf(server),
    serve: Effect.fnUntraced(function* (app, middleware) {
      const fibers = yield* FiberSet.make<void>()
      const fork = yield* FiberSet.runtime(fibers)<Scope.Scope>()
      yield* Effect.acquireRelease(onRequest(server, httpHandler(fork, app, middleware)), () =>
        shutdown(server, fibers, timeout)
      )
    })
  })
})

/** The newest application answers; several listeners would answer one request twice. */
const onRequest = (server: Http.Server, listener: Http.RequestListener) =>
  Effect.sync(() => void server.removeAllListeners("request").on("request", listener))

const unavailable: Http.RequestListener = (_, outgoing) => {
  outgoing.shouldKeepAlive = false
  refuse(outgoing, 503)
}

const listen = (options: Options) =>
  Effect.callback<Http.Server, HttpServerError.ServeError>((resume) => {
    const server = Http.createServer(unavailable)
    // Stays for good: a failed accept, as when descriptors run out, must not end the process.
    server.on("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    const address =
      "path" in options ? { path: options.path } : { port: options.port, host: options.host ?? defaultHost }
    server.listen(address, () => resume(Effect.succeed(server)))
  })

const close = (server: Http.Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** The limit is a native timer because finalizers must end under a test clock too. */
const shutdown = (server: Http.Server, fibers: FiberSet.FiberSet<void>, timeout: Duration.Duration) =>
  Effect.gen(function* () {
    yield* onRequest(server, unavailable)
    stopAccepting(server)
    const interruptAll = () => {
      for (const fiber of fibers) fiber.interruptUnsafe()
    }
    const timer = setTimeout(interruptAll, Math.min(Duration.toMillis(timeout), maxTimerMillis))
    yield* FiberSet.awaitEmpty(fibers)
    clearTimeout(timer)
    server.closeAllConnections()
  })

/** Not `server.close`, which also cuts off a response that is complete but that a slow client has not taken yet. */
const stopAccepting = (server: Net.Server) => Net.Server.prototype.close.call(server)

const addressOf = (server: Http.Server) => {
  const address = server.address()
  if (address === null) return Effect.fail(new HttpServerError.ServeError({ cause: "the server has no address" }))
  if (typeof address === "string") return Effect.succeed(NetAddress.unixPathAddress(address))
  return Effect.fromResult(NetAddress.inetAddressFromIpString(address.address, address.port)).pipe(
    Effect.mapError((cause) => new HttpServerError.ServeError({ cause }))
  )
}
