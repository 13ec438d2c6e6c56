import { assert, describe, it } from "@effect/vitest"
import {
  type Answer,
  type CallRequest,
  ContextOs,
  type Contract,
  type EnvelopeError,
  Leaf,
  Orloj,
  Osaurus,
  Uicp
} from "@haft/wire"
import { Arbitrary, Result, Schema } from "effect"
import { outcomes } from "./support/outcomes.ts"
import { validator } from "./support/validators.ts"

interface Codec {
  readonly contract: Contract.Contract
  readonly decode: (document: unknown) => Answer.Answer
  readonly decodeRequest?: (document: unknown) => Result.Result<CallRequest.CallRequest, EnvelopeError.DecodeError>
  readonly refuse?: (document: unknown, error: EnvelopeError.DecodeError) => object
  readonly isValid?: (document: unknown) => void
}

const orloj = Orloj.make()
const interop = Orloj.make({ shape: "interop" })

const codecs: ReadonlyArray<Codec & { readonly name: string }> = [
  { name: "Orloj", contract: "orloj", ...orloj, isValid: validator("orloj", "response") },
  { name: "Orloj's Go implementation", contract: "orloj", ...interop, isValid: validator("orloj", "interop-response") },
  { name: "uicp", contract: "uicp", ...Uicp, isValid: validator("uicp", "response") },
  { name: "ContextOS", contract: "contextos", ...ContextOs, isValid: validator("contextos", "tool-result") },
  { name: "Osaurus", contract: "osaurus", decode: Osaurus.decode }
]

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { tool: value, error: value, context: value }
  return value
}

const throwing = {
  get status() {
    throw new Error("read me not")
  }
}

const cyclic: Record<string, unknown> = {}
cyclic["tool"] = cyclic

const documents: ReadonlyArray<readonly [string, unknown]> = [
  ["nothing", undefined],
  ["null", null],
  ["text", "ok"],
  ["a number", Number.NaN],
  ["a list", []],
  ["an empty object", {}],
  ["a function", () => 1],
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["a deep document", deep(5000)],
  ["a document that refers to itself", cyclic],
  ["a document that throws", throwing],
  ["ten million characters", { request_id: "x".repeat(10 * 1024 * 1024), status: "ok" }],
  ["a million values", { output: Array.from({ length: 1_000_000 }, () => 0), status: "ok" }],
  ["inherited fields", Object.create({ ok: true, result: 1, status: "ok", request_id: "r" })],
  [
    "names of the prototype",
    JSON.parse(`{"__proto__":{"status":"ok"},"constructor":1,"toString":2,"hasOwnProperty":3}`)
  ]
]

describe.each(codecs)("a hostile document for $name", ({ contract, decode, decodeRequest, isValid, refuse }) => {
  it.each(documents)("gives an answer that it is none: %s", (_, document) => {
    const { effect, leaf } = decode(document)
    assert.strictEqual(leaf._tag, "Operational.Protocol")
    assert.strictEqual(effect._tag, "Unknown")
  })

  it.each(documents)("is no request, and its answer is one of the contract: %s", (_, document) => {
    if (decodeRequest === undefined || refuse === undefined || isValid === undefined) return
    const request = decodeRequest(document)
    if (Result.isSuccess(request)) return assert.fail("no request could be read")
    const { failure } = request
    assert.strictEqual(failure._tag, "EnvelopeError.InvalidEnvelope")
    assert.strictEqual(failure.contract, contract)
    const answer = JSON.parse(JSON.stringify(refuse(document, failure)))
    isValid(answer)
    assert.strictEqual(decode(answer).leaf._tag, "Rejected.InvalidInput")
  })

  it.prop("gives an answer or an error, and never throws", [Schema.Json], ([document]) => {
    decode(document)
    decodeRequest?.(document)
  })
})

/** Where to go in a document, step by step, and what to put there. */
const Change = Schema.Struct({
  steps: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))),
  value: Schema.Json
})

const changed = (document: unknown, [step, ...steps]: ReadonlyArray<number>, value: Schema.Json): unknown => {
  if (step === undefined || typeof document !== "object" || document === null) return value
  const keys = Object.keys(document)
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return value
  const copy = Array.isArray(document) ? [...document] : { ...document }
  Reflect.set(copy, key, changed(Reflect.get(copy, key), steps, value))
  return copy
}

describe("an envelope of ours in which one value was replaced", () => {
  const any = Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(Leaf.tags)), outcomes)

  it.prop(
    "gives an answer all the same",
    [any, Change],
    ([{ outcome, repeating }, { steps, value }]) => {
      const [document, narrow] = [orloj.encode(outcome), interop.encode(outcome)]
      const model = Osaurus.encode(outcome, { operational: "surface" })
      const answers = [
        orloj.decode(document._tag === "Envelope" ? changed(document.envelope, steps, value) : value, repeating),
        interop.decode(narrow._tag === "Envelope" ? changed(narrow.envelope, steps, value) : value, repeating),
        Uicp.decode(changed(Uicp.encode(outcome), steps, value), repeating),
        ContextOs.decode(changed(ContextOs.encode(outcome), steps, value), repeating),
        Osaurus.decode(model._tag === "Envelope" ? changed(model.envelope, steps, value) : value, repeating)
      ]
      for (const { leaf } of answers) assert.isTrue(Schema.is(Leaf.Leaf)(leaf))
    },
    { arbitrary: { runs: 300, size: 5 } }
  )
})

describe("a request that cannot be read", () => {
  const refusalOf = (
    { decodeRequest, refuse }: Required<Pick<Codec, "decodeRequest" | "refuse">>,
    document: unknown
  ) => {
    const request = decodeRequest(document)
    return Result.isSuccess(request) ? undefined : JSON.parse(JSON.stringify(refuse(document, request.failure)))
  }

  it("is answered with the ids that it had", () => {
    const broken = { request_id: " r-1 ", tool: { name: 5 }, trace: { trace_id: "trace-abc" } }
    const answer = refusalOf(orloj, broken)
    assert.deepInclude(answer, { request_id: "r-1", status: "error", trace: { trace_id: "trace-abc" } })
    const call = refusalOf(ContextOs, {
      envelope_version: "contextos.tool_call.v1",
      tool_call_id: "t-1",
      run_id: "r-1"
    })
    assert.deepInclude(call, {
      tool_call_id: "t-1",
      run_id: "r-1",
      capability_id: "",
      trace_id: "",
      status: "rejected"
    })
  })

  it("is answered by uicp with ids that stand for none", () => {
    const answer = refusalOf(Uicp, { call_id: "17", fn: 1 })
    assert.strictEqual(answer.call_id, "00000000-0000-0000-0000-000000000000")
    assert.deepInclude(answer.provenance, { tool_id: "unknown", tool_version: "0.0.0" })
    assert.deepInclude(answer, { status: "invalid_request", metrics: { duration_ms: 0 } })
  })

  it("is not echoed when its ids are too long to be any", () => {
    assert.strictEqual(refusalOf(orloj, { request_id: "x".repeat(1000) }).request_id, "")
  })

  it("is answered with all violations where the contract shows several, and the first where it shows one", () => {
    const broken = { request_id: "r", tool: { name: 1 }, input: 2, attempt: "3" }
    const { details } = refusalOf(orloj, broken).error
    assert.strictEqual(details.field, "tool.name")
    assert.deepStrictEqual(
      details.violations.map(({ path }: { path: string }) => path),
      ["tool.name", "input", "attempt"]
    )
  })

  it("never shows what was sent", () => {
    const broken = { request_id: { secret: "hunter2" }, tool: { name: ["hunter2"] }, input: "hunter2" }
    assert.notInclude(JSON.stringify(refusalOf(orloj, broken)), "hunter2")
  })
})

describe("a version that is not ours", () => {
  const versions = ["v2", "v3.1", "V2 ", "2", "v1.", "v1.2.3", "v01", "contextos.tool_call.v2", "latest", "ⅴ1"]

  it.each(versions)("%s is refused the same way every time, whatever else is wrong", (version) => {
    const requests = [
      { tool_contract_version: version, request_id: "r", tool: { name: "t" } },
      { tool_contract_version: version },
      { tool_contract_version: version, request_id: 5, haft: deep(500) }
    ]
    for (const request of requests) {
      const result = orloj.decodeRequest(request)
      if (Result.isSuccess(result)) return assert.fail("another version was read")
      assert.deepInclude(result.failure, {
        _tag: "EnvelopeError.UnsupportedVersion",
        field: "tool_contract_version",
        expected: "v1",
        received: version
      })
      const answer = JSON.parse(JSON.stringify(orloj.refuse(request, result.failure)))
      assert.deepInclude(answer.error, { code: "invalid_input", retryable: false })
      assert.deepInclude(answer.error.details, { field: "tool_contract_version", expected: "v1" })
    }
  })

  it("is refused by ContextOS as an unsupported envelope", () => {
    const request = { envelope_version: "contextos.tool_call.v2", tool_call_id: "t" }
    const result = ContextOs.decodeRequest(request)
    if (Result.isSuccess(result)) return assert.fail("another version was read")
    const answer = ContextOs.refuse(request, result.failure)
    assert.deepInclude(answer, { status: "rejected", tool_call_id: "t" })
    assert.strictEqual(answer.error?.code, "unsupported_envelope_version")
  })

  it("is shown no longer than it takes to recognise it", () => {
    const result = orloj.decodeRequest({ tool_contract_version: `v2${"x".repeat(1_000_000)}` })
    assert.isTrue(Result.isFailure(result))
    assert.isBelow(Result.isFailure(result) ? JSON.stringify(result.failure).length : 0, 1000)
  })
})
