/** What a host can watch of one governed call: a span with one for each attempt, a log line, and metrics. */
import type { SettleError } from "@haft/core/Materialization"
import type { Settlement } from "@haft/core/Settlement"
import * as Orloj from "@haft/wire/Orloj"
import type { Outcome } from "@haft/wire/Outcome"
import * as Uicp from "@haft/wire/Uicp"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { Build } from "../Catalog.ts"
import type { Governed } from "./governed.ts"
import { compact } from "./compact.ts"

/** `metrics` leaves out spans and log lines; with `none` a call pays nothing. */
export type Level = "full" | "metrics" | "none"

/** Enough of a key to recognise it, and not enough to use it. */
const keyLength = 8

/** Stands for every tool that there is not, so that nobody can make up metrics. */
const unknownTool = "unknown"

/** The span that everything inside the call belongs to, below the caller's if its request names one. */
export const openSpan = (call: Governed): Effect.Effect<Tracer.Span> => {
  const { callId, toolName, trace } = call.request
  const { external, sampled = true, spanId, traceId } = trace ?? {}
  const parent =
    traceId === undefined || spanId === undefined ? undefined : Tracer.externalSpan({ traceId, spanId, sampled })
  const attributes = compact({
    "haft.call.id": callId,
    "haft.tool.name": toolName,
    "haft.trace.external": external?.traceId
  })
  return Effect.makeSpan("Gateway.call", { attributes, ...(parent === undefined ? {} : { parent }) })
}

/** Ends the span and writes the line, from inside the span. */
export const closeSpan = (span: Tracer.Span, call: Governed, outcome: Outcome): Effect.Effect<void> => {
  for (const [name, value] of Object.entries(attributesOf(call, outcome))) span.attribute(name, value)
  return Effect.logInfo("a call was governed").pipe(
    Effect.andThen(described(call)),
    Effect.annotateLogs(lineOf(outcome)),
    Effect.provideService(Tracer.ParentSpan, span),
    // What a call gave is not for tracers.
    Effect.andThen(Effect.sync(() => span.end(call.clock.currentTimeNanosUnsafe(), Exit.void)))
  )
}

/** For whoever looks for a fault: what the input was like, and nothing that stood in it. */
const described = ({ request: { input } }: Governed): Effect.Effect<void> =>
  Effect.flatMap(LogLevel.isEnabled("Debug"), (isEnabled) =>
    isEnabled ? Effect.annotateLogs(Effect.logDebug("its input"), "input", JSON.stringify(shapeOf(input))) : Effect.void
  )

/** More arguments than a tool has. */
const maxDescribed = 64

const shapeOf = (input: Schema.Json): Schema.Json => {
  if (typeof input === "string") return `${input.length} characters`
  if (Array.isArray(input)) return `${input.length} items`
  if (typeof input !== "object" || input === null) return input === null ? "null" : typeof input
  return Object.values(input)
    .slice(0, maxDescribed)
    .map((value) => (typeof value === "object" && !Array.isArray(value) ? "object" : shapeOf(value)))
}

const attributesOf = (call: Governed, outcome: Outcome) =>
  compact({
    ...telemetryOf(outcome),
    determinism: call.determinism,
    timeout_ms: outcome.limits?.timeoutMs,
    idempotency_key_prefix: outcome.idempotency.key?.slice(0, keyLength),
    outcome: outcome.leaf._tag,
    effect: outcome.effect._tag,
    retryable: outcome.retry.runtime !== "never",
    tool_attempt: outcome.attempts.length,
    tool_request_id: outcome.call.callId,
    tool_version: outcome.call.version,
    tool_auth_profile: outcome.auth.profile,
    tool_auth_secret_ref: outcome.auth.secretRef,
    "error.code": codeOf(outcome)
  })

const { encode: encodeOrloj } = Orloj.make()

/** What the Orloj contract wants to be told about each execution, in its words. */
const telemetryOf = (outcome: Outcome) => {
  const encoded = encodeOrloj(outcome)
  if (encoded._tag === "NoEnvelope") return {}
  const { envelope } = encoded
  const { tool_contract_version } = envelope
  if (envelope.status === "ok") return { tool_contract_version, tool_status: envelope.status }
  const { code, reason } = envelope.error
  return {
    tool_contract_version,
    tool_status: envelope.status,
    tool_code: code,
    tool_reason: reason,
    error_code: code,
    error_reason: reason
  }
}

const lineOf = (outcome: Outcome) =>
  compact({
    tool_id: outcome.call.toolId ?? outcome.call.toolName,
    fn: outcome.call.fn,
    call_id: outcome.call.callId,
    status: outcome.leaf._tag,
    duration_ms: outcome.timing.durationMs,
    "error.code": codeOf(outcome)
  })

/** In the one contract that has a code for everything. */
const codeOf = (outcome: Outcome): string | undefined =>
  outcome.leaf._tag.startsWith("Success.") ? undefined : errorCodeOf(Uicp.encode(outcome))

const errorCodeOf = (response: Uicp.Response): string | undefined =>
  "error" in response ? response.error.code : undefined

/** `R-UPSTREAM` of `R-UPSTREAM-503`. */
const classOf = (code: string | undefined): string => code?.split("-").slice(0, 2).join("-") ?? "none"

/** Runs one attempt inside a span of its own, which says nothing about what it gave. */
export const inAttempt = (
  settling: Effect.Effect<Settlement, SettleError>,
  { version }: Build,
  attempt: number
): Effect.Effect<Settlement, SettleError> =>
  Effect.acquireUseRelease(
    Effect.makeSpan("Gateway.attempt", { attributes: compact({ attempt, version }) }),
    (span) => Effect.provideService(settling, Tracer.ParentSpan, span),
    (span, exit) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          span.attribute("outcome", Exit.isSuccess(exit) ? exit.value._tag : "Stopped")
          span.end(clock.currentTimeNanosUnsafe(), Exit.void)
        })
      )
  )

/** From a look into memory to a build that takes a quarter of an hour, in steps of four. */
const boundaries = Metric.exponentialBoundaries({ start: 0.25, factor: 4, count: 12 })

const labelsOf = (build: Build | undefined) => ({
  tool: build?.toolId ?? unknownTool,
  version: build?.version ?? "none"
})

/** Up when a call is known to be of a tool, and down when it has ended, however it did. */
export const inFlight = (build: Build, change: 1 | -1, context: Context.Context<never>): void =>
  Metric.gauge("haft.gateway.in_flight", {
    description: "Governed calls that have not ended",
    attributes: labelsOf(build)
  }).modifyUnsafe(change, context)

export const count = ({ build }: Governed, outcome: Outcome, context: Context.Context<never>): void => {
  const attributes = { ...labelsOf(build), error_class: classOf(codeOf(outcome)) }
  Metric.counter("haft.gateway.calls", {
    description: "Governed calls that have ended, by the class of their error",
    incremental: true,
    attributes
  }).updateUnsafe(1, context)
  Metric.histogram("haft.gateway.duration", {
    description: "Time from a request to its outcome",
    boundaries,
    attributes: { ...labelsOf(build), unit: "ms" }
  }).updateUnsafe(outcome.timing.durationMs, context)
}
