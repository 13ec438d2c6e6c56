/** Reads the text of a patch. All of it has to be understood before any of it counts. */
import * as Result from "effect/Result"

/** Each file of a patch is held open until all are changed. */
export const maxFiles = 64

/** A line that stays, goes or comes. */
export interface HunkLine {
  readonly kind: "keep" | "remove" | "add"
  readonly text: string
}

export interface Hunk {
  /** In the patch, from 1. */
  readonly line: number
  /** A line of the file after which the hunk is looked for. */
  readonly heading: string | undefined
  readonly lines: ReadonlyArray<HunkLine>
  /** Whether the file ends with it. */
  readonly isAtEnd: boolean
}

/** What is to happen to one file. */
export type FilePatch =
  | { readonly _tag: "Add"; readonly path: string; readonly lines: ReadonlyArray<string> }
  | { readonly _tag: "Delete"; readonly path: string }
  | {
      readonly _tag: "Update"
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: ReadonlyArray<Hunk>
    }

export type Reason = "NoBegin" | "NoEnd" | "NoFiles" | "UnknownLine" | "NoChange" | "TooManyFiles"

/** Where the text stops making sense. */
export interface Fault {
  /** In the patch, from 1. */
  readonly line: number
  readonly reason: Reason
}

const begin = "*** Begin Patch"
const end = "*** End Patch"
const endOfFile = "*** End of File"
const heads = { add: "*** Add File: ", remove: "*** Delete File: ", update: "*** Update File: ", move: "*** Move to: " }

export const parse = (patch: string): Result.Result<ReadonlyArray<FilePatch>, Fault> => {
  const reader = new Reader(patch)
  try {
    return Result.succeed(reader.patch())
  } catch (cause) {
    if (cause instanceof Stop) return Result.fail(cause.fault)
    throw cause
  }
}

/** Ends the reading from wherever it is. */
class Stop extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.reason)
    this.fault = fault
  }
}

class Reader {
  private readonly lines: ReadonlyArray<string>
  private index = 0

  constructor(patch: string) {
    this.lines = patch.split(/\r?\n/)
  }

  patch(): ReadonlyArray<FilePatch> {
    this.skipEmpty()
    if (this.peek()?.trimEnd() !== begin) return this.stop("NoBegin")
    this.next()
    const files: Array<FilePatch> = []
    while (this.peek()?.trimEnd() !== end) {
      files.push(this.file())
      if (files.length > maxFiles) return this.stop("TooManyFiles")
    }
    if (files.length === 0) return this.stop("NoFiles")
    this.next()
    this.skipEmpty()
    return this.peek() === undefined ? files : this.stop("UnknownLine")
  }

  private file(): FilePatch {
    const line = this.peek()
    if (line === undefined) return this.stop("NoEnd")
    const added = this.after(heads.add)
    if (added !== undefined) return { _tag: "Add", path: added, lines: this.addedLines() }
    const removed = this.after(heads.remove)
    if (removed !== undefined) return { _tag: "Delete", path: removed }
    const updated = this.after(heads.update)
    return updated === undefined ? this.stop("UnknownLine") : this.update(updated)
  }

  private update(path: string): FilePatch {
    const start = this.index
    const moveTo = this.after(heads.move)
    const hunks: Array<Hunk> = []
    while (!this.isAtHeader()) hunks.push(this.hunk())
    if (hunks.length === 0 && moveTo === undefined) return this.stop("NoChange", start)
    return { _tag: "Update", path, moveTo, hunks }
  }

  /** The first one may do without its `@@`. */
  private hunk(): Hunk {
    const line = this.index + 1
    const heading = this.after("@@")?.trim()
    const lines: Array<HunkLine> = []
    while (!this.isAtHeader() && this.peek()?.startsWith("@@") !== true) lines.push(this.hunkLine())
    if (!lines.some(({ kind }) => kind !== "keep")) return this.stop("NoChange", line)
    const isAtEnd = this.peek()?.trimEnd() === endOfFile
    if (isAtEnd) this.next()
    return { line, heading: heading === "" ? undefined : heading, lines, isAtEnd }
  }

  /** An empty line is one that stays and lost its space on the way. */
  private hunkLine(): HunkLine {
    const line = this.next() ?? ""
    const kind = line === "" ? "keep" : kinds.get(line.charAt(0))
    return kind === undefined ? this.stop("UnknownLine", this.index) : { kind, text: line.slice(1) }
  }

  private addedLines(): ReadonlyArray<string> {
    const lines: Array<string> = []
    for (let line = this.after("+"); line !== undefined; line = this.after("+")) lines.push(line)
    return lines
  }

  /** The patch may also be cut off there. */
  private isAtHeader(): boolean {
    const line = this.peek()
    return line === undefined || line.startsWith("*** ")
  }

  /** The rest of the next line, if it begins like this. */
  private after(head: string): string | undefined {
    return this.peek()?.startsWith(head) === true ? this.next()?.slice(head.length) : undefined
  }

  private peek(): string | undefined {
    return this.lines[this.index]
  }

  private next(): string | undefined {
    return this.lines[this.index++]
  }

  private skipEmpty(): void {
    while (this.peek()?.trim() === "") this.index++
  }

  private stop(reason: Reason, line = Math.min(this.index + 1, this.lines.length)): never {
    throw new Stop({ line, reason })
  }
}

const kinds: ReadonlyMap<string, HunkLine["kind"]> = new Map([
  [" ", "keep"],
  ["-", "remove"],
  ["+", "add"]
])
