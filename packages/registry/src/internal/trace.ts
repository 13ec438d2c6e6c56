/** A span and a log line for each settlement. */
import type { Materialization, Request } from "@haft/core/Materialization"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { Offer } from "./effective.ts"
import { unknownTool } from "./measure.ts"
import { attributesOf, blank, outcomeOf, type Settling } from "./outcome.ts"

type Settle = Materialization["settle"]

/** Ends its span itself: the usual way hands the output, or the defect, to the tracer. */
export const traced =
  (offer: Offer, settle: Settle): Settle =>
  (request) => {
    const ids = idsOf(offer, request)
    return Effect.acquireUseRelease(
      Effect.makeSpan("Materialization.settle", { attributes: ids }),
      (span) => Effect.provideService(settle(request), Tracer.ParentSpan, span),
      (span, exit) => finish(span, ids, exit)
    )
  }

type Ids = ReturnType<typeof idsOf>

const idsOf = (offer: Offer, { agent, assistantMessageID, call, sessionID }: Request) => ({
  "haft.tool.name": offer.byName.has(call.name) ? call.name : unknownTool,
  "haft.session.id": sessionID,
  "haft.message.id": assistantMessageID,
  "haft.call.id": call.id,
  "haft.agent": agent
})

/** The line comes first, because it belongs to the span. One that nobody would read is not made. */
const finish = (span: Tracer.Span, ids: Ids, exit: Settling): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const attributes = attributesOf(exit)
    for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
    const end = Effect.sync(() => span.end(timeOf(fiber), blank(exit)))
    const { level, message } = lineOf(exit)
    if (LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), level)) return end
    return Effect.logWithLevel(level)(message).pipe(
      Effect.annotateLogs({ ...ids, ...attributes }),
      Effect.provideService(Tracer.ParentSpan, span),
      Effect.andThen(end)
    )
  })

/** Spans begin at zero where a host has turned their timing off. */
const timeOf = (fiber: Fiber.Fiber<unknown, unknown>): bigint =>
  fiber.getRef(References.TracerTimingEnabled) ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n

interface Line {
  readonly level: LogLevel.Severity
  readonly message: string
}

const lineOf = (exit: Settling): Line => {
  switch (outcomeOf(exit)) {
    case "Succeeded":
    case "Failed":
    case "Rejected":
      return { level: "Debug", message: "a call was settled" }
    case "Interrupted":
      return { level: "Debug", message: "a call was interrupted" }
    case "Died":
      return { level: "Error", message: "a call died" }
    default:
      return { level: "Warn", message: "a call could not be settled" }
  }
}
