/** uicp requests and calls, both ways. */
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as CallKey from "../CallKey.ts"
import type { CallRequest, RetryPolicy } from "../CallRequest.ts"
import type { DecodeError, Unencodable } from "../EnvelopeError.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { compact } from "./compact.ts"
import { checker, type Kind, unencodable } from "./envelopes.ts"
import { readSlot, requestSlot } from "./requestSlots.ts"
import { hiddenTrace, mergeTrace } from "./traces.ts"
import * as Envelopes from "./uicpEnvelopes.ts"

const kind: Kind = { contract: "uicp", envelope: "request" }

const check = checker(kind, Envelopes.Request)

export const decodeRequest = (document: unknown): Result.Result<CallRequest, DecodeError> =>
  Result.map(check(document), toCall)

const toCall = (request: Envelopes.Request): CallRequest => {
  const { constraints, context, provenance = {} } = request
  const slot = readSlot(provenance[Slot.key])
  const own = Struct.omit(provenance, [Slot.key])
  const trace = TraceContext.fromIDs(context.trace_id.replaceAll("-", "").toLowerCase(), context.parent_span_id)
  return compact({
    callId: callIdOf(request.call_id, slot.callId),
    toolName: request.tool_id,
    toolId: request.tool_id,
    fn: request.fn,
    versionRange: request.tool_version,
    input: request.input,
    actor: context.actor_id,
    tenantId: slot.tenantId,
    scopes: context.scopes ?? [],
    principalChain: [],
    evidenceRefs: [],
    timeoutMs: constraints.timeout_ms,
    deadlineUnixMs: constraints.deadline_unix_ms,
    memoryMb: constraints.memory_mb_limit,
    netAllowlist: constraints.net_allowlist,
    retryPolicy: slot.retryPolicy ?? policyOf(constraints.retry_policy),
    idempotencyKey: constraints.idempotency_key,
    dryRun: request.dry_run ?? false,
    attempt: 1,
    locale: context.locale,
    timezone: context.timezone,
    env: context.env,
    clock: context.clock,
    trace: mergeTrace(trace, slot.trace),
    provenance: Object.keys(own).length === 0 ? undefined : own
  })
}

/** The id that a slot names counts if it leads to the id that the envelope shows. */
export const callIdOf = (shown: string, original: string | undefined): string =>
  original !== undefined && CallKey.toUuid(original) === shown ? original : shown

const policyOf = (policy: Envelopes.Request["constraints"]["retry_policy"]): RetryPolicy | undefined =>
  policy === undefined
    ? undefined
    : { maxAttempts: policy.max_attempts, baseMs: policy.base_ms, capMs: policy.cap_ms, jitter: policy.jitter }

/** What the contract demands and a call may not have. */
export interface RequestOptions {
  readonly env?: Envelopes.Request["context"]["env"]
  readonly timezone?: string
  readonly actorId?: string
}

/** For a call that names no version. */
const anyVersion = "*"

export const encodeRequest = (
  request: CallRequest,
  options: RequestOptions = {}
): Result.Result<Envelopes.Request, Unencodable> =>
  Result.mapError(check(fromCall(request, options)), ({ violations: [first] }) =>
    unencodable(kind, first?.path ?? "", first?.expected ?? "")
  )

const fromCall = (request: CallRequest, options: RequestOptions) => {
  const [toolId, versionRange] = [request.toolId ?? request.toolName, request.versionRange ?? anyVersion]
  const provenance = { ...request.provenance, ...compact({ [Slot.key]: slotOf(request) }) }
  return compact({
    call_id: CallKey.toUuid(request.callId),
    tool_id: toolId,
    tool_version: versionRange,
    fn: request.fn,
    input: request.input,
    context: contextOf(request, options),
    constraints: constraintsOf(request, CallKey.idempotencyKey({ ...request, toolId, versionRange })),
    provenance: Object.keys(provenance).length === 0 ? undefined : provenance,
    dry_run: request.dryRun ? true : undefined
  })
}

const contextOf = (request: CallRequest, options: RequestOptions) => {
  const { spanId, traceId } = TraceContext.toIDs(request.trace)
  return compact({
    actor_id: request.actor ?? options.actorId,
    scopes: request.scopes.length === 0 ? undefined : request.scopes,
    trace_id: traceId === undefined ? undefined : CallKey.dashed(traceId),
    parent_span_id: spanId,
    locale: request.locale,
    timezone: request.timezone ?? options.timezone ?? "UTC",
    clock: request.clock,
    env: request.env ?? options.env
  })
}

const constraintsOf = (request: CallRequest, derivedKey: string) => {
  const { retryPolicy: policy } = request
  return compact({
    timeout_ms: request.timeoutMs,
    deadline_unix_ms: request.deadlineUnixMs,
    idempotency_key: request.idempotencyKey ?? derivedKey,
    memory_mb_limit: request.memoryMb,
    net_allowlist: request.netAllowlist,
    retry_policy: policy && {
      max_attempts: policy.maxAttempts,
      base_ms: policy.baseMs,
      cap_ms: policy.capMs,
      jitter: policy.jitter === "none" ? "none" : "full"
    }
  })
}

const slotOf = (request: CallRequest): Slot.Request | undefined =>
  requestSlot({
    callId: CallKey.isUuid(request.callId) ? undefined : request.callId,
    retryPolicy: request.retryPolicy?.jitter === "equal" ? request.retryPolicy : undefined,
    tenantId: request.tenantId,
    trace: hiddenTrace(request.trace)
  })
