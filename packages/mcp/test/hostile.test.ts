import { assert, describe, it } from "@effect/vitest"
import { McpStdio } from "@haft/mcp"
import { Deferred, Effect, Fiber, Queue, Sink, Stdio, Stream } from "effect"
import { request } from "node:http"
import { serving, token } from "./support/serving.ts"
import { layer, source } from "./support/tools.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
}

/** A client that writes whatever it likes to a server over standard streams. */
const rawClient = Effect.gen(function* () {
  const { served, watched } = yield* source
  const input = yield* Queue.unbounded<Uint8Array>()
  const ended = yield* Deferred.make<void>()
  const output = yield* Queue.unbounded<string>()
  const stdio = Stdio.layerTest({
    stdin: Stream.interruptWhen(Stream.fromQueue(input), Deferred.await(ended)),
    stdout: () => Sink.forEach((chunk) => Queue.offer(output, String(chunk)))
  })
  const serve = McpStdio.serve({ name: "fixture", version: "1.0.0", source: served, grace: 0 })
  const serving = yield* Effect.forkScoped(Effect.provide(serve, stdio))
  const write = (text: string) => Queue.offer(input, new TextEncoder().encode(text))
  const read = Effect.map(Queue.take(output), (line) => JSON.parse(line))
  return {
    watched,
    write,
    ask: (message: object) => Effect.andThen(write(`${JSON.stringify(message)}\n`), read),
    read,
    close: Effect.andThen(Deferred.succeed(ended, undefined), Fiber.await(serving))
  }
})

const withLayer = Effect.provide(layer)

describe("a server over standard streams", () => {
  it.live("answers lines that are no messages, and goes on", () =>
    Effect.gen(function* () {
      const { ask, read, write } = yield* rawClient
      yield* write("not json\n")
      assert.strictEqual((yield* read).error.code, -32_700)
      yield* write('"text"\n\n[1,\n')
      assert.strictEqual((yield* read).error.code, -32_700)
      assert.strictEqual((yield* read).error.code, -32_700)
      assert.strictEqual((yield* ask(initialize)).result.serverInfo.name, "fixture")
    }).pipe(withLayer)
  )

  it.live("drops a message of 100 MB without keeping it, and goes on", () =>
    Effect.gen(function* () {
      const { ask, read, write } = yield* rawClient
      const megabyte = "x".repeat(1_048_576)
      for (let sent = 0; sent < 100; sent++) yield* write(megabyte)
      yield* write("\n")
      assert.include((yield* read).error.message, "longer than 10485760 bytes")
      assert.strictEqual((yield* ask(initialize)).result.serverInfo.name, "fixture")
    }).pipe(withLayer)
  )

  it.live("answers unknown methods and wrong types with an error of the protocol", () =>
    Effect.gen(function* () {
      const { ask } = yield* rawClient
      yield* ask(initialize)
      const unknown = yield* ask({ jsonrpc: "2.0", id: 2, method: "tools/frob" })
      assert.strictEqual(unknown.error.code, -32_601)
      const wrong = yield* ask({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: 7 } })
      assert.strictEqual(wrong.error.code, -32_602)
      const missing = yield* ask({ jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "nothing" } })
      assert.strictEqual(missing.error.code, -32_602)
      const good = yield* ask({
        jsonrpc: "2.0",
        id: 5,
        method: "tools/call",
        params: { name: "add", arguments: { a: 1, b: 2 } }
      })
      assert.deepStrictEqual(good.result.structuredContent, { sum: 3 })
    }).pipe(withLayer)
  )

  it.live("interrupts what still runs when the client closes its side", () =>
    Effect.gen(function* () {
      const { ask, close, watched, write } = yield* rawClient
      yield* ask(initialize)
      yield* write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "hang" } })}\n`)
      yield* Deferred.await(watched.started)
      yield* close
      yield* Deferred.await(watched.interrupted)
    }).pipe(withLayer)
  )
})

const post = (url: string, headers: Record<string, string>, body: string | ReadableStream) =>
  Effect.promise(async () => {
    const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
    const response = await fetch(url, { method: "POST", headers: all, body, duplex: "half" })
    return { status: response.status, text: await response.text() }
  })

/** The status for somebody who knows this server by another name, as a page does whose name leads to this machine. */
const addressedAs = (url: string, host: string) =>
  Effect.callback<number | undefined>((resume) => {
    const headers = {
      ...bearer,
      host,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    }
    request(url, { method: "POST", headers }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end(JSON.stringify(initialize))
  })

const bearer = { authorization: `Bearer ${token}` }

describe("a server over HTTP", () => {
  const message = JSON.stringify(initialize)

  const served = Effect.flatMap(source, ({ served }) => serving(served))

  it.live("lets in whoever has the token, and nobody else", () =>
    Effect.gen(function* () {
      const url = yield* served
      assert.strictEqual((yield* post(url, bearer, message)).status, 200)
      for (const authorization of ["", "Bearer ", "Bearer wrong", `Basic ${token}`, `Bearer ${token}x`]) {
        const refused = yield* post(url, { authorization }, message)
        assert.strictEqual(refused.status, 401)
        assert.include(refused.text, "Authorization: Bearer")
      }
    }).pipe(withLayer)
  )

  it.live("refuses pages of other origins and names that are not its own", () =>
    Effect.gen(function* () {
      const url = yield* served
      const foreign = yield* post(url, { ...bearer, origin: "https://evil.example" }, message)
      assert.strictEqual(foreign.status, 403)
      const own = yield* post(url, { ...bearer, origin: new URL(url).origin }, message)
      assert.strictEqual(own.status, 200)
      assert.strictEqual(yield* addressedAs(url, new URL(url).host), 200)
      assert.strictEqual(yield* addressedAs(url, "evil.example"), 421)
    }).pipe(withLayer)
  )

  it.live("answers what is too long, no JSON or no message, and goes on", () =>
    Effect.gen(function* () {
      const url = yield* served
      const long = yield* post(url, bearer, "x".repeat(10 * 1_048_576 + 1))
      assert.strictEqual(long.status, 413)
      assert.include(long.text, "Send less at once")
      const endless = yield* post(
        url,
        bearer,
        new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_048_576)) })
      )
      assert.property(JSON.parse(endless.text), "error")
      for (const body of ["", "{", "[]", "7", '{"jsonrpc":"2.0"}']) {
        const { status, text } = yield* post(url, bearer, body)
        assert.isTrue((status >= 400 && status < 500) || "error" in JSON.parse(text), `${body}: ${status} ${text}`)
      }
      assert.strictEqual((yield* post(url, bearer, message)).status, 200)
    }).pipe(withLayer)
  )
})
