/** One fiber per request, for Node's request event. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerError from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { fromIncoming } from "./httpRequest.ts"
import { refuse, send } from "./httpResponse.ts"

type App = Effect.Effect<HttpServerResponse, unknown, HttpServerRequest | Scope.Scope>

type Fork = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** The fiber of a request ends when its response is sent; a client that goes away interrupts it. */
export const httpHandler = (
  fork: Fork,
  app: App,
  middleware: HttpMiddleware.HttpMiddleware | undefined
): Http.RequestListener => {
  // Starts a moment later: a handler that ends the server at once must be known to it by then.
  const handled = Effect.andThen(Effect.yieldNow, HttpEffect.toHandled(app, respond, middleware))
  return (incoming, outgoing) => {
    const aborted = new AbortController()
    const request = fromIncoming(incoming, outgoing, aborted.signal)
    if (request === undefined) return refuse(outgoing, 400)
    const services = Context.make(Outgoing, outgoing).pipe(Context.add(HttpServerRequest, request))
    const fiber = fork(Effect.provideContext(handled, services))
    fiber.addObserver(() => settle(outgoing))
    // A write that meets a closed connection; the close event has the consequences.
    outgoing.on("error", () => {})
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return
      aborted.abort()
      fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    })
  }
}

/** Node's side of the request that a fiber handles. */
class Outgoing extends Context.Service<Outgoing, Http.ServerResponse>()("@haft/node/internal/httpHandler") {}

const respond = (request: HttpServerRequest, response: HttpServerResponse) =>
  Effect.flatMap(Outgoing, (outgoing) => send(outgoing, request, response))

/** What a handler left unanswered is a 500; what it left half sent must not look complete. */
const settle = (outgoing: Http.ServerResponse): void => {
  if (outgoing.writableEnded || outgoing.destroyed) return
  if (outgoing.headersSent) outgoing.destroy()
  else refuse(outgoing, 500)
}
