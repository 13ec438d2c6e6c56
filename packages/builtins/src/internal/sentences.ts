/** Every sentence of this package that a model reads. */
import type * as Errors from "./fileErrors.ts"
import type { Rule } from "./matching.ts"
import type { Nearest } from "./nearestLines.ts"
import { type Fault, maxFiles } from "./patchSyntax.ts"

export const readDescription = [
  "Read a file or list a directory. A text file comes in pages, each line after its number and a tab;",
  "the end of a page says how to read on. Images and PDF documents are shown as they are.",
  "The entries of a directory are paths to use in the next call."
].join(" ")

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

export const pathField =
  "The file, relative to the project's directory or absolute. It is used exactly as it is written."

export const readFields = {
  path: "The file or directory, relative to the project's directory or absolute. It is used exactly as it is written.",
  offset: "The first line to show, or the first entry of a directory, counted from 1.",
  limit: "How many lines or entries to show at most. A page has its own limit, which is lower than a huge number."
}

export const writeFields = { content: "The whole content of the file, exactly as it is to be written." }

export const editFields = {
  edits: "The replacements, made in this order. If one cannot be made, none is.",
  old: "The text to replace, copied from the file without line numbers.",
  new: "The text to put in its place. Empty to remove the old text.",
  replaceAll: "Whether to replace every occurrence instead of the only one."
}

export const wellFormed = "text without half characters (lone surrogates)"

/** A path may hold anything but a zero byte. One with characters that cannot be seen is shown as ASCII in JSON. */
export const shownPath = (path: string): string =>
  unseen.test(path) ? JSON.stringify(path).replaceAll(/[^ -~]/g, escaped) : path

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]/u

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const invalidPaths: Readonly<Record<Errors.InvalidPathError["reason"], string>> = {
  Empty: "The path is empty.",
  Nul: "The path contains a zero character.",
  IllFormed: "The path contains half a character (a lone surrogate).",
  TooLong: "The path is longer than 4096 bytes.",
  ComponentTooLong: "A name in the path is longer than 255 bytes.",
  TooManyComponents: "The path has more than 64 names."
}

export const invalidPath = (reason: Errors.InvalidPathError["reason"]): string => invalidPaths[reason]

export const invalidPathHint = 'Give a path such as "src/index.ts".'

export const outside = ({ by, path }: Pick<Errors.OutsideError, "by" | "path">): string =>
  by === "Parent"
    ? `${shownPath(path)} leads out of the directory that this tool may use.`
    : `${shownPath(path)} leads through a symbolic link that this tool does not follow.`

export const outsideHint: Readonly<Record<Errors.OutsideError["by"], string>> = {
  Parent: "Use a path inside the project, or an absolute path to ask for a directory outside of it.",
  Link: "Use the path of the file itself, not of a link to it."
}

export const loop = (path: string): string => `${shownPath(path)} leads through links that go round in a circle.`

export const loopHint = "Use the path of the file itself, not of a link to it."

export const protectedPlace = (path: string): string => `${shownPath(path)} is kept by the host and not open to tools.`

export const protectedHint = "Do without this file; no permission can open it."

export const notFound = ({ isNameUnreadable, path }: Pick<Errors.NotFoundError, "isNameUnreadable" | "path">): string =>
  isNameUnreadable
    ? `The name of ${shownPath(path)} is not UTF-8, so no call can name it.`
    : `There is no ${shownPath(path)}.`

export const notFoundHint = (nearest: ReadonlyArray<string>): string =>
  nearest.length === 0
    ? "Read the directory above it to see what is there."
    : `Did you mean ${listed(nearest.map(shownPath), "or")}?`

export const unreadableNameHint = "Ask the user to rename it."

const kinds: Readonly<Record<Errors.Kind, string>> = {
  File: "a file",
  Directory: "a directory",
  Pipe: "a named pipe",
  Socket: "a socket",
  Device: "a device",
  KernelFile: "an interface of the operating system, not a file with content",
  HardLink: "a file with a second name somewhere else, which this host does not open",
  Unknown: "neither a file nor a directory"
}

export const wrongKind = ({
  expected,
  found,
  path
}: Pick<Errors.WrongKindError, "expected" | "found" | "path">): string =>
  expected === "Directory" && found === "File"
    ? `A part of ${shownPath(path)} is a file, so nothing can be below it.`
    : `${shownPath(path)} is ${kinds[found]}.`

export const wrongKindHint: Readonly<Record<Errors.WrongKindError["expected"], string>> = {
  File: "Give the path of a regular file.",
  Directory: "Give a path whose parts are directories.",
  FileOrDirectory: "Give the path of a regular file or a directory.",
  Nothing: "Choose a path at which nothing is yet, or update the file that is there."
}

export const noAccess = ({ path, reason }: Pick<Errors.AccessError, "path" | "reason">): string =>
  reason === "ReadOnly"
    ? `${shownPath(path)} is on a file system that cannot be written.`
    : `The operating system does not allow this for ${shownPath(path)}.`

export const noAccessHint = "Ask the user to change the permissions of the file, or use another file."

export const changed = (path: string): string =>
  `${shownPath(path)} changed since it was looked at, so nothing was done.`

export const changedHint = "Read it again and repeat the call if it is still right."

export const tooLarge = ({ bytes, limit, path }: Pick<Errors.TooLargeError, "bytes" | "limit" | "path">): string =>
  `${shownPath(path)} has ${bytes} bytes; this tool changes files of up to ${limit} bytes.`

export const tooLargeHint = "Change it with a command, or split it."

export const systemError = ({ code, path }: Pick<Errors.SystemError, "code" | "path">): string =>
  code === "ENOSPC" || code === "EDQUOT"
    ? `There is no space left for ${shownPath(path)}. The file is as it was.`
    : `The operating system failed with ${code} at ${shownPath(path)}. The file is as it was.`

export const uncertain = ({ code, path }: Pick<Errors.UncertainError, "code" | "path">): string =>
  `The operating system failed with ${code} while ${shownPath(path)} was being changed: it may have changed or not.`

export const uncertainHint = "Read the file before you repeat anything."

export const systemErrorHint = "Tell the user; repeating the call helps only once this is mended."

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
const maxShownLine = 200

export const ambiguous = (edit: number, path: string, lines: ReadonlyArray<number>): string =>
  `The old text of edit ${edit} is in ${shownPath(path)} ${lines.length} times, at ${linesText(lines)}. Nothing was changed.`

export const ambiguousHint = "Add lines around the old text until it is unique, or set replaceAll."

export const resultTooLarge = (path: string): string =>
  `${shownPath(path)} would become too large. Nothing was changed.`

const rules: Readonly<Record<Rule, string>> = {
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

/** More numbers would not help to find the place. */
const maxListedLines = 10

const linesText = (lines: ReadonlyArray<number>): string => {
  const shown = lines.slice(0, maxListedLines).join(", ")
  const more = lines.length > maxListedLines ? ` and ${lines.length - maxListedLines} more` : ""
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${more}`
}

const listed = (items: ReadonlyArray<string>, word: string): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

export const patchExample = [
  "*** Begin Patch",
  "*** Update File: src/app.ts",
  "@@ function main() {",
  "-  run(1)",
  "+  run(2)",
  "*** End Patch"
].join("\n")

export const patchDescription = [
  "Add, update, delete and move files with one patch, all of it or nothing. The patch begins with *** Begin Patch and ends",
  "with *** End Patch. Between them each file has a header: *** Add File: path (then every line with + before it),",
  "*** Delete File: path, or *** Update File: path (then optionally *** Move to: path, then hunks).",
  "A hunk begins with @@, optionally followed by a line of the file that stands before the change; then lines that stay",
  "with a space before them, lines that go with -, lines that come with +. Old lines have to be unique in the file or after",
  "the heading."
].join(" ")

export const patchFields = { patch: "The patch, from *** Begin Patch to *** End Patch." }

const patchFaults: Readonly<Record<Fault["reason"], string>> = {
  NoBegin: "a patch begins with *** Begin Patch",
  NoEnd: "the patch does not end with *** End Patch",
  NoFiles: "the patch has no files",
  UnknownLine: "this line is neither a header nor part of a hunk (lines of a hunk begin with a space, - or +)",
  NoChange: "this file or hunk changes nothing",
  TooManyFiles: `a patch has ${maxFiles} files at most`
}

export const badPatch = ({ line, reason }: Fault): string =>
  `The patch cannot be read at its line ${line}: ${patchFaults[reason]}. Nothing was changed.`

export const badPatchHint = `This is how a patch looks:\n${patchExample}`

export const twice = (path: string): string => `The patch names ${shownPath(path)} twice. Nothing was changed.`

export const twiceHint = "Put all changes of a file under one header."

export const noHeading = (path: string, line: number, heading: string): string =>
  `The heading "${heading.slice(0, maxShownLine).toWellFormed()}" (line ${line} of the patch) is not in ${shownPath(path)}, or only before the hunk above. Nothing was changed.`

export const noHeadingHint = "After @@ write one line of the file as it stands there, or nothing."

export const hunkMissing = (path: string, line: number): string =>
  `The old lines of the hunk at line ${line} of the patch are not in ${shownPath(path)} after the hunk above. Nothing was changed.`

export const hunkAmbiguous = (path: string, line: number, lines: ReadonlyArray<number>): string =>
  `The old lines of the hunk at line ${line} of the patch are in ${shownPath(path)} ${lines.length} times, at ${linesText(lines)}. Nothing was changed.`

export const hunkAmbiguousHint = "Keep more lines around the change, or write a line that stands before it after @@."

/** One line for each file. */
export const patched = (files: ReadonlyArray<PatchedFile>): string =>
  [`Changed ${count(files.length, "file")}.`, ...files.map(patchedFile)].join("\n")

interface PatchedFile {
  readonly action: string
  readonly path: string
  readonly from?: string
  readonly matched: ReadonlyArray<Rule>
}

const patchedFile = ({ action, from, matched, path }: PatchedFile): string => {
  const overlooked = matched.filter((rule) => rule !== "exact").map((rule) => rules[rule])
  const what = from === undefined ? shownPath(path) : `${shownPath(from)} to ${shownPath(path)}`
  return [`- ${action} ${what}`, ...overlooked].join(", ")
}
