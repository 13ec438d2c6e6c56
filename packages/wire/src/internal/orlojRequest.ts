/** Orloj requests and calls, both ways. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CallRequest, RetryPolicy } from "../CallRequest.ts"
import type { DecodeError, Unencodable } from "../EnvelopeError.ts"
import { defaultFn } from "../Outcome.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { isObject } from "./boxes.ts"
import { compact } from "./compact.ts"
import { checker, type Kind, unencodable, versioned } from "./envelopes.ts"
import { parseJson } from "./jsonText.ts"
import * as Envelopes from "./orlojEnvelopes.ts"
import type { Shape } from "./orlojEnvelopes.ts"
import { readSlot, requestSlot } from "./requestSlots.ts"
import { hiddenTrace, mergeTrace } from "./traces.ts"

const kind: Kind = { contract: "orloj", envelope: "request" }

const check = checker(kind, Envelopes.Request)

export const decoder = (shape: Shape) => {
  const checkAll = versioned(kind, Envelopes.versionsOf(shape), check)
  return (document: unknown): Result.Result<CallRequest, DecodeError> => Result.map(checkAll(document), toCall)
}

/** Text that is no JSON is the input itself. */
const inputOf = ({ input, input_raw = "" }: Envelopes.Request): Schema.Json =>
  input_raw.trim() === "" ? (input ?? {}) : Option.getOrElse(parseJson(input_raw), () => input_raw)

const toCall = (request: Envelopes.Request): CallRequest => {
  const slot = readSlot(request.haft)
  const agent = trimmed(request.agent)
  const trace = TraceContext.fromIDs(request.trace?.trace_id, request.trace?.span_id)
  return compact({
    callId: request.request_id.trim(),
    toolName: request.tool.name.trim(),
    fn: slot.fn ?? defaultFn,
    versionRange: slot.versionRange,
    input: inputOf(request),
    actor: agent,
    tenantId: slot.tenantId,
    namespace: trimmed(request.namespace),
    agent,
    taskId: trimmed(request.task_id),
    scopes: request.auth?.scopes ?? [],
    principalChain: [],
    evidenceRefs: [],
    authRef: request.auth?.secret_ref,
    timeoutMs: positive(request.runtime?.timeout_ms),
    deadlineUnixMs: slot.deadlineUnixMs,
    retryPolicy: slot.retryPolicy ?? policyOf(request.runtime),
    idempotencyKey: slot.idempotencyKey,
    dryRun: slot.dryRun ?? false,
    attempt: positive(request.attempt) ?? 1,
    trace: mergeTrace(trace, slot.trace),
    metadata: metadataOf(request)
  })
}

const trimmed = (text: string | undefined): string | undefined => text?.trim() || undefined

const lowered = (text: string | undefined): string | undefined => trimmed(text)?.toLowerCase()

const positive = (count: number | undefined): number | undefined =>
  count === undefined || count <= 0 ? undefined : count

/** Of the contract, for whoever names no cap. */
const defaultCapMs = 30_000

/** The contract names no first wait; without a slot there is none. */
const policyOf = (runtime: Envelopes.Request["runtime"]): RetryPolicy | undefined => {
  const maxAttempts = positive(runtime?.max_attempts)
  if (runtime === undefined || maxAttempts === undefined) return undefined
  const capMs = positive(runtime.max_backoff_ms) ?? defaultCapMs
  return { maxAttempts, baseMs: 0, capMs, jitter: runtime.jitter === true ? "full" : "none" }
}

/** What a call has no field for. */
const metadataOf = ({ auth, runtime, tool }: Envelopes.Request): Schema.JsonObject | undefined => {
  const labels = new Set(tool.capabilities?.flatMap((label) => lowered(label) ?? []))
  const metadata = compact({
    capabilities: labels.size === 0 ? undefined : [...labels],
    risk_level: lowered(tool.risk_level),
    mode: lowered(runtime?.mode),
    auth_profile: auth?.profile
  })
  return Object.keys(metadata).length === 0 ? undefined : metadata
}

export const encoder =
  (shape: Shape) =>
  (request: CallRequest): Result.Result<Envelopes.Request, Unencodable> =>
    Result.mapError(check(fromCall(request, shape)), ({ violations: [first] }) =>
      unencodable(kind, first?.path ?? "", first?.expected ?? "")
    )

const fromCall = (request: CallRequest, shape: Shape) => {
  const { traceId, spanId } = TraceContext.toIDs(request.trace)
  const trace = compact({ trace_id: traceId, span_id: spanId })
  return compact({
    tool_contract_version: Envelopes.version,
    request_id: request.callId,
    task_id: request.taskId,
    namespace: request.namespace ?? request.tenantId,
    agent: request.agent ?? request.actor,
    tool: compact({
      name: request.toolName,
      operation: defaultFn,
      capabilities: textsIn(request, "capabilities"),
      risk_level: textIn(request, "risk_level")
    }),
    ...encodeInput(request.input, shape),
    runtime: runtimeOf(request),
    auth: authOf(request),
    trace: Object.keys(trace).length === 0 ? undefined : trace,
    attempt: request.attempt,
    [Slot.key]: slotOf(request)
  })
}

/** The Go implementation's `input` holds nothing but texts. */
const encodeInput = (input: Schema.Json, shape: Shape) =>
  shape === "document" && isObject(input) ? { input } : { input_raw: JSON.stringify(input) }

const runtimeOf = (request: CallRequest) => {
  const { retryPolicy, timeoutMs } = request
  const runtime = compact({
    mode: textIn(request, "mode"),
    timeout_ms: timeoutMs === undefined ? undefined : Math.round(timeoutMs),
    max_attempts: retryPolicy?.maxAttempts,
    backoff: retryPolicy === undefined ? undefined : "exponential",
    max_backoff_ms: retryPolicy === undefined ? undefined : Math.round(retryPolicy.capMs),
    jitter: retryPolicy === undefined ? undefined : retryPolicy.jitter !== "none"
  })
  return Object.keys(runtime).length === 0 ? undefined : runtime
}

const authOf = (request: CallRequest) => {
  const scopes = request.scopes.length === 0 ? undefined : request.scopes
  const auth = compact({ profile: textIn(request, "auth_profile"), secret_ref: request.authRef, scopes })
  return Object.keys(auth).length === 0 ? undefined : auth
}

const textIn = ({ metadata }: CallRequest, key: string): string | undefined => {
  const value = metadata?.[key]
  return typeof value === "string" ? value : undefined
}

const isTexts = Schema.is(Schema.Array(Schema.String))

const textsIn = ({ metadata }: CallRequest, key: string): ReadonlyArray<string> | undefined => {
  const value = metadata?.[key]
  return isTexts(value) ? value : undefined
}

const slotOf = (request: CallRequest): Slot.Request | undefined =>
  requestSlot({
    fn: request.fn === defaultFn ? undefined : request.fn,
    versionRange: request.versionRange,
    deadlineUnixMs: request.deadlineUnixMs,
    retryPolicy: request.retryPolicy,
    idempotencyKey: request.idempotencyKey,
    tenantId: request.tenantId,
    dryRun: request.dryRun ? true : undefined,
    trace: hiddenTrace(request.trace)
  })
