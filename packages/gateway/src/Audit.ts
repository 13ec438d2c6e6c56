/**
 * The account of governed calls: each one that was requested, and how it was closed, by a decision or by having been
 * skipped. Entries are only added, so `requested = settled + skipped + open` at every moment.
 */
import { DecisionRecord } from "@haft/wire/DecisionRecord"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The account could not be written or read. A call that cannot be noted does not run. */
export class StorageError extends Schema.TaggedError<StorageError>()("Audit.StorageError", {
  operation: Schema.Literals(["open", "request", "close", "find", "unclosed", "counts"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const Text = Schema.optionalKey(Schema.String)

/** A call that somebody asked for. */
export const Requested = Schema.Struct({
  /** Of this request, and of the record that closes it. */
  recordId: Schema.String,
  callId: Schema.String,
  toolId: Schema.String,
  fn: Schema.String,
  actor: Schema.String,
  runId: Text,
  traceId: Text,
  /** Milliseconds since the epoch. */
  at: Schema.Finite,
  /** By then it has been closed; if not, its process is gone. */
  leaseUntil: Schema.Finite
})
export type Requested = typeof Requested.Type

/** A call that was dropped before it reached the gateway, and why. */
export const Skipped = Schema.Struct({
  record_id: Schema.String,
  kind: Schema.Literal("SKIPPED"),
  call_id: Schema.String,
  tool_id: Schema.String,
  fn: Schema.String,
  reason_code: Schema.Literals(["policy", "confidence", "host"]),
  reason: Schema.String,
  policy_decision_id: Text,
  confidence: Schema.optionalKey(Schema.Finite),
  actor_id: Schema.String,
  run_id: Text,
  trace_id: Text,
  at: Schema.String
})
export type Skipped = typeof Skipped.Type

/** What closes a request. */
export const Closing = Schema.Union([DecisionRecord, Skipped])
export type Closing = typeof Closing.Type

/** A request, and what closed it. */
export interface Entry {
  readonly requested: Requested
  readonly closing?: Closing
}

/** How many there were of each. */
export interface Counts {
  readonly requested: number
  readonly settled: number
  readonly skipped: number
}

export interface Interface {
  /** Durable when it returns. */
  readonly request: (requested: Requested) => Effect.Effect<void, StorageError>
  /** Durable when it returns. The first closing of a request stands. */
  readonly close: (closing: Closing) => Effect.Effect<void, StorageError>
  /** Every request with this call id, oldest first. */
  readonly find: (callId: string) => Effect.Effect<ReadonlyArray<Entry>, StorageError>
  /** Requests that nobody will close any more. */
  readonly unclosed: (now: number) => Effect.Effect<ReadonlyArray<Requested>, StorageError>
  readonly counts: Effect.Effect<Counts, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Audit") {}

/** Tells the two kinds of closing apart. */
export const isSkipped = (closing: Closing): closing is Skipped => "kind" in closing

/** Enough to look at what happened lately; an account that matters is in a database. */
export const maxKept = 10_000

/** Keeps the newest closed entries, all open ones, and exact counts, until the layer's Scope closes. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const open = new Map<string, Requested>()
  const closed = new Map<string, Entry>()
  const counts = { requested: 0, settled: 0, skipped: 0 }
  const keep = (requested: Requested, closing: Closing) => {
    closed.set(requested.recordId, { requested, closing })
    if (closed.size <= maxKept) return
    const { value: oldest = "" } = closed.keys().next()
    closed.delete(oldest)
  }
  return {
    request: (requested) =>
      Effect.sync(() => {
        counts.requested++
        open.set(requested.recordId, requested)
      }),
    close: (closing) =>
      Effect.sync(() => {
        const requested = open.get(closing.record_id)
        if (requested === undefined) return
        open.delete(closing.record_id)
        counts[isSkipped(closing) ? "skipped" : "settled"]++
        keep(requested, closing)
      }),
    find: (callId) =>
      Effect.sync(() =>
        [...closed.values(), ...[...open.values()].map((requested): Entry => ({ requested }))]
          .filter(({ requested }) => requested.callId === callId)
          .toSorted((left, right) => left.requested.at - right.requested.at)
      ),
    unclosed: (now) => Effect.sync(() => [...open.values()].filter(({ leaseUntil }) => leaseUntil <= now)),
    counts: Effect.sync(() => ({ ...counts }))
  }
}
