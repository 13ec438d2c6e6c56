/**
 * Remembers by key which calls run and how those ended that must not run again. It decides which of several callers runs a
 * call, across processes if it is a database.
 */
import type { Outcome } from "@haft/wire/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The store could not write or read. Nothing may be executed on the strength of it. */
export class StorageError extends Schema.TaggedError<StorageError>()("IdempotencyStore.StorageError", {
  operation: Schema.Literals(["open", "claim", "settle", "release", "sweep"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Whose row it is: one execution of one call. */
export interface Holder {
  /** With tenant, actor, tool and function in it, so that nobody meets the keys of others. */
  readonly storeKey: string
  /** Random: a new one for each execution. */
  readonly owner: string
}

/** Asks to be the one who runs a call. */
export interface Claim extends Holder {
  /** Of the canonical input. */
  readonly inputDigest: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** By then it has settled or released the row; if not, its process is gone. */
  readonly leaseUntil: number
  /** Whether to run again what a process that is gone has left. */
  readonly takeOver: boolean
}

/** What became of a claim. */
export type Claimed =
  /** Nobody else runs it, until the row is settled or released. */
  | { readonly _tag: "Mine" }
  | { readonly _tag: "Running"; readonly inputDigest: string }
  /** Its process is gone, and nobody knows how far it came. */
  | { readonly _tag: "Abandoned"; readonly inputDigest: string; readonly owner: string }
  | { readonly _tag: "Settled"; readonly inputDigest: string; readonly outcome: Outcome }

export interface Interface {
  /** Looking and writing are one step. Durable when it returns. A row that has expired is as good as none. */
  readonly claim: (claim: Claim) => Effect.Effect<Claimed, StorageError>
  /** Keeps the outcome for whoever claims the key until it expires. Changes nothing for an owner that lost the row. */
  readonly settle: (
    holder: Holder,
    settled: { readonly outcome: Outcome; readonly expiresAt: number }
  ) => Effect.Effect<void, StorageError>
  /** The next claim is granted. Changes nothing for an owner that lost the row. */
  readonly release: (holder: Holder) => Effect.Effect<void, StorageError>
  /** Removes what has expired, and says how many rows that was. */
  readonly sweep: (now: number) => Effect.Effect<number, StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/IdempotencyStore") {}

type Row =
  | { readonly state: "running"; readonly owner: string; readonly inputDigest: string; readonly leaseUntil: number }
  | { readonly state: "settled"; readonly inputDigest: string; readonly outcome: Outcome; readonly expiresAt: number }

/** Keeps everything until the layer's Scope closes, each build for itself. For tests, and where a restart may forget. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const rows = new Map<string, Row>()
  const isHeld = ({ owner, storeKey }: Holder): boolean => {
    const row = rows.get(storeKey)
    return row?.state === "running" && row.owner === owner
  }
  return {
    claim: (claim) =>
      Effect.sync(() => {
        const known = answerTo(rows.get(claim.storeKey), claim)
        const { inputDigest, leaseUntil, owner } = claim
        if (known._tag === "Mine") rows.set(claim.storeKey, { state: "running", owner, inputDigest, leaseUntil })
        return known
      }),
    settle: (holder, { expiresAt, outcome }) =>
      Effect.sync(() => {
        const row = rows.get(holder.storeKey)
        if (row === undefined || !isHeld(holder)) return
        rows.set(holder.storeKey, { state: "settled", inputDigest: row.inputDigest, outcome, expiresAt })
      }),
    release: (holder) =>
      Effect.sync(() => {
        if (isHeld(holder)) rows.delete(holder.storeKey)
      }),
    sweep: (now) =>
      Effect.sync(() => {
        const expired = [...rows].filter(([, row]) => row.state === "settled" && row.expiresAt <= now)
        for (const [storeKey] of expired) rows.delete(storeKey)
        return expired.length
      })
  }
}

const answerTo = (row: Row | undefined, { now, takeOver }: Claim): Claimed => {
  if (row === undefined) return { _tag: "Mine" }
  const { inputDigest } = row
  if (row.state === "settled") {
    return row.expiresAt <= now ? { _tag: "Mine" } : { _tag: "Settled", inputDigest, outcome: row.outcome }
  }
  if (now < row.leaseUntil) return { _tag: "Running", inputDigest }
  return takeOver ? { _tag: "Mine" } : { _tag: "Abandoned", inputDigest, owner: row.owner }
}
