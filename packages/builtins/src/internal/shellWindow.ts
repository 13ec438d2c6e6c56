/** Which bytes of an endless output are kept in a fixed space: its beginning, and its end. */

/** How much of the space the beginning gets; errors and summaries stand at the end. */
const headShare = 0.4

/** A piece of an output, and where in the space it goes. */
export interface Piece {
  /** In the bytes that were pushed. */
  readonly from: number
  readonly to: number
  /** In the space. */
  readonly at: number
}

/** Knows positions only; somebody else has the space, in memory or on a disk. */
export class Window {
  readonly limit: number
  readonly headBytes: number
  /** All bytes so far. */
  total = 0

  constructor(limit: number) {
    this.limit = limit
    this.headBytes = Math.floor(limit * headShare)
  }

  get kept(): number {
    return Math.min(this.total, this.limit)
  }

  get lost(): number {
    return this.total - this.kept
  }

  /** Where the next bytes go. The beginning is written once, the end goes round in what is left. */
  place(length: number): ReadonlyArray<Piece> {
    const pieces: Array<Piece> = []
    const first = Math.max(0, length - (this.limit - this.headBytes))
    for (let from = 0; from < length;) {
      const position = this.total + from
      const isHead = position < this.headBytes
      if (!isHead && from < first) {
        from = first
        continue
      }
      const at = this.spaceOf(position)
      const room = (isHead ? this.headBytes : this.limit) - at
      const to = Math.min(length, from + room)
      pieces.push({ from, to, at })
      from = to
    }
    this.total += length
    return pieces
  }

  /** What to read for `length` bytes of what is kept, from `position` of it on. */
  pieces(position: number, length: number): ReadonlyArray<{ readonly at: number; readonly length: number }> {
    const pieces: Array<{ readonly at: number; readonly length: number }> = []
    const end = Math.min(this.kept, position + length)
    for (let next = position; next < end;) {
      const at = this.spaceOf(next < this.headBytes ? next : next + this.lost)
      const room = (next < this.headBytes ? this.headBytes : this.limit) - at
      const size = Math.min(end - next, room)
      pieces.push({ at, length: size })
      next += size
    }
    return pieces
  }

  private spaceOf(position: number): number {
    if (position < this.headBytes) return position
    return this.headBytes + ((position - this.headBytes) % (this.limit - this.headBytes))
  }
}
