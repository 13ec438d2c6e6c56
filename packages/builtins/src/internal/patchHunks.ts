/** Applies the hunks of a patch to a text. Lines that are not touched keep their bytes, and so do their ends. */
import * as Result from "effect/Result"
import { plain, type Rule, trimmedEnd } from "./matching.ts"
import { type Nearest, nearestLines } from "./nearestLines.ts"
import type { Hunk } from "./patchSyntax.ts"
import type { TextFile } from "./textFile.ts"

/** Why a hunk does not fit, and which one. */
export interface HunkMisfit {
  readonly hunk: Hunk
  readonly fault:
    | { readonly _tag: "NoHeading" }
    | { readonly _tag: "Missing"; readonly nearest: Nearest | undefined }
    | { readonly _tag: "Ambiguous"; readonly lines: ReadonlyArray<number> }
}

export interface Patched {
  readonly file: TextFile
  /** How the hunks were recognised, each rule once. */
  readonly rules: ReadonlyArray<Rule>
}

interface Line {
  readonly text: string
  readonly end: string
}

export const applyHunks = (file: TextFile, hunks: ReadonlyArray<Hunk>): Result.Result<Patched, HunkMisfit> => {
  const source = split(file.text)
  const result: Array<Line> = []
  const rules = new Set<Rule>()
  let cursor = 0
  for (const hunk of hunks) {
    const place = findHunk(source, cursor, hunk)
    if (Result.isFailure(place)) return Result.fail({ hunk, fault: place.failure })
    result.push(...source.slice(cursor, place.success.start))
    cursor = write(result, source, place.success.start, hunk, file)
    rules.add(place.success.rule)
  }
  result.push(...source.slice(cursor))
  return Result.succeed({ file: { ...file, text: joined(result, source, file) }, rules: [...rules] })
}

const split = (text: string): ReadonlyArray<Line> =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? ""
    return { text: line.slice(0, line.length - end.length), end }
  })

interface Found {
  readonly start: number
  readonly rule: Rule
}

const findHunk = (
  source: ReadonlyArray<Line>,
  cursor: number,
  hunk: Hunk
): Result.Result<Found, HunkMisfit["fault"]> => {
  const from = hunk.heading === undefined ? cursor : findHeading(source, cursor, hunk.heading)
  if (from === undefined) return Result.fail({ _tag: "NoHeading" })
  const old = hunk.lines.filter(({ kind }) => kind !== "add").map(({ text }) => text)
  if (old.length === 0) {
    return Result.succeed({ start: hunk.heading === undefined ? source.length : from + 1, rule: "exact" })
  }
  for (const [rule, view] of views) {
    const starts = startsOf(source, from, old, view, hunk.isAtEnd)
    const [start] = starts
    if (start === undefined) continue
    // A heading says which one is meant: the first after it.
    if (starts.length === 1 || hunk.heading !== undefined) return Result.succeed({ start, rule })
    return Result.fail({ _tag: "Ambiguous", lines: starts.map((index) => index + 1) })
  }
  return Result.fail({ _tag: "Missing", nearest: nearestIn(source, old) })
}

const views: ReadonlyArray<readonly [Rule, (line: string) => string]> = [
  ["exact", (line) => line],
  ["trailing-whitespace", trimmedEnd],
  ["quotes", (line) => plain(trimmedEnd(line))]
]

const findHeading = (source: ReadonlyArray<Line>, cursor: number, heading: string): number | undefined => {
  const index = source.findIndex(({ text }, index) => index >= cursor && text.trim() === heading)
  return index === -1 ? undefined : index
}

const startsOf = (
  source: ReadonlyArray<Line>,
  from: number,
  old: ReadonlyArray<string>,
  view: (line: string) => string,
  isAtEnd: boolean
): ReadonlyArray<number> => {
  const wanted = old.map(view)
  const last = source.length - old.length
  const starts: Array<number> = []
  for (let start = isAtEnd ? Math.max(from, last) : from; start <= last; start++) {
    if (wanted.every((text, offset) => view(source[start + offset]?.text ?? "") === text)) starts.push(start)
  }
  return starts
}

const nearestIn = (source: ReadonlyArray<Line>, old: ReadonlyArray<string>): Nearest | undefined =>
  nearestLines(source.map(({ text }) => text).join("\n"), old.join("\n"))

/** Kept lines are the file's own, even where the patch writes them a little differently. Gives where the file goes on. */
const write = (
  result: Array<Line>,
  source: ReadonlyArray<Line>,
  start: number,
  { lines }: Hunk,
  { lineEnds }: TextFile
): number => {
  let index = start
  for (const { kind, text } of lines) {
    const line = source[index]
    if (kind === "add") result.push({ text, end: endFor(lineEnds, source, index) })
    else if (kind === "keep" && line !== undefined) result.push(line)
    if (kind !== "add") index++
  }
  return index
}

/** A mixed file has no style, so a new line ends like the one before it. */
const endFor = (lineEnds: TextFile["lineEnds"], source: ReadonlyArray<Line>, index: number): string => {
  if (lineEnds !== "mixed") return lineEnds === "crlf" ? "\r\n" : "\n"
  return source[Math.max(0, index - 1)]?.end || "\n"
}

/** The last line ends as the last line did before; all others have an end. */
const joined = (lines: ReadonlyArray<Line>, source: ReadonlyArray<Line>, { lineEnds }: TextFile): string => {
  const style = lineEnds === "crlf" ? "\r\n" : "\n"
  const hasEnd = source.at(-1)?.end !== ""
  return lines
    .map(({ end, text }, index) => text + (index === lines.length - 1 && !hasEnd ? "" : end || style))
    .join("")
}
