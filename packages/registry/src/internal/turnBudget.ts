/** What the calls of one turn may still show a model together. */
import type { Size } from "./tally.ts"

/** What a call can always show: a reference, and a few words about it. */
export const smallest: Size = { bytes: 512, lines: 8 }

/**
 * A call gets half of what is left, or its own limit if that is less: the first ones show everything they may, later ones
 * less and less, and none is ever left without room. What a call may need is taken at once, so that calls that run side by
 * side cannot spend the same room, and what it did not need is given back.
 */
export class TurnBudget {
  private bytes: number
  private lines: number

  constructor(bytes: number, lines: number) {
    this.bytes = bytes
    this.lines = lines
  }

  /** For a call that may show this many. */
  bytesFor(limit: number): number {
    return Math.max(smallest.bytes, Math.min(limit, Math.floor(this.bytes / 2)))
  }

  linesFor(limit: number): number {
    return Math.max(smallest.lines, Math.min(limit, Math.floor(this.lines / 2)))
  }

  take({ bytes, lines }: Size): void {
    this.bytes -= bytes
    this.lines -= lines
  }

  giveBack({ bytes, lines }: Size): void {
    this.bytes += bytes
    this.lines += lines
  }
}
