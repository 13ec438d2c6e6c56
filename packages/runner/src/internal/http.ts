/** One request to a provider, answered by server-sent events. */
import * as JsonText from "@haft/core/JsonText"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Model from "../Model.ts"
import { broken, type Provider, refused } from "./httpErrors.ts"

/** Where to ask, and how. */
export interface Endpoint extends Provider {
  readonly url: string
  /** With the key, if there is one. */
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly idleTimeout: Duration.Input
}

/** People write the end of an address in both ways. */
export const urlOf = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}${path}`

/** A local model may read a long prompt for minutes before it says anything. */
export const defaultIdleTimeout: Duration.Input = "5 minutes"

/** Of one answer as it is sent, all events together. Far more than any model writes. */
const maxAnswerCharacters = 32 * 1024 * 1024

/** Of the body of a refusal, which is a few lines of JSON. */
const maxRefusalCharacters = 64 * 1024

/** One event's data, parsed. */
export type Data = Schema.Json

/** What ends a stream of OpenAI's that is complete. */
export const doneMark = "[DONE]"

/** The data of each event. Closing the stream ends the request. */
export const post = (
  client: HttpClient.HttpClient,
  endpoint: Endpoint,
  body: object
): Stream.Stream<Data, Model.ModelError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const response = yield* send(client, endpoint, body)
      if (response.status < 200 || response.status > 299) return yield* refuse(endpoint, response)
      return eventsOf(endpoint, response)
    })
  )

/** What may stand in a header. The error for anything else would quote the whole key. */
const visible = /^[\x21-\x7e]*$/

const send = Effect.fnUntraced(function* (client: HttpClient.HttpClient, endpoint: Endpoint, body: object) {
  const key = endpoint.apiKey === undefined ? "" : Redacted.value(endpoint.apiKey)
  if (!visible.test(key)) return yield* broken(endpoint, "Unauthorized")
  const request = HttpClientRequest.post(endpoint.url).pipe(
    HttpClientRequest.setHeaders({ ...endpoint.headers(key), accept: "text/event-stream" }),
    HttpClientRequest.bodyText(JSON.stringify(body, wellFormed), "application/json")
  )
  const init = Option.getOrElse(yield* Effect.serviceOption(FetchHttpClient.RequestInit), () => ({}))
  return yield* client.execute(request).pipe(
    // A redirect would take the key along.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error", ...init }),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    Effect.mapError(() => broken(endpoint, "Unreachable")),
    Effect.timeoutOrElse({
      duration: endpoint.idleTimeout,
      orElse: () => Effect.fail(broken(endpoint, "Stalled"))
    })
  )
})

/** Half a surrogate pair, as a cut text may have, makes a provider refuse the whole conversation. */
const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

const refuse = Effect.fnUntraced(function* (endpoint: Endpoint, response: HttpClientResponse.HttpClientResponse) {
  let size = 0
  const text = yield* response.stream.pipe(
    Stream.decodeText(),
    Stream.takeWhile((piece) => (size += piece.length) <= maxRefusalCharacters),
    Stream.mkString,
    Effect.timeoutOrElse({ duration: endpoint.idleTimeout, orElse: () => Effect.succeed("") }),
    Effect.orElseSucceed(() => "")
  )
  const retryAfterMs = retryAfterOf(response.headers, yield* Clock.currentTimeMillis)
  return yield* refused(endpoint, { status: response.status, text, retryAfterMs })
})

/** In milliseconds, in seconds, or as a date. */
const retryAfterOf = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const text = headers["retry-after"]
  if (text === undefined || text.trim() === "") return undefined
  const seconds = Number(text)
  if (seconds >= 0) return seconds * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const eventsOf = (
  endpoint: Endpoint,
  response: HttpClientResponse.HttpClientResponse
): Stream.Stream<Data, Model.ModelError> => {
  let size = 0
  return response.stream.pipe(
    Stream.decodeText(),
    Stream.pipeThroughChannel(Sse.decode()),
    Stream.mapError((error) => broken(endpoint, error._tag === "SseError" ? "Malformed" : "CutOff")),
    Stream.timeoutOrElse({
      duration: endpoint.idleTimeout,
      orElse: () => Stream.fail(broken(endpoint, "Stalled"))
    }),
    Stream.mapEffect(({ data }) => {
      size += data.length
      return size > maxAnswerCharacters ? Effect.fail(broken(endpoint, "Malformed")) : parse(endpoint, data)
    })
  )
}

const parse = (endpoint: Endpoint, data: string): Effect.Effect<Data, Model.ModelError> => {
  if (data === doneMark) return Effect.succeed(doneMark)
  return Result.match(JsonText.read(data), {
    onFailure: () => Effect.fail(broken(endpoint, "Malformed")),
    onSuccess: (json) => Effect.succeed(json)
  })
}
