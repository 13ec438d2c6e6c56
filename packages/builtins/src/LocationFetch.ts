/**
 * Fetches from the public web and from nowhere else. Every address is checked before anything is connected to it, again
 * after every redirect, and the connection leads to exactly what was checked. Time, bytes and redirects are bounded.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { lookup } from "node:dns/promises"
import * as Addresses from "./internal/addresses.ts"
import { acceptEncoding, bodyOf, codingOf } from "./internal/fetchBody.ts"
import {
  type BodyError,
  type FetchError,
  type ForbiddenError,
  type InvalidUrlError,
  TimedOutError
} from "./internal/fetchErrors.ts"
import type { Guard, Headers } from "./internal/fetchHop.ts"
import { type LimitOptions, limitsOf } from "./internal/fetchLimits.ts"
import { admittedLiteral, type Arrival, follow } from "./internal/fetchRedirects.ts"
import { type Address, addressOf } from "./internal/fetchUrl.ts"

export {
  ConnectionError,
  EncodingError,
  ForbiddenError,
  InvalidUrlError,
  RedirectError,
  ResolveError,
  TimedOutError,
  TooLargeError
} from "./internal/fetchErrors.ts"
export type { BodyError, FetchError } from "./internal/fetchErrors.ts"
export type { Address } from "./internal/fetchUrl.ts"

/** Whether an address is out on the internet. NAT64 prefixes are those of the network that this process is in. */
export const isPublic = (address: string, nat64: ReadonlyArray<string> = []): boolean =>
  Addresses.isPublic(address, nat64.map(Addresses.prefixOf))

/** What is to be fetched, and how. */
export interface Request {
  readonly url: string
  /** Leave the origin with the first redirect that does, apart from those that say what is accepted. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted<string>>>
  /** Without a choice only those that stay at the origin, or lead to the same host by https; any other is told instead. */
  readonly redirects?: "same-origin" | "all"
}

/** What came, or where it went. */
export type Fetched = Content | Redirect

/** An answer of a server, whatever its status. */
export interface Content {
  readonly _tag: "Content"
  /** After redirects. */
  readonly address: Address
  readonly status: number
  readonly contentType: string | undefined
  readonly retryAfter: string | undefined
  /** Of the unpacked body, if the server says so. */
  readonly length: number | undefined
  /** Unpacked. Ends with an error if it does not end well, after everything that came until then. */
  readonly body: Stream.Stream<Uint8Array, BodyError>
}

/** The server sends the caller to another origin, which was not asked. Its host has not been looked up. */
export interface Redirect {
  readonly _tag: "Redirect"
  readonly address: Address
  readonly status: number
  readonly to: Address
}

export interface Interface {
  /** What an address means, and whether it could be fetched as far as that can be told without looking anything up. */
  readonly locate: (url: string) => Effect.Effect<Address, InvalidUrlError | ForbiddenError>
  /** Sends one request and follows it. The connection lasts until the Scope closes. */
  readonly fetch: (request: Request) => Effect.Effect<Fetched, FetchError, Scope.Scope>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/LocationFetch") {}

/** What a host chooses. A value that cannot be meant throws. */
export interface Options extends LimitOptions {
  /** The prefixes of a NAT64 network, such as `64:ff9b::/96`: addresses behind them are judged as the IPv4 they hold. */
  readonly nat64?: ReadonlyArray<string>
  /** All addresses of a name. Whatever it fails with, the name is refused. Without it the system's resolver. */
  readonly resolver?: (host: string) => Effect.Effect<ReadonlyArray<string>, unknown>
  /** Which addresses may be connected to, instead of `isPublic`. */
  readonly admits?: (address: string) => boolean
  /** Certificates to trust instead of those of the system, as PEM. */
  readonly certificates?: ReadonlyArray<string>
}

/** Takes nothing from the environment: no proxy, no cookies, no credentials. */
export const layer = (options: Options = {}): Layer.Layer<Service> => Layer.sync(Service, () => make(options))

const make = (options: Options): Interface => {
  const nat64 = (options.nat64 ?? []).map(Addresses.prefixOf)
  const guard: Guard = {
    limits: limitsOf(options),
    resolver: options.resolver ?? systemResolver,
    admits: options.admits ?? ((address) => Addresses.isPublic(address, nat64)),
    certificates: options.certificates
  }
  const locate = (url: string) =>
    Effect.flatMap(Effect.fromResult(addressOf(url, guard.limits)), (address) => admittedLiteral(guard, address))
  return Service.of({
    locate: Effect.fn("LocationFetch.locate")(locate),
    fetch: Effect.fn("LocationFetch.fetch")(function* (request) {
      const start = yield* locate(request.url)
      const { timeMs } = guard.limits
      const startedAt = yield* Clock.monotonicTimeNanos
      const journey = { start, headers: headersOf(request), redirects: request.redirects ?? "same-origin" }
      const orElse = () => expired(timeMs)
      const arrival = yield* Effect.timeoutOrElse(follow(guard, journey), { duration: timeMs, orElse })
      return yield* fetchedFrom(arrival, guard, within(timeMs, startedAt))
    })
  })
}

const systemResolver = (host: string) =>
  Effect.tryPromise(async () => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address))

/** What we accept is ours to say: the rest of this module relies on it. */
const headersOf = ({ headers = {} }: Request): Headers =>
  new Map([
    ["accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1"],
    ["user-agent", "haft"],
    ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
    ["accept-encoding", acceptEncoding]
  ])

const expired = (limitMs: number) => Effect.fail(new TimedOutError({ limitMs }))

/** The time is one for all of it: a body that trickles does not prolong it. */
const within =
  (timeMs: number, startedAt: bigint) =>
  <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E | TimedOutError> =>
    Stream.unwrap(
      Effect.map(Clock.monotonicTimeNanos, (now) => {
        const leftMs = Math.max(0, timeMs - Number((now - startedAt) / 1_000_000n))
        return Stream.interruptWhen(stream, Effect.delay(expired(timeMs), leftMs))
      })
    )

const fetchedFrom = Effect.fnUntraced(function* (
  arrival: Arrival,
  { limits }: Guard,
  inTime: ReturnType<typeof within>
): Effect.fn.Return<Fetched, FetchError> {
  const { address } = arrival
  if (arrival._tag === "Elsewhere") return { _tag: "Redirect", address, status: arrival.status, to: arrival.to }
  const { body, header, status } = arrival.response
  const coding = yield* Effect.fromResult(codingOf(arrival.response))
  const length = Number(header("content-length") ?? Number.NaN)
  return {
    _tag: "Content",
    address,
    status,
    contentType: header("content-type"),
    retryAfter: header("retry-after"),
    length: coding === undefined && Number.isSafeInteger(length) ? length : undefined,
    body: inTime(bodyOf(body, { host: address.host, coding, maxBytes: limits.maxBytes }))
  }
})
