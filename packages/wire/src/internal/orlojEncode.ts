/** Outcomes as Orloj responses. */
import * as SideEffect from "@haft/core/SideEffect"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Contract from "../Contract.ts"
import { type DecodeError, toLeaf } from "../EnvelopeError.ts"
import type { Leaf, Tag } from "../Leaf.ts"
import * as Outcome from "../Outcome.ts"
import * as Slot from "../Slot.ts"
import * as TraceContext from "../TraceContext.ts"
import { box, outputOf } from "./boxes.ts"
import { compact } from "./compact.ts"
import { fieldsOf, showDetails } from "./details.ts"
import { readID } from "./envelopes.ts"
import { column, reasons } from "./orlojColumn.ts"
import { type InteropResponse, type Response, type Shape, version } from "./orlojEnvelopes.ts"
import { hiddenTrace } from "./traces.ts"

/** Keys of the details that we add. The first of several violations is also shown as the field. */
export const reservedOf = (tag: Tag): ReadonlyArray<string> =>
  fieldsOf(tag).some(({ name }) => name === "violations") ? [Slot.key, "hint", "field"] : [Slot.key, "hint"]

export const encoder =
  (shape: Shape) =>
  (outcome: Outcome.Outcome): Contract.Encoded<Response | InteropResponse> => {
    const [status, code] = column[outcome.leaf._tag]
    if (status === undefined) return Contract.noEnvelope(202)
    return Contract.envelope(status === "ok" ? success(outcome, shape) : failure(outcome, shape, { status, code }))
  }

const shared = ({ attempts, call, timing, trace }: Outcome.Outcome) => {
  const { spanId, traceId } = TraceContext.toIDs(trace)
  return compact({
    tool_contract_version: version,
    request_id: call.callId,
    usage: { duration_ms: timing.durationMs, attempt: Math.max(1, attempts.length) },
    trace: trace === undefined ? undefined : compact({ trace_id: traceId, span_id: spanId })
  })
}

/** Without what the envelope shows. */
const slotOf = (outcome: Outcome.Outcome, more: Partial<Slot.Result>): Slot.Result => ({
  ...Struct.omit(Slot.fromOutcome(outcome), ["callId", "trace"]),
  ...compact({ trace: hiddenTrace(outcome.trace) }),
  ...more
})

const success = (outcome: Outcome.Outcome, shape: Shape): Response | InteropResponse => {
  const value = outputOf(outcome.leaf)
  const common = { ...shared(outcome), status: "ok" } as const
  if (value === undefined) return { ...common, haft: slotOf(outcome, {}) }
  if (shape === "interop") return { ...common, output: { result: asText(value) }, haft: slotOf(outcome, {}) }
  const { output, ...boxed } = box(value)
  return { ...common, output, haft: slotOf(outcome, boxed) }
}

interface Cell {
  readonly status: Exclude<Response["status"], "ok">
  readonly code: keyof typeof reasons
}

const failure = (outcome: Outcome.Outcome, shape: Shape, { code, status }: Cell): Response | InteropResponse => {
  const { leaf, retry } = outcome
  const { details, own } = showDetails(leaf, reservedOf(leaf._tag))
  const shown = { ...firstField(leaf), ...details, ...hintOf(leaf), [Slot.key]: leaf._tag }
  const error = { code, reason: reasons[code], retryable: retry.runtime !== "never", message: messageOf(leaf) }
  const common = { ...shared(outcome), status }
  if (shape === "document") {
    return { ...common, error: { ...error, details: shown }, haft: slotOf(outcome, compact({ details: own })) }
  }
  return { ...common, error: { ...error, details: asTexts(shown) }, haft: slotOf(outcome, unchanged(leaf)) }
}

/** A leaf that fails has a message; the compiler does not know which do. */
const messageOf = (leaf: Leaf): string => ("message" in leaf ? leaf.message : leaf._tag)

const hintOf = (leaf: Leaf) => ("hint" in leaf ? compact({ hint: leaf.hint }) : {})

const firstField = (leaf: Leaf) => {
  const [first] = "violations" in leaf ? leaf.violations : []
  return first === undefined ? {} : { field: first.path }
}

/** What texts would not bring back as it was. */
const unchanged = (leaf: Leaf): Partial<Slot.Result> => ({
  ...("details" in leaf ? compact({ details: leaf.details }) : {}),
  ...("partial" in leaf ? compact({ partial: leaf.partial }) : {})
})

const asText = (value: Schema.Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Empty keys and values do not exist there. */
const asTexts = (details: Schema.JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(details)
      .map(([key, value]) => [key, asText(value)] as const)
      .filter(([key, text]) => key !== "" && text !== "")
  )

/** What every document that could not be read is refused as. */
const refusal: Cell = { status: "error", code: "invalid_input" }

export const refuser =
  (shape: Shape) =>
  (document: unknown, error: DecodeError): Response | InteropResponse => {
    const trace = TraceContext.fromIDs(readID(document, "trace", "trace_id"), readID(document, "trace", "span_id"))
    const call = { callId: readID(document, "request_id") ?? "", toolName: readID(document, "tool", "name") ?? "" }
    const known = { leaf: toLeaf(error), effect: SideEffect.notStarted, call, ...compact({ trace }) }
    return failure(Outcome.make(known), shape, refusal)
  }
