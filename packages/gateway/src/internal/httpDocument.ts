/** Reads a document from a request, or says with which status to refuse it. */
import * as JsonText from "@haft/core/JsonText"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/iu

/** What is compressed could be larger than anybody allows. */
const plain = "identity"

/** Statuses of requests that are none. */
export type Refusal = 400 | 413 | 415

export const documentOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.fn.Return<Result.Result<Schema.Json, Refusal>> {
  if (!isJson.test(request.headers["content-type"] ?? "")) return Result.fail(415)
  if ((request.headers["content-encoding"] ?? plain) !== plain) return Result.fail(415)
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Result.fail(413)
  const read = request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBytes))
  )
  const text = yield* Effect.result(read)
  if (Result.isFailure(text)) return Result.fail(statusOf(text.failure))
  return Result.mapError(JsonText.read(text.success), ({ code }): Refusal => (code === "too_large" ? 413 : 400))
})

/** A body without a declared length can turn out to be too large. */
const statusOf = ({ reason }: HttpServerErrorLike): Refusal =>
  typeof reason === "object" && reason !== null && "reason" in reason && reason.reason === "BodyTooLarge" ? 413 : 400

interface HttpServerErrorLike {
  readonly reason?: unknown
}
