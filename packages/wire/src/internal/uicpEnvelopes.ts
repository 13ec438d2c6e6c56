/** The envelopes of the uicp tool contract as schemas, those that we write and those that we read from others. */
import * as Schema from "effect/Schema"
import { Environment } from "../CallRequest.ts"
import { Count, NotNegative, open, Text, Texts } from "./fields.ts"

/** The contract's form of ids, of any version of uuid. */
const Uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, {
    expected: "an id in uuid form"
  })
)

/** The most that the contract lets a call ask for. */
const maxTimeoutMs = 600_000

/** Shorter keys meet by chance. */
const minKeyLength = 16

const minMemoryMb = 16

/** Permanent: it never changes once it is published. */
export const ToolID = Schema.String.check(
  Schema.isPattern(/^[a-z0-9._-]+$/u, { expected: "lower-case letters, digits, dots, dashes and underscores" })
)

const RetryPolicy = open({
  max_attempts: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  base_ms: NotNegative,
  cap_ms: NotNegative,
  jitter: Schema.Literals(["none", "full"])
})

export const Request = Schema.Struct({
  call_id: Uuid,
  tool_id: ToolID,
  tool_version: Schema.NonEmptyString,
  fn: Schema.NonEmptyString,
  input: Schema.Json,
  context: open({
    actor_id: Schema.String,
    scopes: Texts,
    trace_id: Uuid,
    parent_span_id: Text,
    locale: Text,
    timezone: Schema.String,
    clock: Schema.optionalKey(Schema.Literals(["monotonic", "wall"])),
    env: Environment
  }),
  constraints: open({
    timeout_ms: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxTimeoutMs })),
    deadline_unix_ms: Count,
    idempotency_key: Schema.String.check(Schema.isMinCodePoints(minKeyLength)),
    memory_mb_limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(minMemoryMb))),
    net_allowlist: Texts,
    retry_policy: Schema.optionalKey(RetryPolicy)
  }),
  provenance: Schema.optionalKey(Schema.JsonObject),
  dry_run: Schema.optionalKey(Schema.Boolean)
})
export type Request = typeof Request.Type

const answered = {
  call_id: Uuid,
  side_effects: Schema.optionalKey(Schema.Array(Schema.JsonObject)),
  metrics: open({
    duration_ms: Count,
    cpu_ms: Schema.optionalKey(Count),
    memory_peak_mb: Schema.optionalKey(Count)
  }),
  provenance: open({ tool_id: Schema.String, tool_version: Schema.String, digest: Text }),
  warnings: Texts
}

const output = Schema.optionalKey(Schema.Json)

export const Response = Schema.Union([
  Schema.Struct({
    ...answered,
    status: Schema.Literal("success"),
    output,
    commit_token: Schema.optionalKey(Schema.Null)
  }),
  Schema.Struct({
    ...answered,
    status: Schema.Literal("success_prep"),
    output,
    commit_token: Schema.NonEmptyString
  }),
  Schema.Struct({
    ...answered,
    status: Schema.Literals(["retryable_error", "terminal_error", "invalid_request"]),
    error: open({
      code: Schema.NonEmptyString,
      message: Schema.NonEmptyString,
      details: open({ fix_hint: Schema.NonEmptyString })
    }),
    commit_token: Schema.optionalKey(Schema.Null)
  })
])
export type Response = typeof Response.Type

/** What is asked of a stranger's answer: no more than it takes to tell what it says. */
export const Received = open({
  call_id: Text,
  status: Schema.Literals(["success", "success_prep", "retryable_error", "terminal_error", "invalid_request"]),
  output,
  error: Schema.optionalKey(
    Schema.NullOr(open({ code: Text, message: Text, details: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)) }))
  ),
  side_effects: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Json))),
  metrics: Schema.optionalKey(open({ duration_ms: Schema.optionalKey(Schema.Finite) })),
  provenance: Schema.optionalKey(open({ tool_id: Text, tool_version: Text, digest: Text })),
  warnings: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  commit_token: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type Received = typeof Received.Type
