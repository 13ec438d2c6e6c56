/** Every sentence about writing and editing that a model reads. */
import type { Rule } from "./matching.ts"
import type { Nearest } from "./nearestLines.ts"
import { count, linesText, shownPath } from "./sentences.ts"

export const writeDescription = [
  "Create a file or replace all of its content. Missing directories are created.",
  "To change a part of a file, use edit instead."
].join(" ")

export const editDescription = [
  "Replace text in one file. Each edit names the old text, which has to be in the file exactly once, and the new text.",
  "Edits are made one after the other, all or none. Copy the old text from the file without line numbers,",
  "with enough lines around it to be unique; replaceAll replaces every occurrence.",
  "Line ends are those of the file."
].join(" ")

export const writeFields = { content: "The whole content of the file, exactly as it is to be written." }

export const editFields = {
  edits: "The replacements, made in this order. If one cannot be made, none is.",
  old: "The text to replace, copied from the file without line numbers.",
  new: "The text to put in its place. Empty to remove the old text.",
  replaceAll: "Whether to replace every occurrence instead of the only one."
}

export const written = ({ action, bytes, lines, path }: Written): string =>
  `${action === "created" ? "Created" : "Replaced"} ${shownPath(path)}: ${count(lines, "line")}, ${count(bytes, "byte")}.`

interface Written {
  readonly path: string
  readonly action: "created" | "replaced"
  readonly bytes: number
  readonly lines: number
}

export const notUtf8 = (path: string, offset: number): string =>
  `${shownPath(path)} is not UTF-8 (byte ${offset} is not), so it was not changed.`

export const notUtf8Hint = "Convert it to UTF-8 with a command first, or change it with a command."

export const nothingToDo = (edit: number): string => `The old and the new text of edit ${edit} are the same.`

export const nothingToDoHint = "Leave this edit out, or give the new text."

export const missing = (edit: number, path: string): string =>
  `The old text of edit ${edit} is not in ${shownPath(path)}. Nothing was changed.`

export const missingHint = (nearest: Nearest | undefined): string =>
  nearest === undefined
    ? "Read the file and copy the old text from it."
    : [
        `The most similar place begins at line ${nearest.line}:`,
        ...nearest.lines.map((line, index) => `${nearest.line + index}\t${line.slice(0, maxShownLine).toWellFormed()}`),
        "Copy the old text from the file, without line numbers."
      ].join("\n")

/** Enough of a line to recognise it. */
export const maxShownLine = 200

export const ambiguous = (edit: number, path: string, lines: ReadonlyArray<number>): string =>
  `The old text of edit ${edit} is in ${shownPath(path)} ${lines.length} times, at ${linesText(lines)}. Nothing was changed.`

export const ambiguousHint = "Add lines around the old text until it is unique, or set replaceAll."

export const resultTooLarge = (path: string): string =>
  `${shownPath(path)} would become too large. Nothing was changed.`

export const rules: Readonly<Record<Rule, string>> = {
  exact: "exact match",
  "trailing-whitespace": "matched apart from spaces at the ends of lines",
  quotes: "matched apart from typographic quotes, dashes or spaces",
  indentation: "matched apart from the indentation, which was adapted"
}

export const edited = ({ edits, path }: Edited): string => {
  const said = edits.map((edit, index) => `- edit ${index + 1}: ${replacementsOf(edit)}, ${rules[edit.matched]}`)
  return [`Edited ${shownPath(path)}.`, ...said].join("\n")
}

interface Edited {
  readonly path: string
  readonly edits: ReadonlyArray<Replacements>
}

interface Replacements {
  readonly matched: Rule
  readonly lines: ReadonlyArray<number>
  readonly replacements: number
}

const replacementsOf = ({ lines, replacements }: Replacements): string =>
  replacements === 1 ? linesText(lines) : `${replacements} replacements from line ${lines[0]} on`
