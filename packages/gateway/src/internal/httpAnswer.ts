/** Reads a document from a request, lets a front answer it, and writes the answer. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Front } from "../Front.ts"
import { documentOf } from "./httpDocument.ts"
import type { Identity } from "./httpTokens.ts"

type Response = HttpServerResponse.HttpServerResponse

const empty = (status: number): Response => HttpServerResponse.empty({ status })

/** No status but 200 and 202 says that there was a call. */
export const answer = Effect.fnUntraced(function* <Envelope>(
  front: Front<Envelope>,
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number,
  caller: Identity | undefined
): Effect.fn.Return<Response> {
  const document = yield* documentOf(request, maxBytes)
  if (Result.isFailure(document)) return empty(document.failure)
  const encoded = yield* front(document.success, caller === undefined ? {} : { caller })
  return encoded._tag === "NoEnvelope"
    ? empty(encoded.httpStatus ?? 204)
    : HttpServerResponse.jsonUnsafe(encoded.envelope)
})
