/** Where a call belongs in a trace: the W3C header forms, and the ids as a record that envelopes and slots carry. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Text } from "./internal/fields.ts"

/** 32 lower-case hex digits that are not all zero. */
export const TraceID = Schema.String.check(
  Schema.isPattern(/^(?!0{32})[0-9a-f]{32}$/u, { expected: "32 lower-case hex digits, not all zero" })
)

/** 16 lower-case hex digits that are not all zero. */
export const SpanID = Schema.String.check(
  Schema.isPattern(/^(?!0{16})[0-9a-f]{16}$/u, { expected: "16 lower-case hex digits, not all zero" })
)

/** What is known of a trace. Ids that are not of the W3C form stand under `external` and are echoed as they came. */
export const Trace = Schema.Struct({
  traceId: Schema.optionalKey(TraceID),
  spanId: Schema.optionalKey(SpanID),
  parentSpanId: Schema.optionalKey(SpanID),
  sampled: Schema.optionalKey(Schema.Boolean),
  tracestate: Text,
  baggage: Text,
  external: Schema.optionalKey(Schema.Struct({ traceId: Text, spanId: Text }))
})
export type Trace = typeof Trace.Type

/** The three headers of W3C Trace Context and Baggage. */
export const Headers = Schema.Struct({ traceparent: Schema.String, tracestate: Text, baggage: Text })
export type Headers = typeof Headers.Type

/** What a valid `traceparent` says. */
export interface Parent {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

const traceparent = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** A later version is read by its first four fields; version 00 has no more than these. None: begin a new trace. */
export const parse = (header: string): Option.Option<Parent> => {
  const [whole, version, traceId, spanId, flags] = traceparent.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return Option.none()
  if (version === "00" && whole !== header) return Option.none()
  return header.endsWith("-") ? Option.none() : Option.some({ traceId, spanId, sampled: isSampled(flags) })
}

const isSampled = (flags: string): boolean => Number.parseInt(flags, 16) % 2 === 1

/** Version 00, which every reader understands. */
export const format = ({ sampled, spanId, traceId }: Parent): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** Baggage is forwarded as it came; a member that it lacks is put behind it. */
export const addBaggage = (baggage: string | undefined, members: Readonly<Record<string, string>>): string => {
  const present = new Set((baggage ?? "").split(",").map((member) => member.split("=")[0]?.trim()))
  const added = Object.entries(members).filter(([key]) => !present.has(key))
  return [
    ...(baggage === undefined || baggage === "" ? [] : [baggage]),
    ...added.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`)
  ].join(",")
}

const isTraceID = Schema.is(TraceID)
const isSpanID = Schema.is(SpanID)

/** Sorts the ids of an envelope into those that are W3C's and those that are somebody else's. */
export const fromIDs = (traceId: string | undefined, spanId: string | undefined): Trace | undefined => {
  const own = { ...(isTraceID(traceId) ? { traceId } : {}), ...(isSpanID(spanId) ? { spanId } : {}) }
  const external = {
    ...(traceId === undefined || isTraceID(traceId) ? {} : { traceId }),
    ...(spanId === undefined || isSpanID(spanId) ? {} : { spanId })
  }
  if (traceId === undefined && spanId === undefined) return undefined
  return { ...own, ...(Object.keys(external).length === 0 ? {} : { external }) }
}

/** The ids as whoever sent them wrote them. */
export const toIDs = (trace: Trace | undefined): { readonly traceId?: string; readonly spanId?: string } => ({
  ...pick("traceId", trace),
  ...pick("spanId", trace)
})

const pick = (key: "traceId" | "spanId", trace: Trace | undefined) => {
  const id = trace?.external?.[key] ?? trace?.[key]
  return id === undefined ? {} : { [key]: id }
}
