/** What the calls of one turn may still show a model together. */
import type { Size } from "./tally.ts"

/** What a call can always show: a reference, and a few words about it. */
export const smallest: Size = { bytes: 512, lines: 8 }

export interface TurnLimits {
  readonly turnBytes: number
  readonly turnLines: number
  readonly turnMediaBytes: number
  readonly turnMediaParts: number
}

/**
 * A call gets half of what is left, or its own limit if that is less: the first ones show everything they may, later ones
 * less and less, and none is ever left without room. What a call may need is taken at once, so that calls that run side by
 * side cannot spend the same room, and what it did not need is given back. Media is sent whole or not at all, so that it
 * is first come, first served.
 */
export class TurnBudget {
  private bytes: number
  private lines: number
  private mediaBytes: number
  private mediaParts: number

  constructor({ turnBytes, turnLines, turnMediaBytes, turnMediaParts }: TurnLimits) {
    this.bytes = turnBytes
    this.lines = turnLines
    this.mediaBytes = turnMediaBytes
    this.mediaParts = turnMediaParts
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

  /** Whether there was room for a part of this size. */
  takeMedia(bytes: number): boolean {
    if (bytes > this.mediaBytes || this.mediaParts < 1) return false
    this.mediaBytes -= bytes
    this.mediaParts--
    return true
  }

  giveBackMedia(bytes: number, parts: number): void {
    this.mediaBytes += bytes
    this.mediaParts += parts
  }
}
