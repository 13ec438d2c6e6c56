/** Every sentence about reading that a model reads. */
import { count, linesText, shownPath } from "./sentences.ts"

export const readDescription = [
  "Read a file or list a directory. A text file comes in pages, each line after its number and a tab;",
  "the end of a page says how to read on. Images and PDF documents are shown as they are.",
  "The entries of a directory are paths to use in the next call."
].join(" ")

export const readFields = {
  path: "The file or directory, relative to the project's directory or absolute. It is used exactly as it is written.",
  offset: "The first line to show, or the first entry of a directory, counted from 1.",
  limit: "How many lines or entries to show at most. A page has its own limit, which is lower than a huge number."
}

export const isBinary = (path: string): string => `${shownPath(path)} is a binary file, which cannot be shown as text.`

export const isBinaryHint = "Use a command that understands its format."

export const isUtf16 = (path: string): string => `${shownPath(path)} is text in UTF-16, and this tool reads UTF-8.`

export const isUtf16Hint = "Convert it to UTF-8 with a command first."

export const mediaTooLarge = (path: string, type: string, bytes: number, limit: number): string =>
  `${shownPath(path)} is ${type} of ${bytes} bytes; up to ${limit} can be shown.`

export const mediaTooLargeHint = "Make a smaller version of it with a command, or extract the part you need."

export const mediaDamaged = (path: string, type: string): string =>
  `${shownPath(path)} begins like ${type}, but it is not complete.`

export const mediaDamagedHint = "Check with a command what is in it."

export const beyondLines = (path: string, total: number): string => `${shownPath(path)} has ${count(total, "line")}.`

export const beyondEntries = (path: string, total: number): string =>
  `${shownPath(path)} has ${count(total, "entry", "entries")}.`

export const beyondEndHint = (total: number): string => `Give an offset from 1 to ${Math.max(1, total)}.`

/** A page as `read` gives it. */
interface TextPage {
  readonly path: string
  readonly text: string
  readonly startLine: number
  readonly nextOffset?: number
  readonly totalLines?: number
  readonly cutLines: ReadonlyArray<number>
  readonly hasInvalidBytes: boolean
}

/** The numbered lines, and below them what is not shown. */
export const textPage = (page: TextPage): string => {
  const { cutLines, hasInvalidBytes, startLine, text, totalLines } = page
  const lines = totalLines === 0 ? [] : text.split("\n").map((line, index) => `${startLine + index}\t${line}`)
  return [...lines, ...cutNotes(cutLines), ...(hasInvalidBytes ? [invalidNote] : []), pageEnd(page)].join("\n")
}

const cutNotes = (cut: ReadonlyArray<number>): ReadonlyArray<string> =>
  cut.length === 0 ? [] : [`[Only the first 2000 characters are shown of ${linesText(cut)}.]`]

const invalidNote = "[Bytes that are not UTF-8 are shown as \uFFFD; edit refuses this file.]"

const pageEnd = ({ nextOffset, path, totalLines }: TextPage): string => {
  if (totalLines === 0) return `[${shownPath(path)} is empty.]`
  if (totalLines !== undefined) return `[End of ${shownPath(path)}, ${count(totalLines, "line")}.]`
  return `[${shownPath(path)} goes on. To read on, give offset ${nextOffset}.]`
}

/** One entry a line, directories with a slash. */
export const listing = ({ entries, entryCount, nextOffset, path }: Listing): string => {
  const names = entries.map((entry) => shownPath(entry.path) + (marks[entry.type] ?? ""))
  const end = nextOffset === undefined ? [] : [`[There are more. To read on, give offset ${nextOffset}.]`]
  return [`[${shownPath(path)}: ${count(entryCount, "entry", "entries")}]`, ...names, ...end].join("\n")
}

interface Listing {
  readonly path: string
  readonly entries: ReadonlyArray<{ readonly path: string; readonly type: string }>
  readonly entryCount: number
  readonly nextOffset?: number
}

const marks: Readonly<Record<string, string>> = {
  directory: "/",
  link: " (link)",
  other: " (neither file nor directory)"
}

export const shownMedia = (path: string, type: string, bytes: number): string =>
  `[${shownPath(path)}: ${type}, ${count(bytes, "byte")}]`
