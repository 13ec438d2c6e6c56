/**
 * What Haft adds to the envelopes of others, in the one place that each contract leaves open: whatever the contract has no
 * words for, so that our own envelopes come back as they were. A slot never outweighs what the envelope shows.
 */
import { Mutation, type SideEffect } from "@haft/core/SideEffect"
import { Retry as Advice } from "@haft/core/ToolFailure"
import * as Schema from "effect/Schema"
import { RetryPolicy } from "./CallRequest.ts"
import { compact } from "./internal/compact.ts"
import { NotNegative, Text } from "./internal/fields.ts"
import * as Leaf from "./Leaf.ts"
import { ApprovalRef, Artifact, Attempt, defaultFn, type Outcome } from "./Outcome.ts"
import { Retry } from "./Retry.ts"
import { Trace } from "./TraceContext.ts"

/** The key under which a slot stands. */
export const key = "haft"

/** Of a request. */
export const Request = Schema.Struct({
  v: Schema.Literal(1),
  fn: Text,
  callId: Text,
  versionRange: Text,
  deadlineUnixMs: Schema.optionalKey(NotNegative),
  retryPolicy: Schema.optionalKey(RetryPolicy),
  idempotencyKey: Text,
  tenantId: Text,
  dryRun: Schema.optionalKey(Schema.Boolean),
  trace: Schema.optionalKey(Trace)
})
export type Request = typeof Request.Type

/** Of a result. Also what a host keeps of a call whose envelope has no place for a slot. */
export const Result = Schema.Struct({
  v: Schema.Literal(1),
  tag: Schema.Literals(Leaf.tags),
  effect: Schema.Literals(["NotStarted", "None", "Committed", "Unknown"]),
  mutations: Schema.optionalKey(Schema.Array(Mutation)),
  retry: Retry,
  callId: Text,
  fn: Text,
  toolName: Text,
  toolId: Text,
  version: Text,
  digest: Text,
  /** The output is no object and stands in one, under `result`. */
  boxed: Schema.optionalKey(Schema.Boolean),
  commitToken: Text,
  commitDeadline: Schema.optionalKey(NotNegative),
  approval: Schema.optionalKey(ApprovalRef),
  origin: Text,
  by: Text,
  feedback: Text,
  hint: Text,
  /** The maker's own details, where the envelope's could not hold them unchanged. */
  details: Schema.optionalKey(Schema.JsonObject),
  partial: Schema.optionalKey(Schema.Json),
  /** What the failure itself advised about repeating. */
  advice: Schema.optionalKey(Advice),
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  attempts: Schema.optionalKey(Schema.Array(Attempt)),
  artifacts: Schema.optionalKey(Schema.Array(Artifact)),
  citations: Schema.optionalKey(Schema.Array(Schema.Struct({ evidenceRef: Schema.String }))),
  riskTags: Schema.optionalKey(Schema.Array(Schema.String)),
  costCents: Schema.optionalKey(NotNegative),
  replayed: Schema.optionalKey(Schema.Boolean),
  dryRun: Schema.optionalKey(Schema.Boolean),
  trace: Schema.optionalKey(Trace)
})
export type Result = typeof Result.Type

/** Everything of an outcome that a slot has room for. A codec leaves out what its envelope shows. */
export const fromOutcome = (outcome: Outcome): Result => {
  const { call, effect, governance, idempotency, leaf, retry, trace } = outcome
  return compact({
    v: 1,
    tag: leaf._tag,
    effect: effect._tag,
    mutations: effect._tag === "Committed" ? filled(effect.mutations) : undefined,
    retry,
    callId: call.callId,
    fn: call.fn === defaultFn ? undefined : call.fn,
    toolName: call.toolName,
    toolId: call.toolId,
    version: call.version,
    digest: call.digest,
    commitToken: leaf._tag === "Prepared" ? leaf.commitToken : undefined,
    commitDeadline: leaf._tag === "Prepared" ? leaf.commitDeadline : undefined,
    approval: governance.approval,
    advice: Leaf.adviceOf(leaf),
    warnings: filled(outcome.warnings),
    attempts: filled(outcome.attempts),
    artifacts: filled(outcome.artifacts),
    citations: filled(outcome.citations),
    riskTags: filled(outcome.riskTags),
    costCents: outcome.costCents,
    replayed: idempotency.replayed ? true : undefined,
    dryRun: outcome.dryRun ? true : undefined,
    trace
  })
}

const filled = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | undefined => (list.length === 0 ? undefined : list)

/** The effect that a slot tells of. */
export const effectOf = ({ effect, mutations = [] }: Result): SideEffect =>
  effect === "Committed" ? { _tag: effect, mutations } : { _tag: effect }
