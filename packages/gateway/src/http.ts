/**
 * Governed calls over HTTP, in the Orloj and uicp contracts. A call that was settled is answered with 200 and its envelope,
 * failures included; other statuses say that there was no call. Who calls has to prove who they are.
 */
import * as Orloj from "@haft/wire/Orloj"
import * as Uicp from "@haft/wire/Uicp"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Caller from "./Caller.ts"
import * as Front from "./Front.ts"
import * as Gateway from "./Gateway.ts"
import { answer } from "./internal/httpAnswer.ts"
import { makeIdentify, type Token } from "./internal/httpTokens.ts"

/** A secret of visible ASCII characters, and whose it is. */
export type { Token } from "./internal/httpTokens.ts"

/** Answers 401 to whoever has no token of ours, before anything of the request is read. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller.Service }>()(
  "@haft/gateway/http/Authentication",
  { security: { bearer: HttpApiSecurity.bearer }, error: HttpApiError.UnauthorizedNoContent }
) {}

const refusals = [HttpApiError.BadRequestNoContent, HttpApiError.UnauthorizedNoContent] as const

/** What is served, for clients and for the OpenAPI document. */
export class Api extends HttpApi.make("haft-gateway")
  .add(
    HttpApiGroup.make("contracts")
      .add(
        HttpApiEndpoint.post("orloj", "/orloj/v1/execute", {
          payload: Orloj.Request,
          success: Orloj.Response,
          error: refusals
        })
      )
      .add(
        HttpApiEndpoint.post("uicp", "/uicp/v1/call", {
          payload: Uicp.Request,
          success: Uicp.Response,
          error: refusals
        })
      )
      .middleware(Authentication)
  )
  .annotateMerge(OpenApi.annotations({ title: "Haft gateway", description: "Governed tool calls" })) {}

/** To whom, and how much. */
export interface Options {
  /** Who may call. `"none"` lets in whoever can reach the port, and belongs behind something that authenticates. */
  readonly tokens: ReadonlyArray<Token> | "none"
  /** Of a body. What is larger travels as an attachment. */
  readonly maxPayloadBytes?: number
  /** Which form of the Orloj contract its callers speak. */
  readonly orloj?: Orloj.Settings
}

/** As in the example of the contract. */
export const defaultMaxPayloadBytes = 1024 * 1024

/** Where the description of the server is, for everybody. */
export const openapiPath = "/openapi.json"

/** Routes for `HttpRouter.serve`. A caller that goes away interrupts its call. */
export const layer = (options: Options) =>
  HttpApiBuilder.layer(Api, { openapiPath }).pipe(
    Layer.provide(handlers(options)),
    Layer.provide(authentication(options))
  )

const handlers = ({ maxPayloadBytes = defaultMaxPayloadBytes, orloj }: Options) =>
  HttpApiBuilder.group(
    Api,
    "contracts",
    Effect.fnUntraced(function* (handlers) {
      const gateway = yield* Gateway.Service
      const [byOrloj, byUicp] = [Front.orloj(gateway, orloj), Front.uicp(gateway)]
      return handlers
        .handleRaw("orloj", ({ request }) =>
          Effect.flatMap(Caller.Service, (caller) => answer(byOrloj, request, maxPayloadBytes, caller))
        )
        .handleRaw("uicp", ({ request }) =>
          Effect.flatMap(Caller.Service, (caller) => answer(byUicp, request, maxPayloadBytes, caller))
        )
    })
  )

const authentication = ({ tokens }: Options) =>
  Layer.sync(Authentication, () => {
    const identify = tokens === "none" ? undefined : makeIdentify(tokens)
    return Authentication.of({
      bearer: (route, { credential }: { readonly credential: Redacted.Redacted }) => {
        if (identify === undefined) return Effect.provideService(route, Caller.Service, undefined)
        return Option.match(identify(credential), {
          onNone: () => Effect.fail(new HttpApiError.Unauthorized({})),
          onSome: (caller) => Effect.provideService(route, Caller.Service, caller)
        })
      }
    })
  })
