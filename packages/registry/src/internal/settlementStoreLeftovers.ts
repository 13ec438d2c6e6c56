/**
 * What one store has to write and could not. It says so about those calls as long as it lives, and writes it at the next
 * occasion; when it closes they are unfinished like all that it leaves.
 */
import type { AttemptRow } from "./settlementStoreRows.ts"
import type { AttemptOf, EncodedEnd, Operation } from "./settlementStorePlan.ts"

/** Characters of ends that are kept for later, so that a long outage does not fill the memory. */
const maxKept = 16 * 1024 * 1024

export class Leftovers {
  /** Ends to write, by the key of their call. */
  private readonly ends = new Map<string, EncodedEnd>()
  /** Calls that are over and whose end was refused, or was too much to keep. */
  private readonly endless = new Set<string>()
  /** Attempts that failed to begin, and may be in the database all the same. Nothing ran. */
  private readonly unstarted = new Map<string, AttemptOf>()
  private kept = 0

  /** Whether there is something to write. */
  get isEmpty(): boolean {
    return this.ends.size === 0 && this.unstarted.size === 0
  }

  /** Of a call of ours: whether it is over, whatever its row says. */
  isOver(key: string): boolean {
    return this.ends.has(key) || this.endless.has(key)
  }

  /** Whether there is something to write about this call. */
  concern(key: string): boolean {
    return this.ends.has(key) || this.unstarted.has(key)
  }

  /** Of a row of ours: whether it is there by mistake. */
  isUnstarted({ attempt, call_key }: AttemptRow): boolean {
    return this.unstarted.get(call_key)?.attempt === attempt
  }

  /** To be written again. */
  endings(): ReadonlyArray<Operation> {
    return Array.from(this.ends, ([key, ended]) => ({ _tag: "Complete", key, attempt: undefined, ended }))
  }

  /** To be removed. */
  beginnings(): ReadonlyArray<AttemptOf> {
    return [...this.unstarted.values()]
  }

  couldNotBegin(attempts: ReadonlyArray<AttemptOf>): void {
    for (const one of attempts) this.unstarted.set(one.key, one)
  }

  wereRemoved(attempts: ReadonlyArray<AttemptOf>): void {
    for (const one of attempts) if (this.unstarted.get(one.key) === one) this.unstarted.delete(one.key)
  }

  /** The first end stands, written or not. */
  couldNotEnd(key: string, ended: EncodedEnd): void {
    if (this.isOver(key)) return
    if (this.kept + ended.json.length > maxKept) return void this.endless.add(key)
    this.ends.set(key, ended)
    this.kept += ended.json.length
  }

  /** It failed again: the others are tried before it. */
  postpone(key: string): void {
    const ended = this.ends.get(key)
    this.ends.delete(key)
    if (ended !== undefined) this.ends.set(key, ended)
  }

  /** The database takes other records, and not this one. */
  wasRefused(key: string): void {
    this.drop(key)
    this.endless.add(key)
  }

  /** The record of the call says how it stands. */
  wasWritten(key: string): void {
    this.drop(key)
    this.endless.delete(key)
  }

  private drop(key: string): void {
    this.kept -= this.ends.get(key)?.json.length ?? 0
    this.ends.delete(key)
  }
}
