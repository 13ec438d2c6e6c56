/** Node's incoming message as Effect's server request. */
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type * as Http from "node:http"
import { ReadableStream } from "node:stream/web"

/**
 * Nothing when the message is not a request that the web's `Request` can carry: a target that is no URL or may be read
 * as another host, percent signs that decode to nothing, an invalid `Host`, a method such as TRACE.
 */
export const fromIncoming = (
  incoming: Http.IncomingMessage,
  outgoing: Http.ServerResponse,
  signal: AbortSignal
): HttpServerRequest.HttpServerRequest | undefined => {
  try {
    const { method = "GET" } = incoming
    const init: RequestInit = { method, headers: pairsOf(incoming.headers), signal }
    if (method !== "GET" && method !== "HEAD") Object.assign(init, { body: bodyOf(incoming, outgoing), duplex: "half" })
    const request = HttpServerRequest.fromWeb(new Request(urlOf(incoming), init))
    return request.modify({ remoteAddress: Option.fromUndefinedOr(incoming.socket.remoteAddress) })
  } catch {
    return undefined
  }
}

const urlOf = ({ headers: { host = "localhost" }, url: target = "/" }: Http.IncomingMessage): URL => {
  if (target.startsWith("//") || /[/\\?#@]/u.test(host)) throw new TypeError("ambiguous host")
  const url = new URL(target, `http://${host}`)
  if (!/^https?:$/u.test(url.protocol)) throw new TypeError("unknown scheme")
  decodeURI(url.pathname)
  return url
}

const pairsOf = (headers: Http.IncomingHttpHeaders): Array<[string, string]> =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))

/** Read on demand, and what the handler leaves unread is discarded after the response, so that the connection goes on. */
const bodyOf = (incoming: Http.IncomingMessage, outgoing: Http.ServerResponse) => {
  const chunks = incoming.iterator({ destroyOnReturn: false })
  outgoing.once("finish", () => void chunks.return?.().then(() => incoming.resume()))
  return ReadableStream.from(chunks)
}
