/** Small chunks as large pieces: each trip to the disk costs time of its own. */

/** At most. Hashing this much takes about a millisecond, and the event loop is free while it is written. */
const pieceBytes = 1024 * 1024

/** Copying a chunk of this size takes longer than the trip that it would spare. */
const largeBytes = pieceBytes / 2

export class OutputPieces {
  private buffer: Uint8Array | undefined
  private filled = 0

  /** What is left when there are no more chunks. */
  get rest(): Uint8Array {
    return this.buffer?.subarray(0, this.filled) ?? new Uint8Array()
  }

  /** Whole pieces. Use each before the next is asked for: its bytes are used again. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    let rest = chunk
    while (this.filled + rest.length >= (this.filled === 0 ? largeBytes : pieceBytes)) {
      const taken = rest.subarray(0, pieceBytes - this.filled)
      rest = rest.subarray(taken.length)
      yield this.filled === 0 ? taken : this.fill(taken)
      this.filled = 0
    }
    if (rest.length > 0) this.fill(rest)
  }

  private fill(bytes: Uint8Array): Uint8Array {
    this.buffer ??= new Uint8Array(pieceBytes)
    this.buffer.set(bytes, this.filled)
    this.filled += bytes.length
    return this.buffer
  }
}
