import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Scope, Stream } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as Fs from "node:fs"
import type * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { httpServer } from "./suites/httpServer.ts"
import { connect, exchange, received, statuses } from "./suites/rawHttp.ts"

const Server = NodeHttpServer.layer({ port: 0 })

/** A server that somebody else could have written: it knows the tag and nothing of Node. */
const Delegating = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, (server) => HttpServer.make({ address: server.address, serve: server.serve }))
).pipe(Layer.provide(Server))

httpServer("NodeHttpServer", Server)
httpServer("a server that delegates to NodeHttpServer", Delegating)

type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>

/** One route, and the server's end in the hands of the case. */
const start = Effect.fnUntraced(function* (handler: Handler, options: NodeHttpServer.Options = { port: 0 }) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const App = HttpRouter.serve(HttpRouter.add("GET", "/", handler), { disableLogger: true, disableListenLog: true })
  const context = yield* Layer.buildWithScope(Layer.provideMerge(App, NodeHttpServer.layer(options)), scope)
  return { server: Context.get(context, HttpServer.HttpServer), close: Scope.close(scope, Exit.void) }
})

const get = ["GET / HTTP/1.1", "Host: localhost"]
const ok = HttpServerResponse.text("done")

const megabyte = new Uint8Array(1024 * 1024)

/** The first bytes are there, and nobody takes them. */
const readable = (socket: Net.Socket) =>
  Effect.callback<void>((resume) => void socket.once("readable", () => resume(Effect.void)))

/** A handler that says when it runs, and waits. */
const waiting = Effect.gen(function* () {
  const [started, gate, interrupted] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const handler = Deferred.succeed(started, undefined).pipe(
    Effect.andThen(Deferred.await(gate)),
    Effect.as(ok),
    Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
  )
  return { handler, started, gate, interrupted }
})

describe("the end of a NodeHttpServer", () => {
  it.effect("waits for running handlers and accepts nobody new", () =>
    Effect.gen(function* () {
      const { gate, handler, started } = yield* waiting
      const { close, server } = yield* start(handler)
      const client = yield* Effect.forkChild(exchange(server, ...get))
      yield* Deferred.await(started)
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      const refused = yield* Effect.flip(connect(server))
      assert.propertyVal(refused, "code", "ECONNREFUSED")
      yield* Deferred.succeed(gate, undefined)
      assert.isTrue((yield* Fiber.join(client)).endsWith("\r\n\r\ndone"))
      yield* Fiber.join(closing)
    })
  )

  it.effect("interrupts a handler that outlives the limit, and tells its client", () =>
    Effect.gen(function* () {
      const { handler, interrupted, started } = yield* waiting
      const { close, server } = yield* start(handler, { port: 0, gracefulShutdownTimeout: 0 })
      const client = yield* Effect.forkChild(exchange(server, ...get))
      yield* Deferred.await(started)
      yield* close
      yield* Deferred.await(interrupted)
      assert.match(yield* Fiber.join(client), /^HTTP\/1\.1 503 /u)
    })
  )

  it.effect("lets a slow client take the whole of a response", () =>
    Effect.gen(function* () {
      const size = 64 * megabyte.byteLength
      const { close, server } = yield* start(Effect.succeed(HttpServerResponse.uint8Array(new Uint8Array(size))))
      const socket = yield* connect(server)
      socket.write([...get, "", ""].join("\r\n"))
      yield* readable(socket)
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      assert.isAbove((yield* received(socket)).length, size)
      yield* Fiber.join(closing)
    })
  )

  const bodies: ReadonlyArray<readonly [string, HttpServerResponse.HttpServerResponse]> = [
    ["a stream", HttpServerResponse.stream(Stream.forever(Stream.succeed(megabyte)))],
    ["bytes", HttpServerResponse.uint8Array(new Uint8Array(64 * megabyte.byteLength))]
  ]
  for (const [what, response] of bodies) {
    it.effect(`does not wait past the limit for a client that does not read ${what}`, () =>
      Effect.gen(function* () {
        const { close, server } = yield* start(Effect.succeed(response), { port: 0, gracefulShutdownTimeout: 0 })
        const socket = yield* connect(server)
        socket.write([...get, "", ""].join("\r\n"))
        yield* readable(socket)
        yield* close
      })
    )
  }

  it.effect("drops a connection that is kept alive for nothing", () =>
    Effect.gen(function* () {
      const { close, server } = yield* start(Effect.succeed(ok))
      const socket = yield* connect(server)
      const answers = yield* statuses(socket)
      const ended = yield* Effect.forkChild(received(socket), { startImmediately: true })
      socket.write([...get, "", ""].join("\r\n"))
      assert.strictEqual(yield* Queue.take(answers), "HTTP/1.1 200")
      yield* close
      yield* Fiber.join(ended)
    })
  )
})

describe("NodeHttpServer", () => {
  it.effect("fails with a ServeError when the port is taken", () =>
    Effect.gen(function* () {
      const { server } = yield* start(Effect.succeed(ok))
      const { address } = server
      if (address._tag === "UnixPathAddress") return assert.fail("the server has no port")
      const error = yield* Effect.flip(NodeHttpServer.make({ port: address.port }))
      assert.strictEqual(error._tag, "ServeError")
      assert.propertyVal(error.cause, "code", "EADDRINUSE")
    })
  )

  it.effect("listens on a path and removes it at the end", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-http-"))),
        (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
      )
      const path = join(directory, "socket")
      const { close, server } = yield* start(Effect.succeed(ok), { path })
      assert.strictEqual(HttpServer.formatAddress(server.address), `unix://${path}`)
      assert.match(yield* exchange(server, ...get), /^HTTP\/1\.1 200 /u)
      yield* close
      assert.isFalse(Fs.existsSync(path))
    })
  )

  it.effect("listens on the loopback address unless told otherwise", () =>
    Effect.gen(function* () {
      const { address } = yield* NodeHttpServer.make({ port: 0 })
      assert.match(HttpServer.formatAddress(address), /^http:\/\/127\.0\.0\.1:/u)
    })
  )

  it.effect("answers with 503 until something is served", () =>
    Effect.gen(function* () {
      const server = yield* NodeHttpServer.make({ port: 0 })
      assert.match(yield* exchange(server, ...get), /^HTTP\/1\.1 503 /u)
      yield* server.serve(Effect.succeed(ok))
      assert.match(yield* exchange(server, ...get), /^HTTP\/1\.1 200 /u)
    })
  )

  it.effect("refuses an upgrade with 400", () =>
    Effect.gen(function* () {
      const upgrade = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.upgrade)
      const { server } = yield* start(Effect.as(upgrade, ok))
      assert.match(yield* exchange(server, ...get, "Upgrade: websocket"), /^HTTP\/1\.1 400 /u)
    })
  )
})
