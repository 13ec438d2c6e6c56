/** Looks for a pattern in the lines of an output that comes in pieces. Runs in a worker: a search may take seconds. */
import type * as OutputStore from "@haft/core/OutputStore"
import { countLineFeeds } from "./lineFeeds.ts"
import { findFrom, type SearchPattern } from "./searchPattern.ts"
import { characterAfter, characterAt, shown, type Window } from "./shownMatch.ts"

const lineFeed = 10
const carriageReturn = 13

/** A longer line is searched in windows of this size, so that an output without line feeds needs no more memory. */
const windowBytes = 64 * 1024

/** How much two windows share: a match of up to this length is found wherever it lies, and with its true end. */
const overlapBytes = 4 * 1024

/** What a window knows of the line before it, so that `^` and `\b` mean what they say. More than any character has. */
const contextBytes = 8

type Matches<A = void> = Generator<OutputStore.Match, A>

/** The matches of a piece must all be taken before the next piece is given. */
export class LineSearch {
  private readonly pattern: SearchPattern
  private readonly from: number
  private line = 1
  private lineStart = 0
  /** What is left of the last piece: the beginning of a window. */
  private rest: Uint8Array = new Uint8Array()
  /** Where `rest` begins in the output. */
  private start = 0
  /** Where a match may begin: what begins before was found, or belongs to nobody. */
  private next: number

  constructor(pattern: SearchPattern, from: number) {
    this.pattern = pattern
    this.from = from
    this.next = from
  }

  /** Everything before this byte has been searched for good. */
  get searched(): number {
    return this.next
  }

  /** What the next piece of the output brings to light. */
  *push(piece: Uint8Array): Matches {
    const skipped = this.skip(piece)
    const bytes = joined(this.rest, skipped === 0 ? piece : piece.subarray(skipped))
    let at = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, at)) {
      at = yield* this.windows(bytes, at, end)
      yield* this.endOfLine(bytes.subarray(at, end))
      at = end + 1
    }
    at = yield* this.windows(bytes, at, bytes.length)
    this.rest = new Uint8Array(bytes.subarray(at))
  }

  /** The last line, which ends without a line feed. */
  *end(): Matches {
    if (this.rest.length > 0) yield* this.endOfLine(this.rest)
  }

  /** How much of a piece lies before the byte to begin at and its context. It only counts as lines. */
  private skip(piece: Uint8Array): number {
    const skipped = Math.min(piece.length, this.from - contextBytes - this.start - this.rest.length)
    if (skipped <= 0) return 0
    const bytes = piece.subarray(0, skipped)
    this.line += countLineFeeds(bytes)
    const last = bytes.lastIndexOf(lineFeed)
    if (last !== -1) this.lineStart = this.start + last + 1
    this.start += skipped
    return skipped
  }

  /** Whole windows of a line that goes on at least to `end`. Gives where the rest of it begins. */
  private *windows(bytes: Uint8Array, from: number, end: number): Matches<number> {
    let at = from
    while (end - at > windowBytes) {
      const window = bytes.subarray(at, characterAt(bytes, at + windowBytes))
      const shared = characterAt(window, window.length - overlapBytes)
      yield* this.every(this.windowOf(window, false), shared)
      this.next = Math.max(this.next, this.start + shared)
      const step = characterAt(window, shared - contextBytes)
      this.start += step
      at += step
    }
    return at
  }

  /** A line counts as one match, and a very long one, which nobody reads as one, as many as there are. */
  private *endOfLine(bytes: Uint8Array): Matches {
    const end = this.start + bytes.length
    const window = this.windowOf(withoutReturn(bytes), true)
    if (end - this.lineStart > windowBytes) yield* this.every(window, Number.POSITIVE_INFINITY)
    else yield* this.first(window, end + 1)
    this.line++
    this.start = end + 1
    this.lineStart = this.start
    this.next = Math.max(this.next, this.start)
  }

  private windowOf(bytes: Uint8Array, isLineEnd: boolean): Window {
    return { bytes, start: this.start, isLineStart: this.start === this.lineStart, isLineEnd }
  }

  private *first(window: Window, nextLine: number): Matches {
    const found = this.mayMatch(window) ? this.find(window) : undefined
    if (found === undefined) return
    this.next = nextLine
    yield this.matchAt(window, found.index)
  }

  /** What begins at `before` or later belongs to the next window. */
  private *every(window: Window, before: number): Matches {
    if (!this.mayMatch(window)) return
    for (let found = this.find(window); found !== undefined; found = this.find(window)) {
      const { end, index } = found
      if (index >= before) return
      this.next = window.start + (end > index ? end : characterAfter(window.bytes, index))
      yield this.matchAt(window, index)
    }
  }

  /** Most lines match nowhere, which is known sooner than where a match is. */
  private mayMatch({ bytes }: Window): boolean {
    return this.pattern.atEnd.test(bytes)
  }

  private find({ bytes, isLineEnd, start }: Window) {
    return findFrom(this.pattern, bytes, isLineEnd, Math.max(0, this.next - start))
  }

  private matchAt(window: Window, index: number): OutputStore.Match {
    return { line: this.line, offset: window.start + index, ...shown(window, index) }
  }
}

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  left.length === 0 ? right : Buffer.concat([left, right])

const withoutReturn = (line: Uint8Array): Uint8Array =>
  line[line.length - 1] === carriageReturn ? line.subarray(0, -1) : line
