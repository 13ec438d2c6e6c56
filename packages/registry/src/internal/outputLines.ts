/** Lines of bytes: a line ends with a line feed or with the output. */
import { countLineFeeds, lineFeed } from "./lineFeeds.ts"

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
