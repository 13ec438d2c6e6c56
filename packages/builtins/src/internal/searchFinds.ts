/** What a search has found so far, within what a model reads of one call. */
import type { Line } from "./searchRecords.ts"
import { shownLine } from "./searchLine.ts"
import { pathCost } from "./sentences.ts"
import { maxBytes, maxLines } from "./textPage.ts"

/** A line feed, a comma, and the keys around the lines of a file. */
const rowOverhead = 24

/** Why there may be more than was found. */
export type End = "complete" | "limit" | "size" | "deadline"

/** A line as it is shown. */
export interface FoundLine {
  readonly line: number
  readonly text: string
  /** It only stands beside one that matches. */
  readonly isContext?: true
  /** Only a part of it is shown. */
  readonly isCut?: true
}

/** The lines of one file. */
export interface FoundFile {
  readonly path: string
  readonly lines: ReadonlyArray<FoundLine>
}

/** What both searches keep. */
export abstract class Finds {
  end: End = "complete"
  /** Something could not be read. */
  isPartial = false
  /** What the engine found, and what is no longer so. */
  dropped = 0
  /** Files whose names no call can give. */
  unnameable = 0
  count = 0
  private bytes = 0
  private rows = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  /** Whether there is room for one more result, which is then counted. */
  protected takeResult(): boolean {
    if (this.count < this.limit) this.count++
    else this.end = "limit"
    return this.end === "complete"
  }

  /** Whether a row fits that costs so many bytes, as text and in the structured value. */
  protected takeRow(cost: number): boolean {
    this.bytes += cost + rowOverhead
    this.rows++
    if (this.bytes > maxBytes || this.rows > maxLines) this.end = "size"
    return this.end === "complete"
  }
}

/** Paths of files. */
export class FoundPaths extends Finds {
  private readonly found: Array<string> = []

  add(path: string): void {
    if (this.takeResult() && this.takeRow(pathCost(path))) this.found.push(path)
  }

  get paths(): ReadonlyArray<string> {
    return this.found.toSorted()
  }
}

/** Lines of files. */
export class FoundLines extends Finds {
  private readonly found: Array<FoundFile> = []

  add(path: string, lines: ReadonlyArray<Line>): void {
    if (lines.length === 0 || !this.takeRow(pathCost(path))) return
    const shown: Array<FoundLine> = []
    for (const line of lines) {
      const row = rowOf(line)
      if (!this.takeRow(2 * Buffer.byteLength(JSON.stringify(row))) || (line.isMatch && !this.takeResult())) break
      shown.push(row)
    }
    if (shown.some(({ isContext }) => isContext !== true)) this.found.push({ path, lines: shown })
  }

  get files(): ReadonlyArray<FoundFile> {
    return this.found.toSorted((left, right) => (left.path < right.path ? -1 : 1))
  }
}

const rowOf = ({ bytes, isMatch, isWhole, line, start }: Line): FoundLine => {
  const { isCut, text } = shownLine(bytes, start, isWhole)
  return { line, text, ...(isMatch ? {} : { isContext: true as const }), ...(isCut ? { isCut: true as const } : {}) }
}
