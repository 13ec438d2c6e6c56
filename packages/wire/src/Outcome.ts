/**
 * Everything that can be told about one call: its leaf, its effect, whether it may be repeated, and who ran what when. It
 * is made from a settlement and from what a gateway knows, and each contract shows a part of it in its own words.
 */
import { SideEffect } from "@haft/core/SideEffect"
import * as Schema from "effect/Schema"
import { Count, NotNegative, Text } from "./internal/fields.ts"
import * as Leaf from "./Leaf.ts"
import * as Retry from "./Retry.ts"
import { Modes, Principal } from "./RunContext.ts"
import { Trace } from "./TraceContext.ts"

/** Which tool was called, and which build of it ran. */
export const Call = Schema.Struct({
  callId: Schema.String,
  toolName: Schema.String,
  /** The function inside the tool. */
  fn: Schema.NonEmptyString,
  registrationId: Text,
  toolId: Text,
  version: Text,
  digest: Text
})
export type Call = typeof Call.Type

/** One run of a handler. */
export const Attempt = Schema.Struct({
  n: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  startedAt: NotNegative,
  endedAt: NotNegative,
  tag: Schema.String,
  waitedMs: NotNegative
})
export type Attempt = typeof Attempt.Type

/** A file that belongs to the result and travels by reference. */
export const Artifact = Schema.Struct({
  artifact_id: Schema.String,
  media_type: Schema.String,
  sha256: Schema.String,
  uri: Schema.String
})
export type Artifact = typeof Artifact.Type

/** Somebody's decision about one call. */
export const ApprovalRef = Schema.Struct({
  id: Schema.String,
  approver: Text,
  evidenceSnapshotHash: Text,
  decidedAt: Schema.optionalKey(NotNegative),
  expiresAt: Schema.optionalKey(NotNegative)
})
export type ApprovalRef = typeof ApprovalRef.Type

export const Outcome = Schema.Struct({
  /** Of the settlement. */
  id: Schema.String,
  leaf: Leaf.Leaf,
  effect: SideEffect,
  retry: Retry.Retry,
  call: Call,
  attempts: Schema.Array(Attempt),
  timing: Schema.Struct({ startedAt: NotNegative, endedAt: NotNegative, durationMs: Count }),
  limits: Schema.optionalKey(
    Schema.Struct({ timeoutMs: NotNegative, deadline: Schema.optionalKey(NotNegative), boundBy: Leaf.BoundBy })
  ),
  warnings: Schema.Array(Schema.String),
  artifacts: Schema.Array(Artifact),
  citations: Schema.Array(Schema.Struct({ evidenceRef: Schema.String })),
  evidenceRefs: Schema.Array(Schema.String),
  riskTags: Schema.Array(Schema.String),
  governance: Schema.Struct({
    policyDecisionId: Text,
    ruleRefs: Schema.Array(Schema.String),
    approval: Schema.optionalKey(ApprovalRef),
    modes: Schema.optionalKey(Modes),
    principalChain: Schema.Array(Principal)
  }),
  /** Names, never values. */
  auth: Schema.Struct({ profile: Text, secretRef: Text }),
  trace: Schema.optionalKey(Trace),
  idempotency: Schema.Struct({ key: Text, replayed: Schema.Boolean }),
  costCents: Schema.optionalKey(NotNegative),
  dryRun: Schema.Boolean
})
export type Outcome = typeof Outcome.Type

/** What has to be said about a call; the rest is empty unless it is said, too. */
export interface Options extends Partial<Omit<Outcome, "retry" | "call" | "idempotency">> {
  readonly leaf: Leaf.Leaf
  readonly effect: SideEffect
  readonly call: Omit<Call, "fn"> & { readonly fn?: string }
  readonly determinism?: Retry.Repeating["determinism"]
  readonly idempotency?: { readonly key?: string; readonly replayed?: boolean }
}

/**
 * Resolves whether the call may be repeated. Trusts that the effect is one that the leaf can have. Made for every call, so
 * field by field: spreading costs several times as much.
 */
export const make = (options: Options): Outcome => {
  const { attempts = [], call, effect, idempotency = notRepeated, leaf, limits, trace, costCents } = options
  const repeating = { determinism: options.determinism, hasKey: idempotency.key !== undefined }
  return {
    id: options.id ?? "",
    leaf,
    effect,
    retry: Retry.resolve(endedOf({ attempts, effect, leaf }), repeating),
    call: { ...call, fn: call.fn ?? defaultFn },
    attempts,
    timing: options.timing ?? untimed,
    warnings: options.warnings ?? [],
    artifacts: options.artifacts ?? [],
    citations: options.citations ?? [],
    evidenceRefs: options.evidenceRefs ?? [],
    riskTags: options.riskTags ?? [],
    governance: options.governance ?? ungoverned,
    auth: options.auth ?? {},
    idempotency: { replayed: false, ...idempotency },
    dryRun: options.dryRun ?? false,
    ...(limits === undefined ? undefined : { limits }),
    ...(trace === undefined ? undefined : { trace }),
    ...(costCents === undefined ? undefined : { costCents })
  }
}

/** What repeating a call depends on. */
export const endedOf = ({ attempts, effect, leaf }: Pick<Outcome, "attempts" | "effect" | "leaf">): Retry.Ended => ({
  tag: leaf._tag,
  advice: Leaf.adviceOf(leaf),
  effect,
  attempts: attempts.length
})

/** Of a tool that has one function. */
export const defaultFn = "invoke"

const untimed = { startedAt: 0, endedAt: 0, durationMs: 0 }
const ungoverned = { ruleRefs: [], principalChain: [] }
const notRepeated: { readonly key?: string } = {}
