/**
 * What is prepared and waits for its second phase. Every change of state is one step that only one of several can take, so
 * what is committed is never rolled back as well.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The ledger could not write or read. Nothing is committed on the strength of it. */
export class StorageError extends Schema.TaggedError<StorageError>()("CommitLedger.StorageError", {
  operation: Schema.Literals(["prepare", "find", "move", "prepared"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Whoever moves a row out of `Prepared` decides what becomes of it. */
export const State = Schema.Literals(["Prepared", "Committing", "Committed", "RollingBack", "RolledBack"])
export type State = typeof State.Type

/** One call that was prepared, and what has become of it. */
export const Row = Schema.Struct({
  /** Random: knowing one tells nothing about another. */
  commitToken: Schema.String,
  /** Of the settlement that prepared it. There is one row for each. */
  prepareId: Schema.String,
  toolId: Schema.String,
  tenantId: Schema.NullOr(Schema.String),
  actor: Schema.String,
  /** What the first phase gave, which is what the second gets. */
  prepared: Schema.JsonObject,
  /** Milliseconds since the epoch, like `deadline`. */
  preparedAt: Schema.Finite,
  deadline: Schema.Finite,
  state: State
})
export type Row = typeof Row.Type

export interface Interface {
  /** Durable when it returns. Gives the row that stands: an earlier one, if the same settlement has one. */
  readonly prepare: (row: Row) => Effect.Effect<Row, StorageError>
  readonly find: (commitToken: string) => Effect.Effect<Option.Option<Row>, StorageError>
  /** True for the one that took the row from one state to the other. Durable when it returns. */
  readonly move: (commitToken: string, from: State, to: State) => Effect.Effect<boolean, StorageError>
  /** Everything that nobody has committed or rolled back yet. */
  readonly prepared: Effect.Effect<ReadonlyArray<Row>, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/CommitLedger") {}

/** Keeps everything until the layer's Scope closes, each build for itself. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const rows = new Map<string, Row>()
  return {
    prepare: (row) =>
      Effect.sync(() => {
        const earlier = [...rows.values()].find(({ prepareId }) => prepareId === row.prepareId)
        if (earlier === undefined) rows.set(row.commitToken, row)
        return earlier ?? row
      }),
    find: (commitToken) => Effect.sync(() => Option.fromUndefinedOr(rows.get(commitToken))),
    move: (commitToken, from, to) =>
      Effect.sync(() => {
        const row = rows.get(commitToken)
        if (row?.state !== from) return false
        rows.set(commitToken, { ...row, state: to })
        return true
      }),
    prepared: Effect.sync(() => [...rows.values()].filter(({ state }) => state === "Prepared"))
  }
}
