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
import * as Redacted from "effect/Redacted"
import * as ApprovalDesk from "./ApprovalDesk.ts"
import * as Caller from "./Caller.ts"
import * as Front from "./Front.ts"
import * as Gateway from "./Gateway.ts"
import { answer } from "./internal/httpAnswer.ts"
import {
  approvalsGroup,
  approvalsHandlers,
  approverAuthentication,
  type ApproverToken
} from "./internal/httpApprovals.ts"
import { makeIdentify, type Token } from "./internal/httpTokens.ts"

/** A secret of the same form, and who decides about approvals with it. */
export { approvalsPath, type ApproverToken } from "./internal/httpApprovals.ts"

/** A secret of visible ASCII characters, and whose it is. */
export type { Token } from "./internal/httpTokens.ts"

export { minTokenLength } from "./internal/httpTokens.ts"

/** Answers 401 to whoever has no token of ours, before anything of the request is read. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller.Service }>()(
  "@haft/gateway/http/Authentication",
  { security: { bearer: HttpApiSecurity.bearer }, error: HttpApiError.UnauthorizedNoContent }
) {}

const refusals = [HttpApiError.BadRequestNoContent, HttpApiError.UnauthorizedNoContent] as const

/** Where calls of each contract are sent to. */
export const paths = { orloj: "/orloj/v1/execute", uicp: "/uicp/v1/call" } as const

const orlojGroup = HttpApiGroup.make("orloj")
  .add(
    HttpApiEndpoint.post("execute", paths.orloj, { payload: Orloj.Request, success: Orloj.Response, error: refusals })
  )
  .middleware(Authentication)

const uicpGroup = HttpApiGroup.make("uicp")
  .add(HttpApiEndpoint.post("call", paths.uicp, { payload: Uicp.Request, success: Uicp.Response, error: refusals }))
  .middleware(Authentication)

const about = OpenApi.annotations({ title: "Haft gateway", description: "Governed tool calls" })

/** What is served in the Orloj contract, for clients and for the OpenAPI document. */
export class OrlojApi extends HttpApi.make("haft-gateway").add(orlojGroup).annotateMerge(about) {}

/** The same in the uicp contract. */
export class UicpApi extends HttpApi.make("haft-gateway").add(uicpGroup).annotateMerge(about) {}

/** Both. */
export class Api extends HttpApi.make("haft-gateway").add(orlojGroup).add(uicpGroup).annotateMerge(about) {}

/** To whom, in which words, and how much. */
export interface Options {
  /** Both, unless it is one. */
  readonly contract?: keyof typeof paths
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
export const layer = (options: Options) => apiOf(options.contract).pipe(Layer.provide(callHandlers(options)))

/** And who decides about what needs an approval. */
export interface ApprovalOptions extends Options {
  /** Never those who call: a token that is also one of theirs is refused. */
  readonly approvers: ReadonlyArray<ApproverToken>
}

/** The same routes, and those where approvers see what waits for them and decide. Others than approvers get 401 there. */
export const layerWithApprovals = (options: ApprovalOptions) =>
  apiWithApprovals(options.contract).pipe(
    Layer.provide([callHandlers(options), Layer.provide(approvalsHandlers, ApprovalDesk.layer)]),
    Layer.provide(Layer.suspend(() => approverAuthentication(distinct(options))))
  )

/** Throws, as for any token that cannot be one: whoever calls could approve what they call. */
const distinct = ({ approvers, tokens }: ApprovalOptions): ReadonlyArray<ApproverToken> => {
  const calling = new Set(tokens === "none" ? [] : tokens.map(({ token }) => Redacted.value(token)))
  const both = approvers.find(({ token }) => calling.has(Redacted.value(token)))
  if (both !== undefined) throw new RangeError(`the token of the approver ${both.name} is also that of a caller`)
  return approvers
}

const callHandlers = (options: Options) =>
  Layer.provide(Layer.merge(orlojHandlers(options), uicpHandlers(options)), authentication(options))

const apiWithApprovals = (contract: Options["contract"]) => {
  if (contract === "orloj") return HttpApiBuilder.layer(OrlojApi.add(approvalsGroup), { openapiPath })
  return contract === "uicp"
    ? HttpApiBuilder.layer(UicpApi.add(approvalsGroup), { openapiPath })
    : HttpApiBuilder.layer(Api.add(approvalsGroup), { openapiPath })
}

const apiOf = (contract: Options["contract"]) => {
  if (contract === "orloj") return HttpApiBuilder.layer(OrlojApi, { openapiPath })
  return contract === "uicp"
    ? HttpApiBuilder.layer(UicpApi, { openapiPath })
    : HttpApiBuilder.layer(Api, { openapiPath })
}

const orlojHandlers = ({ maxPayloadBytes = defaultMaxPayloadBytes, orloj }: Options) =>
  HttpApiBuilder.group(Api, "orloj", (handlers) =>
    Effect.map(Gateway.Service, (gateway) => {
      const front = Front.orloj(gateway, orloj)
      return handlers.handleRaw("execute", ({ request }) =>
        Effect.flatMap(Caller.Service, (caller) => answer(front, request, maxPayloadBytes, caller))
      )
    })
  )

const uicpHandlers = ({ maxPayloadBytes = defaultMaxPayloadBytes }: Options) =>
  HttpApiBuilder.group(Api, "uicp", (handlers) =>
    Effect.map(Gateway.Service, (gateway) => {
      const front = Front.uicp(gateway)
      return handlers.handleRaw("call", ({ request }) =>
        Effect.flatMap(Caller.Service, (caller) => answer(front, request, maxPayloadBytes, caller))
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
          onSome: ({ caller }) => Effect.provideService(route, Caller.Service, caller)
        })
      }
    })
  })
