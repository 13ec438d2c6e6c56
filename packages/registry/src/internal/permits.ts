/** Limits on how many calls execute at once. A call needs a place in each of them, and takes all or none. */
import * as Effect from "effect/Effect"

/** Who waits is served in order, except that nobody waits behind a call that still lacks a place elsewhere. */
export class Permits {
  private free: number
  private readonly waiting = new Set<Ticket>()

  constructor(limit: number) {
    this.free = limit
  }

  get isFree(): boolean {
    return this.free > 0
  }

  take(): void {
    this.free--
  }

  give(): void {
    this.free++
  }

  await(ticket: Ticket): void {
    this.waiting.add(ticket)
  }

  leave(ticket: Ticket): void {
    this.waiting.delete(ticket)
  }

  serve(): void {
    for (const ticket of this.waiting) {
      if (!this.isFree) return
      ticket.validateIfServed()
    }
  }
}

/** A place in each of the limits, now or when its turn comes. Return it in any case: one that never came costs nothing. */
export class Ticket {
  private readonly permits: ReadonlyArray<Permits>
  state: "waiting" | "valid" | "returned" = "waiting"
  private onValid: (() => void) | undefined

  constructor(permits: ReadonlyArray<Permits>) {
    this.permits = permits
    for (const permit of permits) permit.await(this)
    this.validateIfServed()
  }

  /** Yields after it waited: whoever returns a place serves the next from inside, and a queue must not become a stack. */
  readonly wait: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.state === "valid") return resume(Effect.void)
    this.onValid = () => resume(Effect.yieldNow)
  })

  validateIfServed(): void {
    if (!this.permits.every(({ isFree }) => isFree)) return
    this.state = "valid"
    for (const permit of this.permits) {
      permit.leave(this)
      permit.take()
    }
    this.onValid?.()
  }

  return(): void {
    const before = this.state
    this.state = "returned"
    if (before === "waiting") for (const permit of this.permits) permit.leave(this)
    if (before !== "valid") return
    for (const permit of this.permits) permit.give()
    for (const permit of this.permits) permit.serve()
  }
}
