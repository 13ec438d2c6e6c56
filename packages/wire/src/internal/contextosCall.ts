/** ContextOS tool calls and calls, both ways. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { CallRequest } from "../CallRequest.ts"
import type { DecodeError, Unencodable } from "../EnvelopeError.ts"
import { defaultFn } from "../Outcome.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { compact } from "./compact.ts"
import * as Envelopes from "./contextosEnvelopes.ts"
import { checker, invalid, type Kind, unencodable, versioned } from "./envelopes.ts"
import { readSlot, requestSlot } from "./requestSlots.ts"
import * as Sentences from "./sentences.ts"
import { hiddenTrace, mergeTrace } from "./traces.ts"

const kind: Kind = { contract: "contextos", envelope: "tool call" }

const check = checker(kind, Envelopes.ToolCall)

const checkAll = versioned(kind, Envelopes.callVersions, check)

export const decodeRequest = (document: unknown): Result.Result<CallRequest, DecodeError> =>
  Result.flatMap(checkAll(document), (call) => Result.map(keyOf(call), (key) => toCall(call, key)))

/** The contract has two places for the key. One is enough; two have to agree. */
const keyOf = ({ args, idempotency_key }: Envelopes.ToolCall): Result.Result<string | undefined, DecodeError> => {
  const [outer, inner] = [idempotency_key ?? undefined, args["idempotency_key"]]
  if (outer === undefined) return Result.succeed(typeof inner === "string" ? inner : undefined)
  if (inner === undefined || inner === null || inner === outer) return Result.succeed(outer)
  const violation = { code: "check", expected: Sentences.equalKeys, received: "another" } as const
  return Result.fail(
    invalid(kind, [
      { path: "args.idempotency_key", ...violation },
      { path: "idempotency_key", ...violation }
    ])
  )
}

const toCall = (call: Envelopes.ToolCall, idempotencyKey: string | undefined): CallRequest => {
  const { metadata = {}, principal_chain } = call
  const slot = readSlot(metadata[Slot.key])
  const actor = principal_chain.at(-1)
  const own = Struct.omit(metadata, [Slot.key, "version"])
  return compact({
    callId: call.tool_call_id,
    toolName: call.capability_id,
    toolId: call.capability_id,
    fn: slot.fn ?? defaultFn,
    versionRange: typeof metadata["version"] === "string" ? metadata["version"] : undefined,
    input: call.args,
    actor: actor?.id,
    tenantId: slot.tenantId ?? actor?.tenant_id,
    runId: call.run_id,
    sessionId: call.session_id,
    scopes: [],
    principalChain: principal_chain,
    modes: {
      requested: call.approval_mode_requested,
      effective: call.approval_mode_effective,
      highest: call.approval_mode_highest
    },
    evidenceRefs: call.evidence_refs,
    policyDecisionId: call.policy_decision_id ?? undefined,
    authRef: call.auth_ref ?? undefined,
    deadlineUnixMs: slot.deadlineUnixMs,
    retryPolicy: slot.retryPolicy,
    idempotencyKey,
    dryRun: slot.dryRun ?? false,
    attempt: 1,
    trace: mergeTrace(TraceContext.fromIDs(call.trace_id || undefined, undefined), slot.trace),
    metadata: Object.keys(own).length === 0 ? undefined : own
  })
}

export const encodeRequest = (request: CallRequest): Result.Result<Envelopes.ToolCall, Unencodable> =>
  Result.mapError(check(fromCall(request)), ({ violations: [first] }) =>
    unencodable(kind, first?.path ?? "", first?.expected ?? "")
  )

const fromCall = (request: CallRequest) => {
  const metadata = {
    ...request.metadata,
    ...compact({ version: request.versionRange, [Slot.key]: slotOf(request) })
  } satisfies Schema.JsonObject
  return compact({
    envelope_version: Envelopes.callVersions.expected,
    tool_call_id: request.callId,
    run_id: request.runId,
    trace_id: TraceContext.toIDs(request.trace).traceId,
    session_id: request.sessionId,
    capability_id: request.toolId ?? request.toolName,
    args: request.input,
    principal_chain: request.principalChain,
    approval_mode_requested: request.modes?.requested,
    approval_mode_effective: request.modes?.effective,
    approval_mode_highest: request.modes?.highest,
    evidence_refs: request.evidenceRefs,
    policy_decision_id: request.policyDecisionId,
    idempotency_key: request.idempotencyKey,
    auth_ref: request.authRef,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata
  })
}

/** A span has no place in a tool call. */
const slotOf = (request: CallRequest): Slot.Request | undefined =>
  requestSlot({
    fn: request.fn === defaultFn ? undefined : request.fn,
    deadlineUnixMs: request.deadlineUnixMs,
    retryPolicy: request.retryPolicy,
    tenantId: request.tenantId === request.principalChain.at(-1)?.tenant_id ? undefined : request.tenantId,
    dryRun: request.dryRun ? true : undefined,
    trace: request.trace?.spanId === undefined ? hiddenTrace(request.trace) : request.trace
  })
