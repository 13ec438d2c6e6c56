/** Which media of one call are sent: as many as its own limits allow, and as its turn has room for. */
import type { TurnBudget } from "./turnBudget.ts"

export interface MediaLimits {
  /** Of one part. */
  readonly mediaBytes: number
  /** Of all parts of a call together. */
  readonly mediaTotalBytes: number
  readonly mediaParts: number
}

/** Taken part by part, in their order. One that is too large does not keep out those after it. */
export class MediaRoom {
  private parts = 0
  private bytes = 0
  private readonly limits: MediaLimits
  private readonly budget: TurnBudget

  constructor(limits: MediaLimits, budget: TurnBudget) {
    this.limits = limits
    this.budget = budget
  }

  /** The number of a part that is sent, among those that are. */
  take(bytes: number): number | undefined {
    const { mediaBytes, mediaParts, mediaTotalBytes } = this.limits
    if (bytes > mediaBytes || this.bytes + bytes > mediaTotalBytes || this.parts >= mediaParts) return undefined
    if (!this.budget.takeMedia(bytes)) return undefined
    this.bytes += bytes
    return ++this.parts
  }

  /** For a call that sends nothing after all. */
  giveBack(): void {
    this.budget.giveBackMedia(this.bytes, this.parts)
  }
}
