/** The outputs of a store in memory, and how much of it they take. Every method is one step. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as Session from "@haft/core/Session"
import { type Exceeded, expiredAt, type Limits, type Over, overAt, tombstoneMillis } from "./outputLimits.ts"

/** What is known of an output besides its bytes. */
export interface Description {
  readonly session: Session.ID
  readonly mimeType: string
  readonly bytes: number
  readonly lines: number
}

/** An output, or what is left of one that was removed. */
export interface Entry extends Description {
  readonly content: ReadonlyArray<Uint8Array> | { readonly removedAt: number }
}

/** References are in the order in which they came, as those of a `Map` are. */
export class OutputMemory {
  private readonly limits: Limits
  private readonly entries = new Map<ManagedOutput.Ref, Entry>()
  private readonly releasedAt = new Map<Session.ID, number>()
  private readonly usedAt = new Map<Session.ID, number>()
  /** Kept or about to be kept, by session. */
  private readonly taken = new Map<Session.ID, number>()
  private total = 0

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Makes room for `count` bytes of an output that has `before` already, or tells what stands against it. */
  reserve(session: Session.ID, before: number, count: number, now: number): Exceeded | undefined {
    const { maxOutputBytes, maxSessionBytes, maxStoreBytes } = this.limits
    this.revive(session, now)
    if (before + count > maxOutputBytes) return "output"
    if (this.takenBy(session) + count > maxSessionBytes) return "session"
    for (const ref of this.removable(overAt(now, this.limits))) {
      if (this.total + count <= maxStoreBytes) break
      this.remove(ref, now)
    }
    if (this.total + count > maxStoreBytes) return "store"
    this.take(session, count)
    return undefined
  }

  /** The other end of `reserve`, for an output that is not kept after all. */
  cancel(session: Session.ID, count: number): void {
    this.take(session, -count)
  }

  keep(ref: ManagedOutput.Ref, entry: Entry, now: number): void {
    this.revive(entry.session, now)
    this.entries.set(ref, entry)
  }

  /** Whoever opens an output still has a use for it. */
  open(session: Session.ID, ref: ManagedOutput.Ref, now: number): Entry | undefined {
    const entry = this.find(session, ref)
    if (entry !== undefined) this.usedAt.set(session, now)
    return entry
  }

  release(session: Session.ID, now: number): void {
    if (!this.releasedAt.has(session)) this.releasedAt.set(session, now)
  }

  forget(session: Session.ID, ref: ManagedOutput.Ref): void {
    const entry = this.find(session, ref)
    if (entry === undefined) return
    if (!("removedAt" in entry.content)) this.take(session, -entry.bytes)
    this.entries.delete(ref)
  }

  /** Gives the number of bytes freed. */
  sweep(now: number): number {
    const before = this.total
    for (const ref of this.removable(expiredAt(now, this.limits))) this.remove(ref, now)
    for (const [ref, { content }] of this.entries) {
      if ("removedAt" in content && content.removedAt <= now - tombstoneMillis) this.entries.delete(ref)
    }
    this.forgetSessions()
    return before - this.total
  }

  private forgetSessions(): void {
    const known = new Set([...this.entries.values()].map(({ session }) => session))
    for (const times of [this.releasedAt, this.usedAt]) {
      for (const session of times.keys()) if (!known.has(session)) times.delete(session)
    }
  }

  private find(session: Session.ID, ref: ManagedOutput.Ref): Entry | undefined {
    const entry = this.entries.get(ref)
    return entry?.session === session ? entry : undefined
  }

  private revive(session: Session.ID, now: number): void {
    this.releasedAt.delete(session)
    this.usedAt.set(session, now)
  }

  /** Outputs of sessions that are over, oldest first. */
  private removable({ releasedBy, usedBy }: Over): ReadonlyArray<ManagedOutput.Ref> {
    const isRemovable = ({ content, session }: Entry) => {
      const [releasedAt, usedAt] = [this.releasedAt.get(session), this.usedAt.get(session)]
      const isOver =
        (releasedAt !== undefined && releasedAt <= releasedBy) || (usedAt !== undefined && usedAt <= usedBy)
      return isOver && !("removedAt" in content)
    }
    return [...this.entries].filter(([, entry]) => isRemovable(entry)).map(([ref]) => ref)
  }

  private remove(ref: ManagedOutput.Ref, now: number): void {
    const entry = this.entries.get(ref)
    if (entry === undefined) return
    this.take(entry.session, -entry.bytes)
    this.entries.set(ref, { ...entry, content: { removedAt: now } })
  }

  private takenBy(session: Session.ID): number {
    return this.taken.get(session) ?? 0
  }

  private take(session: Session.ID, count: number): void {
    const taken = this.takenBy(session) + count
    if (taken === 0) this.taken.delete(session)
    else this.taken.set(session, taken)
    this.total += count
  }
}
