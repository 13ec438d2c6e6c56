/** Finds a text in another: exactly if possible, and otherwise by one of three rules that each say what they overlook. */

/**
 * - `exact`: character for character.
 * - `trailing-whitespace`: whole lines, spaces and tabs at their ends overlooked.
 * - `quotes`: typographic quotes, dashes and fixed spaces taken for the plain ones.
 * - `indentation`: whole lines, all of them indented by the same text more or less than in the file, and both rules above.
 */
export type Rule = "exact" | "trailing-whitespace" | "quotes" | "indentation"

/** Where the text stands, and what to put there in place of `replacement`. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Nothing is found where `matches` is empty, whatever the rule. */
export interface Found {
  readonly rule: Rule
  readonly matches: ReadonlyArray<Match>
}

/** Looking at every line of more than this would hold up everything else. A larger file takes exact text only. */
export const maxTolerantLength = 4 * 1024 * 1024

/** More are not told apart: the text is not specific then. */
export const maxMatches = 1_000

/** Overlapping matches count, except where all are to be replaced. Only the first rule that finds something counts. */
export const find = (text: string, wanted: string, replacement: string, overlaps: boolean): Found => {
  const rules: ReadonlyArray<readonly [Rule, () => ReadonlyArray<Match>]> = [
    ["exact", () => occurrences(text, wanted, replacement, overlaps)],
    ["trailing-whitespace", () => windows(text, wanted, replacement, trimmedEnd, keepIndentation)],
    ["quotes", () => occurrences(plain(text), plain(wanted), replacement, overlaps)],
    ["indentation", () => windows(text, wanted, replacement, trimmed, shiftIndentation)]
  ]
  const tried = text.length > maxTolerantLength ? rules.slice(0, 1) : rules
  for (const [rule, search] of tried) {
    const matches = search()
    if (matches.length > 0) return { rule, matches }
  }
  return { rule: "exact", matches: [] }
}

const occurrences = (text: string, wanted: string, replacement: string, overlaps: boolean): ReadonlyArray<Match> => {
  const matches: Array<Match> = []
  const step = overlaps ? 1 : wanted.length
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + step)) {
    matches.push({ start, end: start + wanted.length, replacement })
    if (overlaps && matches.length === maxMatches) break
  }
  return matches
}

/** One character for one, so that places in the plain text are places in the text. */
const plainForms: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " "]
]

export const plain = (text: string): string =>
  plainForms.reduce((result, [typographic, simple]) => result.replaceAll(typographic, simple), text)

/** A pattern with an end would try from every space of a long line. */
export const trimmedEnd = (line: string): string => {
  let end = line.length
  while (end > 0 && " \t\r".includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}

const trimmed = (line: string): string => plain(trimmedEnd(line)).replace(/^[ \t]+/, "")

interface Line {
  readonly start: number
  /** Before what ends the line. */
  readonly end: number
  readonly text: string
}

/** With what ends them left out, and without an empty one after the last end. */
export const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf("\n", start)
    const end = feed === -1 ? text.length : feed
    lines.push({ start, end, text: text.slice(start, end) })
    start = end + 1
  }
  return lines
}

/** Gives the replacement for lines that are alike, or nothing if they are not alike enough. */
type Adapt = (found: ReadonlyArray<string>, wanted: ReadonlyArray<string>, replacement: string) => string | undefined

const keepIndentation: Adapt = (_, __, replacement) => replacement

/** All whole lines in which each line, seen by `view`, is the one that is wanted. */
const windows = (
  text: string,
  wanted: string,
  replacement: string,
  view: (line: string) => string,
  adapt: Adapt
): ReadonlyArray<Match> => {
  const wantedLines = linesOf(wanted).map((line) => line.text)
  const keys = wantedLines.map(view)
  if (keys.every((key) => key === "")) return []
  const lines = linesOf(text)
  const views = lines.map((line) => view(line.text))
  const matches: Array<Match> = []
  for (let index = 0; index + keys.length <= lines.length && matches.length < maxMatches; index++) {
    if (!keys.every((key, offset) => views[index + offset] === key)) continue
    const window = lines.slice(index, index + keys.length)
    const adapted = adapt(
      window.map((line) => line.text),
      wantedLines,
      replacement
    )
    if (adapted !== undefined) matches.push(placed(text, window, wanted.endsWith("\n"), adapted))
  }
  return matches
}

/** The end of the last line is part of it only if it was part of what is wanted. */
const placed = (text: string, window: ReadonlyArray<Line>, withEnd: boolean, replacement: string): Match => {
  const [first, last] = [window[0], window.at(-1)]
  const end = last?.end ?? 0
  if (withEnd) return { start: first?.start ?? 0, end: Math.min(text.length, end + 1), replacement }
  return { start: first?.start ?? 0, end: text[end - 1] === "\r" ? end - 1 : end, replacement }
}

const indentationOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** The file's lines may all be deeper by one text, or all shallower by one; anything else would be a guess. */
const shiftIndentation: Adapt = (found, wanted, replacement) => {
  const pairs = wanted
    .map((line, index) => ({ line, file: found[index] ?? "" }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ file, line }) => ({ file: indentationOf(file), call: indentationOf(line) }))
  const [first] = pairs
  if (first === undefined) return undefined
  const deeper = first.file.slice(0, first.file.length - first.call.length)
  if (pairs.every(({ call, file }) => file === deeper + call)) return indented(replacement, deeper)
  const shallower = first.call.slice(0, first.call.length - first.file.length)
  return pairs.every(({ call, file }) => call === shallower + file) ? outdented(replacement, shallower) : undefined
}

const indented = (text: string, by: string): string => text.replaceAll(/^(?=[^\r\n])/gm, () => by)

const outdented = (text: string, by: string): string =>
  text
    .split("\n")
    .map((line) => (line.startsWith(by) ? line.slice(by.length) : line))
    .join("\n")
