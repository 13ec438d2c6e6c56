/** A call that somebody asks for, in the words of no contract in particular: what a request envelope decodes to. */
import * as Schema from "effect/Schema"
import { NotNegative, Text, Texts } from "./internal/fields.ts"
import { Modes, Principal } from "./RunContext.ts"
import { Trace } from "./TraceContext.ts"

/** How often to try, and how long to wait in between. */
export const RetryPolicy = Schema.Struct({
  maxAttempts: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  baseMs: NotNegative,
  capMs: NotNegative,
  jitter: Schema.Literals(["none", "full", "equal"])
})
export type RetryPolicy = typeof RetryPolicy.Type

/** Where a call of the uicp contract runs. */
export const Environment = Schema.Literals(["prod", "staging", "dev"])

export const CallRequest = Schema.Struct({
  callId: Schema.String,
  toolName: Schema.String,
  toolId: Text,
  fn: Schema.NonEmptyString,
  versionRange: Text,
  input: Schema.Json,
  actor: Text,
  tenantId: Text,
  namespace: Text,
  agent: Text,
  taskId: Text,
  runId: Text,
  sessionId: Text,
  scopes: Schema.Array(Schema.String),
  principalChain: Schema.Array(Principal),
  modes: Schema.optionalKey(Modes),
  evidenceRefs: Schema.Array(Schema.String),
  policyDecisionId: Text,
  /** The name of a credential, never a credential. */
  authRef: Text,
  timeoutMs: Schema.optionalKey(NotNegative),
  deadlineUnixMs: Schema.optionalKey(NotNegative),
  memoryMb: Schema.optionalKey(NotNegative),
  netAllowlist: Texts,
  retryPolicy: Schema.optionalKey(RetryPolicy),
  idempotencyKey: Text,
  dryRun: Schema.Boolean,
  attempt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  locale: Text,
  timezone: Text,
  env: Schema.optionalKey(Environment),
  clock: Schema.optionalKey(Schema.Literals(["monotonic", "wall"])),
  trace: Schema.optionalKey(Trace),
  provenance: Schema.optionalKey(Schema.JsonObject),
  /** What the sender said that has no field here, under the names of its contract. */
  metadata: Schema.optionalKey(Schema.JsonObject)
})
export type CallRequest = typeof CallRequest.Type
