/** One request to a server that is looked at, and what came back. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"

export interface Sent {
  readonly body: string
  readonly mediaType?: string
  readonly authorization?: "none" | "forged"
}

export interface Received {
  /** 0 if there was no answer. */
  readonly status: number
  readonly body?: Schema.Json
}

const forged = "Bearer 00000000000000000000000000000000"

export const exchange = (
  { token, url }: { readonly url: string; readonly token?: Redacted.Redacted },
  { authorization, body, mediaType = "application/json" }: Sent
): Effect.Effect<Received, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const bearer = authorization === "forged" ? forged : `Bearer ${token === undefined ? "" : Redacted.value(token)}`
    const isSent = authorization !== "none" && (token !== undefined || authorization === "forged")
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeaders(isSent ? { authorization: bearer } : {}),
      HttpClientRequest.bodyText(body, mediaType)
    )
    const response = yield* client.execute(request)
    const text = yield* response.text
    return { status: response.status, body: parsed(text) }
    // A server that cannot be reached, or breaks off, gives no answer.
  }).pipe(Effect.catchTag("HttpClientError", () => Effect.succeed({ status: 0 })))

const parsed = (text: string): Schema.Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
