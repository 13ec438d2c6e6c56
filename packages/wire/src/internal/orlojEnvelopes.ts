/** The envelopes of the Orloj Tool Contract v1 as schemas, those that we write and those that we read from others. */
import * as Schema from "effect/Schema"
import type { Version } from "./envelopes.ts"
import { Count, NotBlank, open, Text, Texts } from "./fields.ts"

/** Identifies the only major version. */
export const version = "v1"

/** Which of its two forms. */
export type Shape = "document" | "interop"

/** Minor versions only add, so the document's readers take any. */
export const versionsOf = (shape: Shape): Version => ({
  field: "tool_contract_version",
  expected: version,
  admits: (received) => (shape === "document" ? /^(?:v1(?:\.\d+)?)?$/ : /^(?:v1)?$/).test(received.trim().toLowerCase())
})

const Trace = open({ trace_id: Text, span_id: Text })

const Slot = Schema.optionalKey(Schema.Json)

/** In any case, or nothing: there is no other. */
const Operation = Schema.optionalKey(
  Schema.String.check(Schema.isPattern(/^\s*(?:[iI][nN][vV][oO][kK][eE])?\s*$/u, { expected: "invoke" }))
)

/** Asks for one execution. Fields that are not known may be there: the contract grows by adding. */
export const Request = open({
  tool_contract_version: Text,
  request_id: NotBlank,
  task_id: Text,
  namespace: Text,
  agent: Text,
  tool: open({ name: NotBlank, operation: Operation, capabilities: Texts, risk_level: Text }),
  input: Schema.optionalKey(Schema.JsonObject),
  /** The input as text; wins over `input` unless it is blank. */
  input_raw: Text,
  runtime: Schema.optionalKey(
    open({
      mode: Text,
      timeout_ms: Schema.optionalKey(Schema.Int),
      max_attempts: Schema.optionalKey(Schema.Int),
      max_backoff_ms: Schema.optionalKey(Schema.Int),
      backoff: Text,
      jitter: Schema.optionalKey(Schema.Boolean)
    })
  ),
  auth: Schema.optionalKey(open({ profile: Text, secret_ref: Text, scopes: Texts })),
  trace: Schema.optionalKey(Trace),
  attempt: Schema.optionalKey(Schema.Int),
  haft: Slot
})
export type Request = typeof Request.Type

const answered = {
  tool_contract_version: Schema.Literal(version),
  request_id: Schema.String,
  usage: open({ duration_ms: Count, attempt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) }),
  trace: Schema.optionalKey(Trace),
  haft: Slot
}

const errorOf = <Details extends Schema.Constraint>(details: Details) =>
  open({
    code: Schema.NonEmptyString,
    reason: Schema.NonEmptyString,
    retryable: Schema.Boolean,
    message: Schema.NonEmptyString,
    details
  })

const failed = Schema.Literals(["error", "denied"])

/** As the document has it: outputs are objects, and details are any JSON. */
export const Response = Schema.Union([
  open({ ...answered, status: Schema.Literal("ok"), output: Schema.optionalKey(Schema.JsonObject) }),
  open({ ...answered, status: failed, error: errorOf(Schema.JsonObject) })
])
export type Response = typeof Response.Type

/** As the Go implementation has it: an output is one text, and details are texts by name. */
export const InteropResponse = Schema.Union([
  open({
    ...answered,
    status: Schema.Literal("ok"),
    output: Schema.optionalKey(Schema.Struct({ result: Schema.String }))
  }),
  open({
    ...answered,
    status: failed,
    error: errorOf(Schema.optionalKey(Schema.Record(Schema.String, Schema.String)))
  })
])
export type InteropResponse = typeof InteropResponse.Type

/** What is asked of a stranger's answer: no more than it takes to tell what it says. */
export const Received = open({
  tool_contract_version: Text,
  request_id: Text,
  status: Schema.Literals(["ok", "error", "denied"]),
  output: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  usage: Schema.optionalKey(
    open({ duration_ms: Schema.optionalKey(Schema.Finite), attempt: Schema.optionalKey(Schema.Finite) })
  ),
  trace: Schema.optionalKey(Trace),
  error: Schema.optionalKey(
    Schema.NullOr(
      open({
        code: Text,
        reason: Text,
        retryable: Schema.optionalKey(Schema.Boolean),
        message: Text,
        details: Schema.optionalKey(Schema.NullOr(Schema.JsonObject))
      })
    )
  ),
  haft: Slot
})
export type Received = typeof Received.Type
