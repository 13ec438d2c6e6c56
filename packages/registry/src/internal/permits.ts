/** A limit on how many calls execute at once. Who waits is served in order, and who leaves the queue leaves no gap. */
import * as Effect from "effect/Effect"

export class Permits {
  private free: number
  private readonly waiting = new Set<Ticket>()

  constructor(limit: number) {
    this.free = limit
  }

  /** Becomes valid now or when its turn comes. Return it in any case: a ticket that never became valid costs nothing. */
  take(): Ticket {
    const ticket = new Ticket(this)
    if (this.free > 0) this.serve(ticket)
    else this.waiting.add(ticket)
    return ticket
  }

  /** Called by the ticket alone. */
  give(ticket: Ticket): void {
    if (this.waiting.delete(ticket)) return
    this.free++
    const [next] = this.waiting
    if (next === undefined) return
    this.waiting.delete(next)
    this.serve(next)
  }

  private serve(ticket: Ticket): void {
    this.free--
    ticket.validate()
  }
}

export class Ticket {
  private readonly permits: Permits
  private isValid = false
  private isReturned = false
  private onValid: (() => void) | undefined

  constructor(permits: Permits) {
    this.permits = permits
  }

  readonly wait: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.isValid) return resume(Effect.void)
    this.onValid = () => resume(Effect.void)
  })

  validate(): void {
    this.isValid = true
    this.onValid?.()
  }

  return(): void {
    if (this.isReturned) return
    this.isReturned = true
    this.permits.give(this)
  }
}
