/** Traces that stand partly in an envelope and partly in its slot. */
import { type Trace, toIDs } from "../TraceContext.ts"

/** What a slot keeps of a trace whose two ids the envelope shows: nothing if they are all, and all of it otherwise. */
export const hiddenTrace = (trace: Trace | undefined): Trace | undefined =>
  trace === undefined || Object.keys(trace).every((key) => key === "traceId" || key === "spanId") ? undefined : trace

/** The ids that an envelope shows are the ones that count. */
export const mergeTrace = (shown: Trace | undefined, slot: Trace | undefined): Trace | undefined => {
  if (slot === undefined) return shown
  const [visible, kept] = [toIDs(shown), toIDs(slot)]
  const agree = visible.traceId === kept.traceId && (visible.spanId === undefined || visible.spanId === kept.spanId)
  return agree ? slot : shown
}
