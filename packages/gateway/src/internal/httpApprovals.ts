/** The part of a server where people, or programs for them, see what waits for an approval and decide. */
import * as Approvals from "@haft/policy/Approvals"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ApprovalDesk from "../ApprovalDesk.ts"
import * as Approver from "../Approver.ts"
import { documentOf } from "./httpDocument.ts"
import { makeIdentify } from "./httpTokens.ts"

/** A secret of visible ASCII characters, and who decides with it. */
export interface ApproverToken extends Approver.Interface {
  readonly token: Redacted.Redacted
}

/** Answers 401 to whoever is no approver: those who call are not, whatever their token. */
export class ApproverAuthentication extends HttpApiMiddleware.Service<
  ApproverAuthentication,
  { provides: Approver.Service }
>()("@haft/gateway/http/ApproverAuthentication", {
  security: { approver: HttpApiSecurity.bearer },
  error: HttpApiError.UnauthorizedNoContent
}) {}

/** Where approvals are. */
export const approvalsPath = "/approvals"

/** The request was over before this decision came, which changed nothing. */
const TooLate = Schema.Struct({ id: Schema.String, ended: Approvals.Ending }).annotate({ httpApiStatus: 409 })

export const approvalsGroup = HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", approvalsPath, { success: Schema.Array(ApprovalDesk.Waiting) }),
    HttpApiEndpoint.post("decide", `${approvalsPath}/:id`, {
      params: { id: Schema.String },
      payload: ApprovalDesk.Decision,
      success: ApprovalDesk.Decided,
      error: [
        HttpApiError.BadRequestNoContent,
        HttpApiError.NotFoundNoContent,
        TooLate,
        HttpApiError.ServiceUnavailableNoContent
      ]
    })
  )
  .middleware(ApproverAuthentication)

/** The group by itself, for the handlers. */
class ApprovalsApi extends HttpApi.make("haft-gateway").add(approvalsGroup) {}

/** A decision is a line or two. */
const maxDecisionBytes = 64 * 1024

const decode = Schema.decodeUnknownResult(ApprovalDesk.Decision, { onExcessProperty: "error" })

export const approvalsHandlers = HttpApiBuilder.group(ApprovalsApi, "approvals", (handlers) =>
  Effect.map(ApprovalDesk.Service, (desk) =>
    handlers
      .handle("list", () => Effect.flatMap(Approver.Service, desk.waiting))
      .handleRaw("decide", ({ params: { id }, request }) =>
        Effect.gen(function* () {
          const document = yield* documentOf(request, maxDecisionBytes)
          if (Result.isFailure(document)) return HttpServerResponse.empty({ status: document.failure })
          const decision = decode(document.success)
          if (Result.isFailure(decision)) return HttpServerResponse.empty({ status: 400 })
          return yield* Effect.map(
            desk.decide(yield* Approver.Service, id, decision.success),
            HttpServerResponse.jsonUnsafe
          )
        }).pipe(
          Effect.catchTags({
            "Approvals.UnknownError": () => Effect.succeed(HttpServerResponse.empty({ status: 404 })),
            "Approvals.EndedError": ({ as: ended, id }) =>
              Effect.succeed(HttpServerResponse.jsonUnsafe({ id, ended }, { status: 409 })),
            "PolicyStore.StorageError": (error) =>
              Effect.as(
                Effect.logError("An approval could not be decided", error),
                HttpServerResponse.empty({ status: 503 })
              )
          })
        )
      )
  )
)

export const approverAuthentication = (tokens: ReadonlyArray<ApproverToken>) =>
  Layer.sync(ApproverAuthentication, () => {
    const identify = makeIdentify(tokens.map(({ name, token, ...tenant }) => ({ token, actor: name, ...tenant })))
    return ApproverAuthentication.of({
      approver: (route, { credential }: { readonly credential: Redacted.Redacted }) =>
        Option.match(
          Option.flatMapNullishOr(identify(credential), ({ caller }) => caller),
          {
            onNone: () => Effect.fail(new HttpApiError.Unauthorized({})),
            onSome: ({ actor: name, ...tenant }) => Effect.provideService(route, Approver.Service, { name, ...tenant })
          }
        )
    })
  })
