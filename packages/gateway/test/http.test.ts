import { assert, describe, it } from "@effect/vitest"
import { Tools } from "@haft/core"
import { Audit, Gateway } from "@haft/gateway"
import * as Http from "@haft/gateway/http"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as Registry from "@haft/registry/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { counted, type Counted, layerCatalog } from "./support/governing.ts"

const token = "0123456789abcdef0123456789abcdef"

const tokens = [{ token: Redacted.make(token), actor: "agent-1", tenantId: "tenant-1" }]

const layer = (options: Http.Options) =>
  HttpRouter.serve(Http.layer(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(Gateway.layerMemory()),
    Layer.provideMerge(layerCatalog),
    Layer.provideMerge(Registry.layer),
    Layer.provideMerge(NodeHttpServer.layer({ port: 0 })),
    Layer.provide([HttpServer.layerServices, Logger.layer([])])
  )

/** Sends to a real server over a real socket. */
const serving = <A, E>(
  { tool }: Counted,
  test: (
    send: (path: string, init?: RequestInit) => Effect.Effect<Response>,
    audit: Audit.Interface
  ) => Effect.Effect<A, E>,
  options: Http.Options = { tokens }
) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ tool }))
    const server = yield* HttpServer.HttpServer
    const base = HttpServer.formatAddress(server.address)
    const send = (path: string, init: RequestInit = {}) =>
      Effect.promise((signal) => fetch(`${base}${path}`, { signal, ...init }))
    return yield* test(send, yield* Audit.Service)
  }).pipe(Effect.scoped, Effect.provide(layer(options)))

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }
})

const orloj = (more: object = {}) => ({ request_id: "req-1", tool: { name: "tool" }, input: { text: "x" }, ...more })

const json = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

const execute = "/orloj/v1/execute"

describe("a gateway over HTTP", () => {
  it.live("answers settled calls with 200, failures included", () => {
    const tool = echo()
    return serving(tool, (send) =>
      Effect.gen(function* () {
        const done = yield* send(execute, post(orloj()))
        assert.strictEqual(done.status, 200)
        assert.deepNestedInclude(yield* json(done), { status: "ok", "output.result": "x", request_id: "req-1" })
        const failed = yield* send(execute, post(orloj({ input: { text: 1 } })))
        assert.strictEqual(failed.status, 200)
        assert.deepNestedInclude(yield* json(failed), { status: "error", "error.code": "invalid_input" })
        const unread = yield* send("/uicp/v1/call", post({ call_id: "x" }))
        assert.strictEqual(unread.status, 200)
        assert.deepInclude(yield* json(unread), { status: "invalid_request" })
        assert.strictEqual(tool.calls(), 1)
      })
    )
  })

  const none: ReadonlyArray<readonly [string, number, string, RequestInit]> = [
    ["no token", 401, execute, { ...post(orloj()), headers: { "content-type": "application/json" } }],
    ["a forged token", 401, execute, post(orloj(), { authorization: `Bearer ${token.replace("0", "1")}` })],
    ["another scheme", 401, execute, post(orloj(), { authorization: `Basic ${token}` })],
    ["text that is no JSON", 400, execute, post("{")],
    ["a key twice", 400, execute, post('{"request_id":"a","request_id":"b"}')],
    ["another media type", 415, execute, post(orloj(), { "content-type": "text/plain" })],
    ["a body that is too large", 413, execute, post(orloj({ input: { text: "x".repeat(5000) } }))],
    ["a path that is not there", 404, "/other", post(orloj())]
  ]

  it.live.each(none)("answers %s with %i, and there is no call", ([, status, path, init]) => {
    const tool = echo()
    return serving(
      tool,
      (send, audit) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* send(path, init)).status, status)
          assert.deepStrictEqual([tool.calls(), (yield* audit.counts).requested], [0, 0])
        }),
      { tokens, maxPayloadBytes: 4096 }
    )
  })

  it.live("holds a request to what its token proves", () => {
    const tool = echo()
    return serving(tool, (send) =>
      Effect.gen(function* () {
        const foreign = orloj({ haft: { v: 1, tenantId: "tenant-2" } })
        const denied = yield* json(yield* send(execute, post(foreign)))
        assert.deepNestedInclude(denied, { status: "denied", "error.code": "permission_denied" })
        assert.strictEqual(tool.calls(), 0)
        const own = yield* json(yield* send(execute, post(orloj({ haft: { v: 1, tenantId: "tenant-1" } }))))
        assert.deepInclude(own, { status: "ok" })
      })
    )
  })

  it.live("lets everybody in only where the host says so", () => {
    const tool = echo()
    return serving(
      tool,
      (send) =>
        Effect.gen(function* () {
          const init = { ...post(orloj()), headers: { "content-type": "application/json" } }
          assert.strictEqual((yield* send(execute, init)).status, 200)
        }),
      { tokens: "none" }
    )
  })

  it.live("describes itself to everybody", () =>
    serving(echo(), (send) =>
      Effect.gen(function* () {
        const response = yield* send(Http.openapiPath)
        assert.strictEqual(response.status, 200)
        const document = Schema.decodeUnknownSync(
          Schema.Struct({ openapi: Schema.String, paths: Schema.Record(Schema.String, Schema.Unknown) })
        )(yield* json(response))
        assert.sameMembers(Object.keys(document.paths), [execute, "/uicp/v1/call"])
        assert.include(JSON.stringify(document.paths), "idempotency_key")
      })
    )
  )

  it.live("interrupts the call of a client that goes away, and accounts for it", () =>
    Effect.gen(function* () {
      const entered = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const tool = counted({ determinism: "pure" }, () =>
        Deferred.succeed(entered, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
        )
      )
      yield* serving(tool, (send, audit) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(send(execute, post(orloj())))
          yield* Deferred.await(entered)
          yield* Fiber.interrupt(fiber)
          yield* Deferred.await(stopped)
          const settled = Effect.map(audit.counts, ({ settled }) => settled === 1)
          yield* Effect.repeat(settled, { until: (isSettled) => isSettled })
        })
      )
    })
  )

  it.live("does not serve with a token that anybody could guess", () =>
    Effect.gen(function* () {
      const weak = { tokens: [{ token: Redacted.make("short"), actor: "a" }] }
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer(weak))))
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})
