/** The web of the corpus: a public site that misbehaves on request, and an internal one that nothing may reach. */
import { LocationFetch } from "@haft/builtins"
import { Deferred, Effect, type Scope } from "effect"
import * as Http from "node:http"
import type * as Net from "node:net"
import * as Os from "node:os"
import * as Zlib from "node:zlib"

/** Loopback, too, but not where the internal site is to be found. */
const publicAddress = "127.66.0.2"

/** Wherever a connection to this machine may lead, in IPv6, too, if the machine has it. */
const everywhere = Object.values(Os.networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === "IPv6")
)
  ? "::"
  : "0.0.0.0"

export interface CorpusWeb {
  readonly options: LocationFetch.Options
  /** What `${PORT}` and `${PUBLIC}` stand for. */
  readonly variables: Readonly<Record<string, string>>
  /** Connections to the internal site. */
  readonly intrusions: () => number
  /** The public site has been asked for something. */
  readonly asked: Effect.Effect<void>
}

/** Up until the Scope closes. */
export const makeWeb: Effect.Effect<CorpusWeb, never, Scope.Scope> = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  let intrusions = 0
  const internal = Http.createServer((_, response) => response.end("CANARY"))
  internal.on("connection", () => intrusions++)
  const port = yield* listen(internal, everywhere)
  const site = Http.createServer((request, response) => {
    Deferred.doneUnsafe(asked, Effect.void)
    const page = pages[request.url ?? ""]
    return page === undefined ? void response.writeHead(404).end() : page(response, port)
  })
  const publicPort = yield* listen(site, publicAddress)
  return {
    variables: { PORT: String(port), PUBLIC: `public.test:${publicPort}` },
    intrusions: () => intrusions,
    asked: Deferred.await(asked),
    options: {
      ports: [80, 443, port, publicPort],
      resolver: (host) =>
        Effect.suspend(() => (names.has(host) ? Effect.succeed(names.get(host) ?? []) : Effect.fail(host))),
      admits: (address) => address === publicAddress || LocationFetch.isPublic(address)
    }
  }
})

const listen = (server: Http.Server, address: string): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, address, () => resume(Effect.succeed((server.address() as Net.AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const names: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["public.test", [publicAddress]],
  ["multi.test", [publicAddress, "10.0.0.1"]],
  ["127.0.0.1.nip.io", ["127.0.0.1"]],
  ["metadata.google.internal", ["169.254.169.254"]]
])

type Page = (response: Http.ServerResponse, internalPort: number) => void

const mebibyte = 1024 * 1024

const packed =
  (body: Uint8Array, coding: string): Page =>
  (response) =>
    void response.writeHead(200, { "content-type": "text/plain", "content-encoding": coding }).end(body)

const redirect =
  (location: (port: number) => string): Page =>
  (response, port) =>
    void response.writeHead(302, { location: location(port) }).end()

/** What the corpus asks for, by path. */
const pages: Readonly<Record<string, Page>> = {
  "/plain": (response) => void response.setHeader("content-type", "text/plain").end("an ordinary page"),
  "/redirect-ok": redirect(() => "/plain"),
  "/redirect-loop": redirect(() => "/redirect-loop"),
  "/redirect-to-file": redirect(() => "file:///etc/passwd"),
  "/redirect-to-loopback-literal": redirect((port) => `http://127.0.0.1:${port}/`),
  "/gzip-bomb": packed(Zlib.gzipSync(Buffer.alloc(200 * mebibyte)), "gzip"),
  "/nested-gzip": packed(Zlib.gzipSync(Zlib.gzipSync(Zlib.gzipSync("nested"))), "gzip, gzip, gzip"),
  "/drip": (response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const timer = setInterval(() => response.write("x"), 200)
    response.on("close", () => clearInterval(timer))
  },
  "/no-headers": () => {},
  "/huge-headers": (response) => void response.setHeader("x-huge", "x".repeat(mebibyte)).end(),
  "/lying-length": (response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": 1000 })
    response.write("short", () => response.destroy())
  },
  "/deep-html": (response) => void response.setHeader("content-type", "text/html").end("<div>".repeat(20_000)),
  "/latin1": (response) =>
    void response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from("Zürich", "latin1")),
  "/wrong-type": (response) =>
    void response.setHeader("content-type", "text/html").end(Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"))
}
