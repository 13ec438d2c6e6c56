/** Reads a document from a request, lets a front answer it, and writes the answer. */
import * as JsonText from "@haft/core/JsonText"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Front } from "../Front.ts"
import type { Identity } from "./httpTokens.ts"

type Response = HttpServerResponse.HttpServerResponse

const empty = (status: number): Response => HttpServerResponse.empty({ status })

const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/iu

/** No status but 200 and 202 says that there was a call. */
export const answer = Effect.fnUntraced(function* <Envelope>(
  front: Front<Envelope>,
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number,
  caller: Identity | undefined
): Effect.fn.Return<Response> {
  if (!isJson.test(request.headers["content-type"] ?? "")) return empty(415)
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return empty(413)
  const read = request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBytes))
  )
  const text = yield* Effect.result(read)
  if (Result.isFailure(text)) return empty(statusOf(text.failure))
  const document = JsonText.read(text.success)
  if (Result.isFailure(document)) return empty(document.failure.code === "too_large" ? 413 : 400)
  const encoded = yield* front(document.success, caller === undefined ? {} : { caller })
  return encoded._tag === "NoEnvelope"
    ? empty(encoded.httpStatus ?? 204)
    : HttpServerResponse.jsonUnsafe(encoded.envelope)
})

/** A body without a declared length can turn out to be too large. */
const statusOf = ({ reason }: HttpServerErrorLike): number =>
  typeof reason === "object" && reason !== null && "reason" in reason && reason.reason === "BodyTooLarge" ? 413 : 400

interface HttpServerErrorLike {
  readonly reason?: unknown
}
