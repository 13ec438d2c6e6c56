/** The envelopes of the ContextOS API contracts as schemas, those that we write and those that we read from others. */
import * as Schema from "effect/Schema"
import { Artifact } from "../Outcome.ts"
import { Mode, Principal } from "../RunContext.ts"
import type { Version } from "./envelopes.ts"
import { Count, open, Text } from "./fields.ts"

const callVersion = "contextos.tool_call.v1"
export const resultVersion = "contextos.tool_result.v1"

const exactly = (expected: string): Version => ({
  field: "envelope_version",
  expected,
  admits: (received) => received === expected
})

export const callVersions = exactly(callVersion)
export const resultVersions = exactly(resultVersion)

const NullableText = Schema.optionalKey(Schema.NullOr(Schema.String))

const ids = {
  tool_call_id: Schema.String,
  run_id: Schema.String,
  trace_id: Schema.String,
  session_id: Text,
  capability_id: Schema.String
}

export const ToolCall = Schema.Struct({
  envelope_version: Schema.Literal(callVersion),
  ...ids,
  args: Schema.JsonObject,
  principal_chain: Schema.Array(Principal),
  approval_mode_requested: Mode,
  approval_mode_effective: Mode,
  approval_mode_highest: Mode,
  evidence_refs: Schema.Array(Schema.String),
  policy_decision_id: NullableText,
  idempotency_key: NullableText,
  auth_ref: NullableText,
  metadata: Schema.optionalKey(Schema.JsonObject)
})
export type ToolCall = typeof ToolCall.Type

const answered = {
  envelope_version: Schema.Literal(resultVersion),
  ...ids,
  output: Schema.NullOr(Schema.JsonObject),
  artifacts: Schema.Array(Artifact),
  citations: Schema.Array(Schema.Struct({ evidence_ref: Schema.String })),
  mutations: Schema.Array(Schema.String),
  risk_tags: Schema.Array(Schema.String),
  policy_decision_id: Schema.NullOr(Schema.String),
  latency_ms: Count,
  metadata: Schema.JsonObject
}

export const ToolResult = Schema.Union([
  Schema.Struct({ ...answered, status: Schema.Literals(["ok", "completed"]), error: Schema.Null }),
  Schema.Struct({
    ...answered,
    status: Schema.Literals(["paused", "blocked", "rejected", "failed", "error"]),
    error: Schema.Struct({
      code: Schema.NonEmptyString,
      message: Schema.NonEmptyString,
      retryable: Schema.Boolean,
      details: Schema.JsonObject,
      hint: Schema.NullOr(Schema.String)
    })
  })
])
export type ToolResult = typeof ToolResult.Type

/** What is asked of a stranger's result: no more than it takes to tell what it says. The contract leaves errors open. */
export const Received = open({
  envelope_version: Schema.Literal(resultVersion),
  tool_call_id: Schema.String,
  trace_id: Text,
  capability_id: Text,
  status: Schema.Literals(["ok", "completed", "paused", "blocked", "rejected", "failed", "error"]),
  output: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  error: Schema.optionalKey(
    Schema.NullOr(
      open({
        code: Text,
        message: Text,
        retryable: Schema.optionalKey(Schema.Boolean),
        details: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
        hint: NullableText
      })
    )
  ),
  artifacts: Schema.optionalKey(Schema.Array(Schema.Json)),
  citations: Schema.optionalKey(Schema.Array(Schema.Json)),
  mutations: Schema.optionalKey(Schema.Array(Schema.String)),
  risk_tags: Schema.optionalKey(Schema.Array(Schema.String)),
  policy_decision_id: NullableText,
  latency_ms: Schema.optionalKey(Schema.Finite),
  metadata: Schema.optionalKey(Schema.JsonObject)
})
export type Received = typeof Received.Type
