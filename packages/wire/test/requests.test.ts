import { assert, describe, it } from "@effect/vitest"
import { CallKey, CallRequest, ContextOs, Orloj, Uicp } from "@haft/wire"
import { Arbitrary, Result, Schema } from "effect"
import { without } from "./support/answers.ts"
import { readable, sent } from "./support/json.ts"
import { traces } from "./support/outcomes.ts"
import { validator } from "./support/validators.ts"

const decoded = <A>(request: Result.Result<A, unknown>): A => sent(Result.getOrThrow(request))

const Word = Schema.Literals(["a", "größe", "x.y", "0", "tool_1"])

/** Numbers that every contract can carry, and ids that are not blank; everything else is whatever a generator makes. */
const { fields } = CallRequest.CallRequest
const Whole = Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 600_000 })))

const Request = Schema.Struct({
  ...fields,
  callId: Word,
  toolName: Word,
  toolId: Schema.optionalKey(Schema.Literals(["search.web", "t"])),
  actor: Schema.optionalKey(Word),
  agent: Schema.optionalKey(Word),
  tenantId: Schema.optionalKey(Word),
  namespace: Schema.optionalKey(Word),
  taskId: Schema.optionalKey(Word),
  versionRange: Schema.optionalKey(Word),
  timeoutMs: Whole,
  deadlineUnixMs: Whole,
  memoryMb: Whole,
  attempt: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  trace: Schema.optionalKey(Schema.Never),
  provenance: Schema.optionalKey(Schema.Struct({ commit: Schema.String })),
  metadata: Schema.optionalKey(Schema.Never)
})

const requests = Arbitrary.map(
  Arbitrary.all({ request: Arbitrary.schema(Request), trace: traces }),
  ({ request, trace }): CallRequest.CallRequest =>
    sent({
      ...without(request, "metadata", "trace"),
      input: readable(request.input),
      ...(trace === undefined ? {} : { trace })
    })
)

const runs = { arbitrary: { runs: 60 } }

const notInOrloj = [
  "toolId",
  "runId",
  "sessionId",
  "modes",
  "policyDecisionId",
  "memoryMb",
  "netAllowlist",
  "locale",
  "timezone",
  "env",
  "clock",
  "provenance"
] as const

const orlojExpected = (request: CallRequest.CallRequest): unknown => {
  const [agent, namespace] = [request.agent ?? request.actor, request.namespace ?? request.tenantId]
  return {
    ...without(request, ...notInOrloj),
    principalChain: [],
    evidenceRefs: [],
    ...(agent === undefined ? {} : { agent, actor: agent }),
    ...(namespace === undefined ? {} : { namespace })
  }
}

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

/** With everything that uicp demands and a codec cannot make up. */
const complete = (request: CallRequest.CallRequest): CallRequest.CallRequest => ({
  ...request,
  toolId: request.toolId ?? "search.web",
  actor: request.actor ?? "agent://a",
  timeoutMs: request.timeoutMs ?? 1000,
  deadlineUnixMs: request.deadlineUnixMs ?? 1_750_000_000_000,
  idempotencyKey: `${request.idempotencyKey ?? ""} and sixteen more`,
  env: request.env ?? "dev",
  timezone: request.timezone ?? "UTC",
  versionRange: request.versionRange ?? "*",
  trace: { ...without(request.trace ?? {}, "external"), traceId: request.trace?.traceId ?? traceID }
})

const notInUicp = [
  "namespace",
  "agent",
  "taskId",
  "runId",
  "sessionId",
  "modes",
  "policyDecisionId",
  "authRef",
  "metadata"
] as const

const uicpExpected = (request: CallRequest.CallRequest): unknown => ({
  ...without(request, ...notInUicp),
  toolName: request.toolId,
  principalChain: [],
  evidenceRefs: [],
  attempt: 1
})

/** With everything that ContextOS demands. */
const governed = (request: CallRequest.CallRequest): CallRequest.CallRequest => ({
  ...request,
  runId: request.runId ?? "run_1",
  modes: request.modes ?? { requested: "read_only", effective: "read_only", highest: "network" },
  input: typeof request.input === "object" && !Array.isArray(request.input) ? (request.input ?? {}) : {},
  trace: { traceId: traceID, ...request.trace }
})

const notInContextOs = [
  "agent",
  "namespace",
  "taskId",
  "timeoutMs",
  "memoryMb",
  "netAllowlist",
  "locale",
  "timezone",
  "env",
  "clock",
  "provenance",
  "actor"
] as const

const contextOsExpected = (request: CallRequest.CallRequest): unknown => {
  const capability = request.toolId ?? request.toolName
  const actor = request.principalChain.at(-1)
  const tenantId = request.tenantId ?? actor?.tenant_id
  return {
    ...without(request, ...notInContextOs),
    ...(actor === undefined ? {} : { actor: actor.id }),
    ...(tenantId === undefined ? {} : { tenantId }),
    toolName: capability,
    toolId: capability,
    scopes: [],
    attempt: 1
  }
}

describe("a request comes back", () => {
  const validOrloj = validator("orloj", "request")

  const ofOrloj = (codec: Orloj.Codec, request: CallRequest.CallRequest): void => {
    const envelope = decoded(codec.encodeRequest(request))
    validOrloj(envelope)
    assert.deepStrictEqual(decoded(codec.decodeRequest(envelope)), orlojExpected(request))
  }

  const document = Orloj.make()
  it.prop("from Orloj", [requests], ([request]) => ofOrloj(document, request), runs)

  const interop = Orloj.make({ shape: "interop" })
  it.prop("from Orloj's Go implementation", [requests], ([request]) => ofOrloj(interop, request), runs)

  const validUicp = validator("uicp", "request")
  it.prop(
    "from uicp",
    [Arbitrary.map(requests, complete)],
    ([request]) => {
      const envelope = decoded(Uicp.encodeRequest(request))
      validUicp(envelope)
      assert.deepStrictEqual(decoded(Uicp.decodeRequest(envelope)), uicpExpected(request))
    },
    runs
  )

  const validContextOs = validator("contextos", "tool-call")
  it.prop(
    "from ContextOS",
    [Arbitrary.map(requests, governed)],
    ([request]) => {
      const envelope = decoded(ContextOs.encodeRequest(request))
      validContextOs(envelope)
      assert.deepStrictEqual(decoded(ContextOs.decodeRequest(envelope)), contextOsExpected(request))
    },
    runs
  )
})

const bare: CallRequest.CallRequest = {
  callId: "req-123",
  toolName: "search_web",
  fn: "query",
  input: { q: "effect", n: 10 },
  scopes: [],
  principalChain: [],
  evidenceRefs: [],
  dryRun: false,
  attempt: 1
}

describe("a request that a contract has no words for", () => {
  const pathOf = (request: Result.Result<unknown, { readonly path: string }>): string =>
    Result.isFailure(request) ? request.failure.path : "none"

  it("is refused with the field that is missing", () => {
    assert.strictEqual(pathOf(Uicp.encodeRequest(bare)), "context.actor_id")
    assert.strictEqual(pathOf(ContextOs.encodeRequest(bare)), "run_id")
    assert.strictEqual(pathOf(ContextOs.encodeRequest({ ...governed(bare), input: [1] })), "args")
    assert.strictEqual(pathOf(Orloj.make().encodeRequest({ ...bare, callId: " " })), "request_id")
  })

  it("is refused with a trace id that is somebody else's, where ids are W3C's", () => {
    const request = { ...complete(bare), trace: { external: { traceId: "trace-abc" } } }
    assert.strictEqual(pathOf(Uicp.encodeRequest(request)), "context.trace_id")
  })
})

describe("a uicp request", () => {
  const encode = (request: CallRequest.CallRequest, options?: Uicp.RequestOptions) =>
    Result.getOrThrow(Uicp.encodeRequest(request, options))
  const options = { env: "staging", actorId: "agent://b", timezone: "Europe/Oslo" } as const
  const { actor: _, env: __, timezone: ___, ...anonymous } = complete({ ...bare, idempotencyKey: "" })

  it("takes what the call lacks from the options", () => {
    const { context } = encode(anonymous, options)
    assert.deepStrictEqual([context.actor_id, context.env, context.timezone], ["agent://b", "staging", "Europe/Oslo"])
  })

  it("has a key that is derived from the call, if the call has none", () => {
    const { idempotencyKey: _, ...request } = { ...anonymous, toolId: "search.web", versionRange: "1.x" }
    const { constraints } = encode(request, options)
    assert.strictEqual(constraints.idempotency_key, CallKey.idempotencyKey(request))
  })
})
