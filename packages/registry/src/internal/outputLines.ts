/** Lines of bytes: a line ends with a line feed or with the output. */

const lineFeed = 10

/** Four bytes at a time: an output of hundreds of megabytes is counted while it is written. */
export const countLineFeeds = (bytes: Uint8Array): number => {
  const head = (4 - (bytes.byteOffset % 4)) % 4
  if (bytes.length < head + 4) return countSlowly(bytes)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + head, (bytes.length - head) >> 2)
  const tail = head + words.length * 4
  let count = countSlowly(bytes.subarray(0, head)) + countSlowly(bytes.subarray(tail))
  for (let start = 0; start < words.length; start += maxGroup) {
    count += sumOfBytes(countInGroup(words, start, Math.min(words.length, start + maxGroup)))
  }
  return count
}

/** Words whose line feeds can be counted in one byte for each of the four places, without a carry. */
const maxGroup = 255

const countSlowly = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (byte === lineFeed ? sum + 1 : sum), 0)

const lineFeeds = 0x0a0a0a0a
const lowBits = 0x7f7f7f7f

/** A byte that is zero after the exclusive or leaves its high bit set, and no other byte does. */
const countInGroup = (words: Int32Array, start: number, end: number): number => {
  let counts = 0
  for (let index = start; index < end; index++) {
    const difference = (words[index] ?? 0) ^ lineFeeds
    const found = ~(((difference & lowBits) + lowBits) | difference | lowBits)
    counts = (counts + (found >>> 7)) | 0
  }
  return counts
}

const sumOfBytes = (counts: number): number =>
  (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24)

/** Counts the lines of an output that comes in pieces. */
export class LineCounter {
  private feeds = 0
  private endsOpen = false

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.feeds += countLineFeeds(bytes)
    this.endsOpen = bytes[bytes.length - 1] !== lineFeed
  }

  get lines(): number {
    return this.feeds + (this.endsOpen ? 1 : 0)
  }
}

/** The index after the `count`th line feed; there must be that many. */
export const indexAfterLineFeeds = (bytes: Uint8Array, count: number): number => {
  let index = 0
  for (let seen = 0; seen < count; seen++) index = bytes.indexOf(lineFeed, index) + 1
  return index
}
