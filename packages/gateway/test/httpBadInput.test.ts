import { assert, describe, it } from "@effect/vitest"
import { Tools } from "@haft/core"
import { Audit, Gateway } from "@haft/gateway"
import * as Http from "@haft/gateway/http"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as Testing from "@haft/registry/testing"
import { Orloj, Uicp } from "@haft/wire"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { chain, counted, layerCatalog, run } from "./support/governing.ts"

const token = "0123456789abcdef0123456789abcdef"

/** What a stranger, or a client with a bug, sends, and what it is told. Nothing of it reaches the tool. */
interface Bad {
  readonly name: string
  readonly path?: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Without one there was no call, and so no envelope. */
  readonly status?: number
  readonly expected?: Readonly<Record<string, unknown>>
}

const orloj = (more: object = {}) => ({
  request_id: "req-1",
  agent: "agent-1",
  tool: { name: "tool" },
  input: { text: "x" },
  ...more
})

const callId = "a8f124c2-918f-59f1-9e47-b7bc59d34893"

const uicp = (more: object = {}, constraints: object = {}, context: object = {}) => ({
  call_id: callId,
  tool_id: "tool",
  tool_version: "*",
  fn: "invoke",
  input: { text: "x" },
  context: { actor_id: "agent-1", timezone: "UTC", env: "dev", trace_id: callId, ...context },
  constraints: {
    timeout_ms: 1000,
    deadline_unix_ms: 4_102_444_800_000,
    idempotency_key: "0123456789abcdef",
    ...constraints
  },
  ...more
})

const invalid = { status: "error", "error.code": "invalid_input", "error.retryable": false }
const refused = { status: "invalid_request", "error.code": "I-REQ-SCHEMA" }
const denied = { status: "denied", "error.code": "permission_denied", "error.retryable": false }

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

const inOrloj: ReadonlyArray<Bad> = [
  {
    name: "an argument that the tool does not know",
    body: orloj({ input: { text: "x", other: 1 } }),
    expected: { ...invalid, "error.details.field": "other" }
  },
  {
    name: "arguments that are wrong in every way",
    body: orloj({ input: { text: 1, a: 1 } }),
    expected: { ...invalid, "error.details.violations[0].path": "a", "error.details.violations[1].path": "text" }
  },
  {
    name: "a prototype among the arguments",
    body: '{"request_id":"req-1","tool":{"name":"tool"},"input":{"text":"x","__proto__":{"a":1}}}',
    expected: invalid
  },
  { name: "arguments that are text and no JSON", body: orloj({ input: undefined, input_raw: "{" }), expected: invalid },
  {
    name: "a version of the contract that there is not",
    body: orloj({ tool_contract_version: "v2" }),
    expected: { ...invalid, "error.details.field": "tool_contract_version", "error.details.expected": "v1" }
  },
  {
    name: "an operation that there is not",
    body: orloj({ tool: { name: "tool", operation: "delete" } }),
    expected: invalid
  },
  { name: "no request id", body: orloj({ request_id: " " }), expected: { ...invalid, request_id: "" } },
  { name: "no tool", body: orloj({ tool: {} }), expected: { ...invalid, "error.details.field": "tool.name" } },
  { name: "a list", body: [orloj()], expected: invalid },
  { name: "null", body: "null", expected: invalid },
  {
    name: "a tool that is not offered",
    body: orloj({ tool: { name: "other" } }),
    expected: { status: "error", "error.code": "unsupported_tool" }
  },
  {
    name: "a name that every object has",
    body: orloj({ tool: { name: "constructor" } }),
    expected: { "error.code": "unsupported_tool" }
  },
  {
    name: "a range in which there is no version",
    body: orloj({ haft: { v: 1, versionRange: "9.x" } }),
    expected: { "error.code": "unsupported_tool", "haft.tag": "Rejected.VersionUnresolved" }
  },
  {
    name: "a deadline that has passed",
    body: orloj({ haft: { v: 1, deadlineUnixMs: 1000 } }),
    expected: { status: "error", "error.code": "timeout", "haft.effect": "NotStarted" }
  },
  { name: "a timeout that is no number", body: orloj({ runtime: { timeout_ms: "soon" } }), expected: invalid },
  {
    name: "a key that is too long",
    body: orloj({ haft: { v: 1, idempotencyKey: "k".repeat(513) } }),
    expected: invalid
  },
  { name: "another agent than the token proves", body: orloj({ agent: "agent-2" }), expected: denied },
  {
    name: "another tenant than the token proves",
    body: orloj({ haft: { v: 1, tenantId: "tenant-2" } }),
    expected: denied
  },
  {
    name: "more levels than anybody needs",
    body: `{"request_id":"req-1","tool":{"name":"tool"},"input":${deep(2000)}}`,
    status: 400
  },
  { name: "a body that is too large", body: orloj({ input: { text: "x".repeat(30_000) } }), status: 413 },
  { name: "a body that is compressed", body: orloj(), headers: { "content-encoding": "gzip" }, status: 415 },
  { name: "a forged token", body: orloj(), headers: { authorization: `Bearer ${token.slice(1)}0` }, status: 401 },
  {
    name: "the beginning of a token",
    body: orloj(),
    headers: { authorization: `Bearer ${token.slice(0, -1)}` },
    status: 401
  },
  { name: "two tokens", body: orloj(), headers: { authorization: `Bearer x, Bearer ${token}` }, status: 401 }
]

const inUicp: ReadonlyArray<Bad> = [
  {
    name: "a field that the contract does not have",
    body: uicp({ extra: 1 }),
    expected: { ...refused, call_id: callId }
  },
  {
    name: "an argument that the tool does not know",
    body: uicp({ input: { text: "x", other: 1 } }),
    expected: { ...refused, "error.details.violations[0].path": "other" }
  },
  {
    name: "a version that is in no release",
    body: uicp({ tool_version: "9.x" }),
    expected: { status: "terminal_error", "error.code": "C-CONTRACT-VERSION" }
  },
  {
    name: "a range that is none",
    body: uicp({ tool_version: "not a range" }),
    expected: { status: "terminal_error", "error.code": "C-CONTRACT-VERSION" }
  },
  {
    name: "a deadline that has passed",
    body: uicp({}, { deadline_unix_ms: 1000 }),
    expected: { "error.code": "R-TIMEOUT-001" }
  },
  { name: "a timeout above the contract's", body: uicp({}, { timeout_ms: 600_001 }), expected: refused },
  { name: "a key that is too short", body: uicp({}, { idempotency_key: "short" }), expected: refused },
  { name: "no key", body: uicp({}, { idempotency_key: undefined }), expected: refused },
  {
    name: "an id that is none",
    body: uicp({ call_id: "x" }),
    expected: { ...refused, call_id: "00000000-0000-0000-0000-000000000000" }
  },
  {
    name: "a tool that is not offered",
    body: uicp({ tool_id: "other" }),
    expected: { status: "invalid_request", "error.code": "I-REQ-UNKNOWN-TOOL" }
  },
  {
    name: "another actor than the token proves",
    body: uicp({}, {}, { actor_id: "agent-2" }),
    expected: { status: "terminal_error", "error.code": "A-AUTH-PERMISSION" }
  },
  {
    name: "another tenant than the token proves",
    body: uicp({ provenance: { haft: { v: 1, tenantId: "tenant-2" } } }),
    expected: { status: "terminal_error", "error.code": "A-AUTH-PERMISSION" }
  }
].map((bad) => Object.assign({ path: Http.paths.uicp }, bad))

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

/** A real server on a real socket, in front of one tool. */
const serving = <A, E, R>(
  tool: ReturnType<typeof echo>,
  gateway: Layer.Layer<Gateway.Service | Audit.Service, never, Layer.Success<typeof layerCatalog>>,
  test: (send: (bad: Bad) => Effect.Effect<Response>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ tool: tool.tool }))
    const base = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    return yield* test(({ body, headers, path = Http.paths.orloj }) =>
      Effect.promise((signal) =>
        fetch(`${base}${path}`, {
          signal,
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }
        })
      )
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(
      HttpRouter.serve(
        Http.layer({
          tokens: [{ token: Redacted.make(token), actor: "agent-1", tenantId: "tenant-1" }],
          maxPayloadBytes: 20_000
        }),
        {
          disableLogger: true,
          disableListenLog: true
        }
      ).pipe(
        Layer.provideMerge(gateway),
        Layer.provideMerge(layerCatalog),
        Layer.provideMerge(Testing.layer),
        Layer.provideMerge(NodeHttpServer.layer({ port: 0 })),
        Layer.provide([HttpServer.layerServices, Logger.layer([])])
      )
    )
  )

const json = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

const isResponse = { orloj: Schema.is(Orloj.Response), uicp: Schema.is(Uicp.Response) }

describe("what must not reach a tool, over HTTP", () => {
  it.live.each([...inOrloj, ...inUicp].map((bad) => [`${bad.path ?? Http.paths.orloj}: ${bad.name}`, bad] as const))(
    "%s",
    ([, bad]) => {
      const tool = echo()
      return serving(tool, Gateway.layerMemory(), (send) =>
        Effect.gen(function* () {
          const response = yield* send(bad)
          assert.strictEqual(response.status, bad.status ?? 200)
          const { counts } = yield* Audit.Service
          if (bad.expected === undefined) {
            assert.strictEqual((yield* counts).requested, 0, "there was no call")
          } else {
            const envelope = yield* json(response)
            assert.isTrue(
              isResponse[bad.path === undefined ? "orloj" : "uicp"](envelope),
              "in the shape of the contract"
            )
            assert.deepNestedInclude(envelope, bad.expected)
          }
          assert.strictEqual(tool.calls(), 0)
          const { requested, settled } = yield* counts
          assert.strictEqual(settled, requested, "and what was a call is on the account")
          const good = yield* send({ name: "", body: bad.path === undefined ? orloj() : uicp() })
          assert.strictEqual(good.status, 200)
          assert.strictEqual(tool.calls(), bad.path === undefined ? 1 : 0)
        })
      )
    }
  )

  it.live("M33: a used-up budget that is an error of the host's is answered in the contract all the same", () => {
    const tool = echo()
    /** A host that has one run for everybody. */
    const budgeted = Layer.effect(
      Gateway.Service,
      Effect.map(Gateway.Service, (gateway) => ({
        ...gateway,
        call: (request: Parameters<typeof gateway.call>[0], options: Gateway.CallOptions = {}) =>
          gateway.call({ ...request, principalChain: chain }, { ...options, run: run({ max_tool_calls: 1 }) })
      }))
    ).pipe(Layer.provideMerge(Gateway.layerMemory({ exhausted: "error" })))
    return serving(tool, budgeted, (send) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* json(yield* send({ name: "", body: orloj() })), { status: "ok" })
        const second = yield* send({ name: "", body: orloj({ request_id: "req-2" }) })
        assert.strictEqual(second.status, 200)
        assert.deepNestedInclude(yield* json(second), {
          ...denied,
          request_id: "req-2",
          "haft.tag": "Denied.Budget",
          "haft.warnings": ["run_ended"]
        })
        const key = { idempotency_key: "another-0123456789" }
        const third = yield* send({ name: "", path: Http.paths.uicp, body: uicp({}, key) })
        assert.deepNestedInclude(yield* json(third), { status: "terminal_error", "error.code": "P-PRECOND-BUDGET" })
        assert.strictEqual(tool.calls(), 1)
      })
    )
  })
})
