/** Web servers on this machine that count as public, beside one that does not, and fetches of them. */
import { LocationFetch } from "@haft/builtins"
import { Effect, Stream } from "effect"
import * as Fs from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import type * as Net from "node:net"

/** Loopback, like the address of every machine, but not the one that anything else listens at. */
export const publicAddress = "127.66.0.1"
export const privateAddress = "127.0.0.1"

const pem = (file: string): string => Fs.readFileSync(new URL(`../fixtures/${file}`, import.meta.url), "utf8")

/** Signed by itself, for `public.test` and `other.test`. */
export const certificate = pem("site.cert.pem")

export interface Site {
  readonly port: number
  /** Every request that came, as method, host and path. */
  readonly hits: ReadonlyArray<string>
  readonly requests: ReadonlyArray<Http.IncomingMessage>
  /** Connections, also those over which nothing was asked. */
  readonly connections: () => number
  /** Those that are open right now. */
  readonly open: () => number
}

export interface SiteOptions {
  readonly address?: string
  readonly isSecure?: boolean
}

/** Closes, with all its connections, when the Scope does. */
export const serve = Effect.fnUntraced(function* (handler: Http.RequestListener, options: SiteOptions = {}) {
  const requests: Array<Http.IncomingMessage> = []
  const hits: Array<string> = []
  let connections = 0
  const listener: Http.RequestListener = (request, response) => {
    requests.push(request)
    hits.push(`${request.method} ${request.headers.host?.replace(/:\d+$/, "")}${request.url}`)
    return handler(request, response)
  }
  const server =
    options.isSecure === true
      ? Https.createServer({ key: pem("site.key.pem"), cert: certificate }, listener)
      : Http.createServer(listener)
  const open = new Set<Net.Socket>()
  server.on("connection", (socket: Net.Socket) => {
    connections++
    open.add(socket)
    socket.on("close", () => open.delete(socket))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, options.address ?? publicAddress, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as Net.AddressInfo
  return { port, hits, requests, connections: () => connections, open: () => open.size } satisfies Site
})

/** Looks again after every turn of the event loop, for as long as anybody would. */
export const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let turns = 0; turns < 100_000; turns++) {
      if (holds()) return
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    }
    return yield* Effect.die(new Error("never came to be"))
  })

/** What the resolver of the tests knows. */
export const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "public.test": [publicAddress],
  "other.test": [publicAddress],
  "inside.test": [privateAddress],
  "mixed.test": [publicAddress, "10.0.0.1"],
  "broken.test": ["not an address"],
  "empty.test": []
}

/** A web in which the public fixture is public, at the ports of these sites. */
export const webOf = (sites: ReadonlyArray<Site>, options: LocationFetch.Options = {}): LocationFetch.Options => ({
  ports: [80, 443, ...sites.map(({ port }) => port)],
  resolver: (host) => {
    const addresses = names[host]
    return addresses === undefined ? Effect.fail("unknown") : Effect.succeed(addresses)
  },
  admits: (address) => address === publicAddress || LocationFetch.isPublic(address),
  certificates: [certificate],
  ...options
})

/** The service on such a web. */
export const fetcherOf = (sites: ReadonlyArray<Site>, options: LocationFetch.Options = {}) =>
  Effect.provide(LocationFetch.Service, LocationFetch.layer(webOf(sites, options)))

/** The whole answer of a fetch that came to its end. */
export const contentOf = Effect.fnUntraced(function* (web: LocationFetch.Interface, request: LocationFetch.Request) {
  const answer = yield* web.fetch(request)
  if (answer._tag === "Redirect") return yield* Effect.die(new Error(`redirects to ${answer.to.url}`))
  const chunks = yield* Stream.runCollect(answer.body)
  return { ...answer, text: Buffer.concat(chunks).toString() }
}, Effect.scoped)
