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
  | { readonly _tag: "Complete"; readonly key: string; readonly ended: EncodedEnd }

/**
 * - `Done`: as asked, or it was so before.
 * - `Known`: there is such a call, so nothing began.
 * - `NotRunning`: there is no such call, it is over, or it is another process's to end.
 * - `Spent`: another attempt has redeemed the approval.
 */
export type Verdict = "Done" | "Known" | "NotRunning" | "Spent"

/** The latest attempt of a call, as far as deciding goes. */
export interface Attempt {
  readonly attempt: number
  /** `Elsewhere`: running in another process, which alone may advance or end it. */
  readonly state: "Running" | "Elsewhere" | "Unfinished" | SettlementStore.Ended["_tag"]
}

/** What is known before the batch. */
export interface Known {
  /** By key. */
  readonly attempts: ReadonlyMap<string, Attempt>
  /** Which attempt redeemed an approval. */
  readonly redeemed: ReadonlyMap<string, { readonly key: string; readonly attempt: number }>
}

/** The rows to write, all of them or none. */
export interface Writes {
  readonly begun: ReadonlyArray<Extract<Operation, { _tag: "Begin" }> & { readonly attempt: number }>
  readonly advanced: ReadonlyArray<{ readonly key: string; readonly attempt: number }>
  readonly redeemed: ReadonlyArray<{ readonly approvalID: string; readonly key: string; readonly attempt: number }>
  readonly ended: ReadonlyArray<{ readonly key: string; readonly attempt: number; readonly ended: EncodedEnd }>
}

/** One verdict for each operation, as if they came one after the other. */
export const plan = (
  known: Known,
  operations: ReadonlyArray<Operation>
): { readonly verdicts: ReadonlyArray<Verdict>; readonly writes: Writes } => {
  const draft: Draft = {
    attempts: new Map(known.attempts),
    redeemers: new Map(known.redeemed),
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
  readonly redeemers: Map<string, { readonly key: string; readonly attempt: number }>
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
  if (before !== undefined && !(operation.repeat && mayRepeat(before))) return "Known"
  const attempt = (before?.attempt ?? 0) + 1
  draft.attempts.set(operation.key, { attempt, state: operation.ended?.tag ?? "Running" })
  draft.begun.push({ ...operation, attempt })
  return "Done"
}

const mayRepeat = ({ state }: Attempt): boolean =>
  state === "Unfinished" || (state !== "Running" && state !== "Elsewhere" && mayRepeatAfter(state))

const advance = (draft: Draft, { approvalID, key }: Extract<Operation, { _tag: "Advance" }>): Verdict => {
  const call = draft.attempts.get(key)
  if (call?.state !== "Running") return "NotRunning"
  const row = { key, attempt: call.attempt }
  if (approvalID !== undefined) {
    const redeemer = draft.redeemers.get(approvalID)
    if (redeemer === undefined) draft.redeemed.push({ approvalID, ...row })
    else if (redeemer.key !== key || redeemer.attempt !== call.attempt) return "Spent"
    draft.redeemers.set(approvalID, row)
  }
  draft.advanced.push(row)
  return "Done"
}

const complete = (draft: Draft, { ended, key }: Extract<Operation, { _tag: "Complete" }>): Verdict => {
  const call = draft.attempts.get(key)
  if (call === undefined || call.state === "Elsewhere") return "NotRunning"
  if (call.state !== "Running" && call.state !== "Unfinished") return "Done"
  draft.attempts.set(key, { attempt: call.attempt, state: ended.tag })
  draft.ended.push({ key, attempt: call.attempt, ended })
  return "Done"
}
