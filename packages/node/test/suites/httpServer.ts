/** What routes and clients can expect of any `HttpServer`. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpRouter, HttpServer } from "effect/http"
import { chunk, chunkCount, Probe, Routes } from "./httpRoutes.ts"
import { connect, exchange, received, statuses, turns } from "./rawHttp.ts"

const failures = [
  ["a target that may be another host", "GET // HTTP/1.1", "Host: localhost"],
  ["a target that is another host", "GET //example.com/hello HTTP/1.1", "Host: localhost"],
  ["a percent sign that encodes nothing", "GET /%zz HTTP/1.1", "Host: localhost"],
  ["a host with a space", "GET /hello HTTP/1.1", "Host: local host"],
  ["a host with a path", "GET /hello HTTP/1.1", "Host: localhost/hello"],
  ["a host with credentials", "GET /hello HTTP/1.1", "Host: user:password@localhost"],
  ["a scheme that is not HTTP", "GET ftp://localhost/hello HTTP/1.1", "Host: localhost"],
  ["a port that is none", "GET /hello HTTP/1.1", "Host: localhost:port"],
  ["no HTTP at all", "HELLO", "Host: localhost"]
] as const

/** Registers the cases for a server that listens on a port or path of its own choice. */
export const httpServer = (name: string, server: Layer.Layer<HttpServer.HttpServer, unknown>): void => {
  const App = HttpServer.layerTestClient.pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.merge(HttpRouter.serve(Routes, { disableLogger: true, disableListenLog: true })),
    Layer.provideMerge(Layer.merge(server, Probe.layer))
  )

  layer(App)(name, (it) => {
    it.effect("text, JSON, streams and web responses arrive as they were sent", () =>
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const get = (path: string) => Effect.flatMap(client.get(path), (response) => response.text)
        assert.strictEqual(yield* get("/hello"), "world")
        assert.strictEqual(yield* get("/letters"), "abc")
        assert.strictEqual(yield* get("/web"), "from the web")
        assert.strictEqual((yield* client.get("/web")).status, 201)
        assert.strictEqual((yield* client.get("/empty")).status, 204)
        const post = HttpClientRequest.post("/echo").pipe(HttpClientRequest.bodyJsonUnsafe({ a: [1] }))
        assert.deepStrictEqual(yield* Effect.flatMap(client.execute(post), ({ json }) => json), { a: [1] })
      })
    )

    it.effect("a path without a route is 404, a body that is not JSON is 400", () =>
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        assert.strictEqual((yield* client.get("/none")).status, 404)
        const post = HttpClientRequest.post("/echo").pipe(HttpClientRequest.bodyText("{"))
        assert.strictEqual((yield* client.execute(post)).status, 400)
      })
    )

    it.effect("HEAD has the headers of GET and no body", () =>
      Effect.gen(function* () {
        const answer = yield* exchange(yield* HttpServer.HttpServer, "HEAD /hello HTTP/1.1", "Host: localhost")
        assert.match(answer, /^HTTP\/1\.1 200 /u)
        assert.match(answer, /content-length: 5\r\n/iu)
        assert.isTrue(answer.endsWith("\r\n\r\n"))
      })
    )

    it.effect("each cookie is a header of its own", () =>
      Effect.gen(function* () {
        const answer = yield* exchange(yield* HttpServer.HttpServer, "GET /cookies HTTP/1.1", "Host: localhost")
        const cookies = [...answer.matchAll(/^set-cookie: (.*)\r$/gimu)].map(([, cookie]) => cookie)
        assert.deepStrictEqual(cookies, ["a=1", "b=2"])
      })
    )

    it.effect("a handler that throws is a 500 that says nothing about why", () =>
      Effect.gen(function* () {
        const answer = yield* exchange(yield* HttpServer.HttpServer, "GET /throws HTTP/1.1", "Host: localhost")
        assert.match(answer, /^HTTP\/1\.1 500 /u)
        assert.notInclude(answer, "hunter2")
      })
    )

    it.effect("a response that cannot be written is a 500", () =>
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        assert.strictEqual((yield* client.get("/bad-header")).status, 500)
        assert.strictEqual((yield* client.get("/hello")).status, 200)
      })
    )

    for (const [what, ...lines] of failures) {
      it.effect(`${what} is answered with 400, and the server goes on`, () =>
        Effect.gen(function* () {
          const server = yield* HttpServer.HttpServer
          assert.match(yield* exchange(server, ...lines), /^HTTP\/1\.1 400 /u)
          assert.match(yield* exchange(server, "GET /hello HTTP/1.1", "Host: localhost"), /^HTTP\/1\.1 200 /u)
        })
      )
    }

    it.effect("the target may be a whole URL", () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.HttpServer
        const answer = yield* exchange(server, "GET http://localhost/hello HTTP/1.1", "Host: localhost")
        assert.match(answer, /^HTTP\/1\.1 200 /u)
      })
    )

    it.effect("a client that gives up interrupts its handler", () =>
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const { ended, started } = yield* Probe
        const fiber = yield* Effect.forkChild(client.get("/hang"))
        assert.strictEqual(yield* Queue.take(started), "hang")
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* Queue.take(ended), "hang")
      })
    )

    it.effect("a client that leaves in the middle of a body ends the stream behind it", () =>
      Effect.gen(function* () {
        const { ended } = yield* Probe
        yield* Effect.scoped(
          Effect.gen(function* () {
            const socket = yield* connect(yield* HttpServer.HttpServer)
            socket.write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert.strictEqual(yield* Effect.flatMap(statuses(socket), Queue.take), "HTTP/1.1 200")
          })
        )
        assert.strictEqual(yield* Queue.take(ended), "endless")
      })
    )

    it.effect("a body that breaks off does not look complete", () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.HttpServer
        const broken = yield* exchange(server, "GET /breaks HTTP/1.1", "Host: localhost")
        assert.match(broken, /^HTTP\/1\.1 200 /u)
        const lastChunk = "\r\n0\r\n\r\n"
        assert.isFalse(broken.endsWith(lastChunk))
        const whole = yield* exchange(server, "GET /letters HTTP/1.1", "Host: localhost")
        assert.isTrue(whole.endsWith(lastChunk))
      })
    )

    it.effect("a reader that waits makes the handler wait, and still gets everything", () =>
      Effect.gen(function* () {
        const probe = yield* Probe
        const socket = yield* connect(yield* HttpServer.HttpServer)
        socket.write("GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        yield* turns(1000)
        assert.isAbove(probe.produced, 0)
        assert.isBelow(probe.produced, chunkCount / 2)
        let bytes = 0
        socket.on("data", ({ byteLength }) => (bytes += byteLength))
        yield* Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
        assert.isAtLeast(bytes, chunkCount * chunk.byteLength)
        assert.strictEqual(probe.produced, chunkCount)
      })
    )

    it.effect("a handler sees the start of a body before its end is sent", () =>
      Effect.gen(function* () {
        const { started } = yield* Probe
        const socket = yield* connect(yield* HttpServer.HttpServer)
        socket.write("POST /size HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\n\r\nabc")
        assert.strictEqual(yield* Queue.take(started), "3")
        socket.write("de")
        assert.strictEqual(yield* Queue.take(started), "2")
        assert.isTrue((yield* received(socket)).endsWith("\r\n\r\n5"))
      })
    )

    for (const path of ["/ignores", "/first"]) {
      it.effect(`a body that ${path} leaves unread does not hold up the next request of the connection`, () =>
        Effect.gen(function* () {
          const socket = yield* connect(yield* HttpServer.HttpServer)
          const answers = yield* statuses(socket)
          const size = 8 * chunk.byteLength
          socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`)
          socket.write(new Uint8Array(size / 2))
          assert.strictEqual(yield* Queue.take(answers), "HTTP/1.1 200")
          socket.write(new Uint8Array(size / 2))
          socket.write("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
          assert.strictEqual(yield* Queue.take(answers), "HTTP/1.1 404")
        }).pipe(Effect.ensuring(Effect.flatMap(Probe, ({ started }) => Queue.clear(started))))
      )
    }

    it.effect("a handler knows the address of its client", () =>
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        assert.strictEqual(yield* Effect.flatMap(client.get("/peer"), (response) => response.text), "127.0.0.1")
      })
    )
  })
}
