/** One request to one address: looked up, checked, connected and sent. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Readable } from "node:stream"
import { canonical } from "./addresses.ts"
import { makeAgent } from "./fetchConnect.ts"
import { ConnectionError, type FetchError, ForbiddenError, ResolveError } from "./fetchErrors.ts"
import { type Limits, maxSentBytes } from "./fetchLimits.ts"
import type { Address } from "./fetchUrl.ts"

/** What every fetch of a Location shares. */
export interface Guard {
  readonly limits: Limits
  readonly resolver: (host: string) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly admits: (address: string) => boolean
  readonly certificates: ReadonlyArray<string> | undefined
}

/** By their names in lower case. A secret is a `Redacted`. */
export type Headers = ReadonlyMap<string, string | Redacted.Redacted<string>>

/** As it came, packed or not. */
export interface Response {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: Readable
}

/** The connection lasts until the Scope closes. */
export const send = Effect.fnUntraced(function* (
  guard: Guard,
  address: Address,
  headers: Headers
): Effect.fn.Return<Response, FetchError, Scope.Scope> {
  const addresses = yield* admitted(guard, address)
  const undici = yield* Effect.promise(() => import("undici"))
  const { agent } = yield* Effect.acquireRelease(
    Effect.sync(() => makeAgent(undici, addresses, connectionOf(guard))),
    ({ close }) => Effect.promise(close)
  )
  const { pathname, search } = new URL(address.url)
  const answer = yield* Effect.tryPromise({
    try: (signal) =>
      agent.request({ origin: address.origin, path: pathname + search, method: "GET", headers: sent(headers), signal }),
    catch: (error) => sendingError(address.host, error)
  })
  const header = (name: string) => [answer.headers[name] ?? []].flat().join(", ") || undefined
  return { status: answer.statusCode, header, body: answer.body }
})

const connectionOf = ({ certificates, limits }: Guard) => ({ certificates, maxBytes: maxSentBytes(limits) })

/** One answer of several that leads inside is enough to refuse: which of them is used is not ours to choose. */
const admitted = Effect.fnUntraced(function* (guard: Guard, { host, isLiteral }: Address) {
  const found = isLiteral ? [host] : yield* Effect.mapError(guard.resolver(host), () => new ResolveError({ host }))
  const addresses = found.flatMap((address) => canonical(address) ?? [])
  if (addresses.length === 0) return yield* new ResolveError({ host })
  if (addresses.length < found.length || !addresses.every(guard.admits)) {
    return yield* new ForbiddenError({ host, reason: "Address" })
  }
  return addresses
})

const sent = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
  )

const reasons: Readonly<Record<string, ConnectionError["reason"]>> = {
  ECONNREFUSED: "Refused",
  ECONNRESET: "Reset",
  EPIPE: "Reset",
  UND_ERR_SOCKET: "Reset",
  EHOSTUNREACH: "Unreachable",
  ENETUNREACH: "Unreachable",
  EADDRNOTAVAIL: "Unreachable",
  ETIMEDOUT: "Unreachable",
  UND_ERR_CONNECT_TIMEOUT: "Unreachable",
  UND_ERR_HEADERS_OVERFLOW: "Headers",
  HPE_HEADER_OVERFLOW: "Headers",
  HAFT_FLOODED: "Flood"
}

const sendingError = (host: string, error: unknown): ConnectionError | ForbiddenError =>
  codeOf(error) === "HAFT_UNPINNED"
    ? new ForbiddenError({ host, reason: "Address" })
    : new ConnectionError({ host, reason: reasonOf(error) })

/** By its code: a message could repeat what was sent. */
export const reasonOf = (error: unknown): ConnectionError["reason"] => {
  const code = codeOf(error)
  return reasons[code] ?? (isCertificate(code) ? "Certificate" : "Protocol")
}

export const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null || !("code" in error)) return ""
  return typeof error.code === "string" ? error.code : ""
}

/** As OpenSSL and Node name what can be wrong with one. */
const isCertificate = (code: string): boolean => /CERT|^ERR_TLS|SIGNED|^UNABLE_TO|^CRL_|^HOSTNAME_MISMATCH/.test(code)
