/** Spans that hold no secret. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { Scrubber } from "../Scrubber.ts"

type Options = Parameters<Tracer.Tracer["span"]>[0]

/** The span is new and nobody else's, so its methods are replaced in place: tracers look for the very object they made. */
export const scrubbed = (scrubber: () => Scrubber, tracer: Tracer.Tracer, options: Options): Tracer.Span => {
  const text = (text: string) => scrubber().text(text)
  const value = (value: unknown) => scrubbedValue(text, value)
  const span = tracer.span({ ...options, name: text(options.name) })
  const { attribute, end, event } = {
    attribute: span.attribute.bind(span),
    end: span.end.bind(span),
    event: span.event.bind(span)
  }
  return Object.assign(span, {
    attribute: (key: string, given: unknown) => attribute(text(key), value(given)),
    event: (name: string, time: bigint, attributes: Record<string, unknown> = {}) =>
      event(text(name), time, Object.fromEntries(Object.entries(attributes).map(([key, each]) => [key, value(each)]))),
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => end(time, scrubbedExit(text, exit))
  })
}

/** What a tracer would show of it is compared; what shows no secret stays as it is. */
const scrubbedValue = (text: (text: string) => string, value: unknown): unknown => {
  if (typeof value === "string") return text(value)
  const shown = shownOf(value)
  const clean = text(shown)
  return clean === shown ? value : clean
}

const shownOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  return value instanceof Error ? `${value.stack ?? value.message}` : (JSON.stringify(value) ?? "")
}

const scrubbedExit = (
  text: (text: string) => string,
  exit: Exit.Exit<unknown, unknown>
): Exit.Exit<unknown, unknown> => {
  // What a traced effect gave is nobody's business but its caller's.
  if (Exit.isSuccess(exit)) return Exit.void
  const shown = Cause.pretty(exit.cause)
  const clean = text(shown)
  return clean === shown ? exit : Exit.die(new Error(clean))
}
