/** One page of a text file, made from its bytes as they come, so that nothing beyond the page is read. */
import { isUtf8 } from "node:buffer"

/** A model is shown 2,000 lines of a call; this leaves room for the words around a page. */
export const maxLines = 1_990

/**
 * Of a page as it is measured when a model is shown it: the numbered lines and the structured value together. A call may
 * have 51,200 bytes, so a page is never cut a second time.
 */
export const maxBytes = 48 * 1024

/** A longer line is no text that somebody wrote. */
export const maxLineLength = 2_000

/** A page of lines that are all too long would otherwise read a file to its end. */
export const maxScannedBytes = 16 * 1024 * 1024

/** Enough for the longest shown line in any alphabet, and for one more character that tells it was cut. */
const keptBytes = 4 * (maxLineLength + 1)

/** A number, a tab and a line feed, and what they cost inside JSON. */
const lineOverhead = 12

export interface Page {
  /** Of the first line, from 1. */
  readonly start: number
  readonly lines: ReadonlyArray<string>
  /** The first line that is not shown. */
  readonly next: number | undefined
  /** Known if the file ends on this page. */
  readonly total: number | undefined
  /** Lines of which only the beginning is shown. */
  readonly cut: ReadonlyArray<number>
  /** Whether bytes that are not UTF-8 are shown as the replacement character. */
  readonly hasInvalid: boolean
}

export class PageMaker {
  private readonly lines: Array<string> = []
  private readonly cut: Array<number> = []
  private readonly start: number
  private readonly limit: number
  private line = 1
  private kept: Array<Uint8Array> = []
  private length = 0
  private cost: number
  private scanned = 0
  private hasInvalid = false
  private isFull = false

  /** What else is shown with the page has its cost, too. */
  constructor(start: number, limit: number, cost: number) {
    this.start = start
    this.limit = Math.min(limit, maxLines)
    this.cost = cost
  }

  /** Takes the next bytes of the file, and says whether more are wanted. */
  push(bytes: Uint8Array): boolean {
    let from = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1 && !this.isFull; end = bytes.indexOf(lineFeed, from)) {
      this.keep(bytes.subarray(from, end))
      this.endLine()
      from = end + 1
    }
    if (!this.isFull) this.keep(bytes.subarray(from))
    if (this.line >= this.start) this.scanned += bytes.length
    if (this.scanned > maxScannedBytes && !this.isFull) this.giveUp()
    return !this.isFull
  }

  /** The last bytes have been pushed. */
  end(): Page {
    if (this.isFull) return this.page(this.line, undefined)
    if (this.length > 0) this.endLine()
    return this.isFull ? this.page(this.line, undefined) : this.page(undefined, this.line - 1)
  }

  private page(next: number | undefined, total: number | undefined): Page {
    const { cut, hasInvalid, lines, start } = this
    return { start, lines, next, total, cut, hasInvalid }
  }

  private keep(bytes: Uint8Array): void {
    const room = keptBytes - this.length
    if (this.line >= this.start && room > 0) this.kept.push(bytes.slice(0, room))
    this.length += bytes.length
  }

  /** A line that does not fit any more is the first of the next page. */
  private endLine(): void {
    if (this.line >= this.start) this.show()
    if (this.isFull) return
    this.line++
    this.kept = []
    this.length = 0
    if (this.lines.length === this.limit) this.isFull = true
  }

  private show(): void {
    const bytes = Buffer.concat(this.kept)
    const whole = shown(bytes, this.line === 1)
    const text = headOf(whole)
    const cost = 2 * Buffer.byteLength(JSON.stringify(text)) + lineOverhead
    if (this.lines.length > 0 && this.cost + cost > maxBytes) {
      this.isFull = true
      return
    }
    this.cost += cost
    if (this.length > keptBytes || whole.length > maxLineLength) this.cut.push(this.line)
    // The bytes that were kept of a longer line may end inside a character.
    if (this.length <= keptBytes && !isUtf8(bytes)) this.hasInvalid = true
    this.lines.push(text)
  }

  /** What of the line was read is shown, and nothing after it. */
  private giveUp(): void {
    this.endLine()
    this.isFull = true
  }
}

const lineFeed = 0x0a

/** Without what ends the line, and without a byte order mark. */
const shown = (bytes: Buffer, isFirst: boolean): string => {
  const text = bytes.toString("utf8").replace(/\r$/, "")
  return isFirst ? text.replace(/^\uFEFF/, "") : text
}

/** Never half a character. */
const headOf = (text: string): string => {
  if (text.length <= maxLineLength) return text
  const head = text.slice(0, maxLineLength)
  return head.isWellFormed() ? head : head.slice(0, -1)
}
