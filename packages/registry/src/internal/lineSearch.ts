/** Looks for a pattern in the lines of an output that comes in pieces. Runs in a worker: a search may take seconds. */
import type * as OutputStore from "@haft/core/OutputStore"
import { RE2JS } from "re2js"
import { countLineFeeds } from "./outputLines.ts"

const lineFeed = 10
const carriageReturn = 13

/** A longer line is searched in windows of this size, so that an output without line feeds needs no more memory. */
const windowBytes = 64 * 1024

/** How much two windows share: a match of up to this length is found wherever it lies. */
const overlapBytes = 4 * 1024

/** What a window knows of the line before it, so that `^` and `\b` mean what they say. More than any character has. */
const contextBytes = 8

/** Of the line that is shown: a match and enough around it, in a list of many. */
const shownBytes = 400
const shownBefore = 120

/** Throws what `RE2JS` throws on a pattern that it does not know. */
export const compile = ({ ignoreCase, pattern }: OutputStore.Query): RE2JS =>
  RE2JS.compile(pattern, ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0)

/** A piece of one line. */
interface Window {
  readonly bytes: Uint8Array
  /** Where it begins in the output. */
  readonly start: number
  /** The index that a match begins at, or later. What begins before it belongs to another window, or to nobody. */
  readonly least: number
  readonly isLineStart: boolean
  readonly isLineEnd: boolean
}

export class LineSearch {
  private readonly pattern: RE2JS
  private readonly from: number
  private line = 1
  /** What is left of the last piece: the beginning of a window. */
  private rest: Uint8Array = new Uint8Array()
  /** Where `rest` begins in the output. */
  private start = 0
  private isLineStart = true

  constructor(pattern: RE2JS, from: number) {
    this.pattern = pattern
    this.from = from
  }

  /** Everything before this byte has been searched for good. */
  get searched(): number {
    return this.start
  }

  /** What the next piece of the output brings to light. */
  push(piece: Uint8Array): ReadonlyArray<OutputStore.Match> {
    const skipped = this.skip(piece)
    const bytes = joined(this.rest, skipped === 0 ? piece : piece.subarray(skipped))
    const matches: Array<OutputStore.Match> = []
    let at = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, at)) {
      at = this.windows(bytes, at, end, matches)
      this.look(bytes.subarray(at, end), true, matches)
      this.advance(end + 1 - at, true)
      at = end + 1
    }
    at = this.windows(bytes, at, bytes.length, matches)
    this.rest = new Uint8Array(bytes.subarray(at))
    return matches
  }

  /** The last line, which ends without a line feed. */
  end(): ReadonlyArray<OutputStore.Match> {
    const matches: Array<OutputStore.Match> = []
    if (this.rest.length > 0) this.look(this.rest, true, matches)
    return matches
  }

  /** How much of a piece lies before the byte to begin at and its context. It only counts as lines. */
  private skip(piece: Uint8Array): number {
    const skipped = Math.min(piece.length, this.from - contextBytes - this.start - this.rest.length)
    if (skipped <= 0) return 0
    this.line += countLineFeeds(piece.subarray(0, skipped))
    this.start += skipped
    this.isLineStart = piece[skipped - 1] === lineFeed
    return skipped
  }

  /** Whole windows of a line that goes on at least to `end`. Gives where the rest of it begins. */
  private windows(bytes: Uint8Array, from: number, end: number, matches: Array<OutputStore.Match>): number {
    let at = from
    while (end - at > windowBytes) {
      this.look(bytes.subarray(at, at + windowBytes), false, matches)
      const step = windowBytes - overlapBytes - contextBytes
      this.advance(step, false)
      at += step
    }
    return at
  }

  private advance(count: number, isLineStart: boolean): void {
    this.start += count
    this.isLineStart = isLineStart
    if (isLineStart) this.line++
  }

  private look(bytes: Uint8Array, isLineEnd: boolean, matches: Array<OutputStore.Match>): void {
    const { isLineStart, line, start } = this
    const least = Math.max(isLineStart ? 0 : contextBytes, this.from - start)
    const window = { bytes: isLineEnd ? withoutReturn(bytes) : bytes, start, least, isLineStart, isLineEnd }
    const match = this.pattern.test(window.bytes) ? firstMatch(this.pattern, window) : undefined
    if (match !== undefined) matches.push({ line, ...match })
  }
}

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  left.length === 0 ? right : Buffer.concat([left, right])

const withoutReturn = (line: Uint8Array): Uint8Array =>
  line[line.length - 1] === carriageReturn ? line.subarray(0, -1) : line

/** What begins in the overlap belongs to the next window. */
const firstMatch = (pattern: RE2JS, window: Window): Omit<OutputStore.Match, "line"> | undefined => {
  const matcher = pattern.matcher(window.bytes)
  if (window.least > window.bytes.length || !matcher.find(window.least)) return undefined
  const index = matcher.start()
  if (!window.isLineEnd && index >= window.bytes.length - overlapBytes) return undefined
  return { offset: window.start + index, ...shown(window, index) }
}

const shown = ({ bytes, isLineEnd, isLineStart }: Window, index: number) => {
  const wholeFits = bytes.length <= shownBytes
  const from = wholeFits ? 0 : characterAt(bytes, Math.max(0, Math.min(index - shownBefore, bytes.length - shownBytes)))
  const to = wholeFits ? bytes.length : characterAt(bytes, Math.min(bytes.length, from + shownBytes))
  return {
    text: Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8"),
    cutBefore: from > 0 || !isLineStart,
    cutAfter: to < bytes.length || !isLineEnd
  }
}

/** The index itself, or that of the character whose middle it points to. */
const characterAt = (bytes: Uint8Array, index: number): number => {
  let start = index
  while (start > 0 && index - start < 3 && isContinuation(bytes[start])) start--
  return isContinuation(bytes[start]) ? index : start
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
