/** What a batch of operations does to the calls it names, decided without a database. */
import type * as SettlementStore from "@haft/core/SettlementStore"
import { mayRepeatAfter } from "./settlementStoreRecord.ts"

/** An end as it is stored. */
export interface EncodedEnd {
  readonly tag: SettlementStore.Ended["_tag"]
  readonly json: string
}

/** One thing to do. Its record is encoded already, so that one which cannot be encoded fails alone. */
export type Operation =
  | {
      readonly _tag: "Begin"
      readonly key: string
      readonly begun: SettlementStore.Begun
      readonly json: string
      readonly ended: EncodedEnd | undefined
      readonly repeat: boolean
    }
  | { readonly _tag: "Advance"; readonly key: string; readonly approvalID: string | undefined }
  | {
      readonly _tag: "Complete"
      readonly key: string
      /** Which attempt to end, for whoever has not begun it. */
      readonly attempt: number | undefined
      readonly ended: EncodedEnd
    }

/** Whether an executor runs if it is done. */
export const isStart = (operation: Operation): boolean => operation._tag === "Begin" && operation.ended === undefined

/** Whether it is the end of a call by whoever has begun it, who will not try again. */
export const isOwnEnd = (operation: Operation): boolean =>
  operation._tag === "Complete" && operation.attempt === undefined

/**
 * - `Done`: as asked.
 * - `Known`: there is such a call, so nothing began.
 * - `NotRunning`: there is no such call, it is over, or it is not theirs who asked.
 * - `Spent`: another attempt has redeemed the approval.
 * - `Over`: the attempt has an end.
 * - `Superseded`: another attempt has begun since.
 */
export type Verdict =
  | { readonly _tag: "Done" | "Known" | "NotRunning" | "Spent" | "Superseded" }
  | { readonly _tag: "Over"; readonly attempt: number }

const done: Verdict = { _tag: "Done" }
const known: Verdict = { _tag: "Known" }
const notRunning: Verdict = { _tag: "NotRunning" }
const spent: Verdict = { _tag: "Spent" }
const superseded: Verdict = { _tag: "Superseded" }

/** The latest attempt of a call, as far as deciding goes. */
export interface Attempt {
  readonly attempt: number
  readonly state: Open | SettlementStore.Ended["_tag"]
}

/**
 * How an attempt stands that has no end on record.
 *
 * - `Running`: ours, and under way.
 * - `Left`: ours, and over, but that could not be written down.
 * - `Elsewhere`: another owner's, which alone may advance or end it.
 * - `Unfinished`: of an owner that is gone.
 */
export type Open = "Running" | "Left" | "Elsewhere" | "Unfinished"

/** Names one attempt at a call. */
export interface AttemptOf {
  readonly key: string
  readonly attempt: number
}

/** What is known before the batch. */
export interface Known {
  /** By key. */
  readonly attempts: ReadonlyMap<string, Attempt>
  /** Which attempt redeemed an approval. */
  readonly redeemed: ReadonlyMap<string, AttemptOf>
}

/** The rows to write, all of them or none. */
export interface Writes {
  readonly begun: ReadonlyArray<Extract<Operation, { _tag: "Begin" }> & { readonly attempt: number }>
  readonly advanced: ReadonlyArray<AttemptOf>
  readonly redeemed: ReadonlyArray<AttemptOf & { readonly approvalID: string }>
  readonly ended: ReadonlyArray<AttemptOf & { readonly ended: EncodedEnd }>
}

/** One verdict for each operation, as if they came one after the other. */
export const plan = (
  before: Known,
  operations: ReadonlyArray<Operation>
): { readonly verdicts: ReadonlyArray<Verdict>; readonly writes: Writes } => {
  const draft: Draft = {
    attempts: new Map(before.attempts),
    redeemers: new Map(before.redeemed),
    begun: [],
    advanced: [],
    redeemed: [],
    ended: []
  }
  const verdicts = operations.map((operation) => decide(draft, operation))
  return { verdicts, writes: draft }
}

type Mutable<Rows> = { -readonly [Key in keyof Rows]: Rows[Key] extends ReadonlyArray<infer Row> ? Array<Row> : never }

interface Draft extends Mutable<Writes> {
  readonly attempts: Map<string, Attempt>
  readonly redeemers: Map<string, AttemptOf>
}

const decide = (draft: Draft, operation: Operation): Verdict => {
  switch (operation._tag) {
    case "Begin":
      return begin(draft, operation)
    case "Advance":
      return advance(draft, operation)
    case "Complete":
      return complete(draft, operation)
  }
}

const begin = (draft: Draft, operation: Extract<Operation, { _tag: "Begin" }>): Verdict => {
  const before = draft.attempts.get(operation.key)
  if (before !== undefined && !(operation.repeat && mayRepeat(before))) return known
  const attempt = (before?.attempt ?? 0) + 1
  draft.attempts.set(operation.key, { attempt, state: operation.ended?.tag ?? "Running" })
  draft.begun.push({ ...operation, attempt })
  return done
}

const mayRepeat = ({ state }: Attempt): boolean =>
  isOpen(state) ? state === "Unfinished" || state === "Left" : mayRepeatAfter(state)

const isOpen = (state: Attempt["state"]): state is Open =>
  state === "Running" || state === "Left" || state === "Elsewhere" || state === "Unfinished"

const advance = (draft: Draft, { approvalID, key }: Extract<Operation, { _tag: "Advance" }>): Verdict => {
  const call = draft.attempts.get(key)
  if (call?.state !== "Running") return notRunning
  const row = { key, attempt: call.attempt }
  if (approvalID !== undefined) {
    const redeemer = draft.redeemers.get(approvalID)
    if (redeemer === undefined) draft.redeemed.push({ approvalID, ...row })
    else if (redeemer.key !== key || redeemer.attempt !== call.attempt) return spent
    draft.redeemers.set(approvalID, row)
  }
  draft.advanced.push(row)
  return done
}

const complete = (draft: Draft, { attempt, ended, key }: Extract<Operation, { _tag: "Complete" }>): Verdict => {
  const call = draft.attempts.get(key)
  if (call === undefined) return notRunning
  if (attempt !== undefined && attempt !== call.attempt) return superseded
  if (!isOpen(call.state)) return { _tag: "Over", attempt: call.attempt }
  if (call.state !== "Left" && call.state !== (attempt === undefined ? "Running" : "Unfinished")) return notRunning
  draft.attempts.set(key, { attempt: call.attempt, state: ended.tag })
  draft.ended.push({ key, attempt: call.attempt, ended })
  return done
}
