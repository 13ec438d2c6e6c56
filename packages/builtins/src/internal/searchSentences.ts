/** Every sentence about searching that a model reads. */
import type { Fault } from "./searchGlob.ts"
import type { End, FoundFile, FoundLine } from "./searchFinds.ts"
import { count, shownPath } from "./sentences.ts"

export const globDescription = [
  "Find files by name. Gives the paths of the files that fit a glob such as **/*.ts, sorted, to use in the next call.",
  "A glob without a slash fits names in every directory; one with a slash counts from the directory that is searched.",
  "Hidden files and files that .gitignore names are left out unless the glob names them or all is set."
].join(" ")

export const grepDescription = [
  "Search the contents of files with a regular expression, line by line. Gives the matching lines with their numbers,",
  "file by file, with paths to use in the next call. Hidden files, files that .gitignore names, binary files and files over",
  "20 MB are left out. Narrow a search down with path and include."
].join(" ")

export const globFields = {
  pattern:
    "The glob. * stands for any part of a name, ** for any directories, {a,b} for either, [ab] for one character.",
  path: "The directory to search, relative to the project's directory or absolute. Without it the whole project.",
  all: "Whether to find hidden files and files that .gitignore names, too.",
  limit: "How many files to list at most. Without it 100."
}

export const grepFields = {
  pattern: [
    "The regular expression, in the syntax of ripgrep: no look-around and no back-references.",
    "To find text as it is, put a backslash before each of .*+?()[]{}|^$\\."
  ].join(" "),
  path: "The directory or file to search, relative to the project's directory or absolute. Without it the whole project.",
  include: "A glob that the files have to fit, such as *.ts or src/**/*.{js,ts}.",
  ignoreCase: "Whether upper and lower case are the same.",
  context: "How many lines to show before and after each match.",
  all: "Whether to search hidden files and files that .gitignore names, too.",
  limit: "How many matching lines to show at most. Without it 100."
}

export const withoutNul = "text without zero characters or half characters (lone surrogates)"

export const upTo = (bytes: number): string => `at most ${bytes} bytes`

const globFaults: Readonly<Record<Fault, string>> = {
  Absolute: "A glob is relative to the directory that is searched, so it cannot begin with a slash.",
  Parent: "A glob cannot lead out of the directory that is searched with ..",
  Negated: "A glob says what to find, so it cannot begin with an exclamation mark."
}

const globFaultHints: Readonly<Record<Fault, string>> = {
  Absolute: "Give the directory as path, and a glob such as **/*.ts.",
  Parent: "Give the directory as path, and a glob such as **/*.ts.",
  Negated: "Give a glob for the files that you want, such as **/*.ts."
}

export const badGlob = (fault: Fault): string => globFaults[fault]
export const badGlobHint = (fault: Fault): string => globFaultHints[fault]

export const unusable = (what: "glob" | "pattern", reason: string): string => `The ${what} cannot be used: ${reason}`

export const unusableHint: Readonly<Record<"glob" | "pattern", string>> = {
  glob: "Correct the glob. Brackets and braces have to be closed, or need a backslash before them.",
  pattern: "Correct the regular expression. Characters that are meant as they are need a backslash before them."
}

export const engineFailed = "The search could not be run."

export const engineFailedHint = "Try once more. If it fails again, tell the user, and read files instead."

export const searchesDirectories = (path: string): string =>
  `${shownPath(path)} is a file, and glob searches directories.`

export const searchesDirectoriesHint = "Give the directory as path, or read the file."

/** What both tools say of the end of a search. */
export interface Ending {
  readonly end: End
  readonly isPartial: boolean
  readonly dropped: number
  readonly unnameable: number
}

/** One path a line, and below them what is missing. */
export const foundPaths = ({ paths, ...ending }: Ending & { readonly paths: ReadonlyArray<string> }): string =>
  [
    ...paths.map(shownPath),
    `[${paths.length === 0 ? `No files fit.${nothingNote(ending)}` : `${count(paths.length, "file")}.`}]`,
    ...notes(ending, count(paths.length, "file"))
  ].join("\n")

/** The lines of each file below its path, and below them all what is missing. */
export const foundLines = ({ files, matches, ...ending }: Ending & Lines): string => {
  const all = `${count(matches, "match", "matches")} in ${count(files.length, "file")}.`
  return [
    ...files.flatMap(fileBlock),
    `[${matches === 0 ? `Nothing matches.${nothingNote(ending)}` : all}]`,
    ...notes(ending, count(matches, "match", "matches"))
  ].join("\n")
}

interface Lines {
  readonly files: ReadonlyArray<FoundFile>
  readonly matches: number
}

const fileBlock = ({ lines, path }: FoundFile): ReadonlyArray<string> => {
  const rows = lines.flatMap((line, index) => [...gapBefore(line, lines[index - 1]), lineRow(line)])
  return [shownPath(path), ...rows, ""]
}

/** Only where lines around the matches are shown does it matter whether lines are missing between them. */
const gapBefore = (line: FoundLine, previous: FoundLine | undefined): ReadonlyArray<string> =>
  previous !== undefined && (line.isContext || previous.isContext) && line.line > previous.line + 1 ? ["--"] : []

const lineRow = ({ isContext, line, text }: FoundLine): string => `${line}${isContext ? "-" : ":"}\t${text}`

const nothingNote = ({ end, isPartial }: Ending): string =>
  end === "complete" && !isPartial ? " Hidden and ignored files are searched only with all." : ""

const notes = ({ dropped, end, isPartial, unnameable }: Ending, found: string): ReadonlyArray<string> => [
  ...(end === "complete" ? [] : [`[${incomplete(end, found)}]`]),
  ...(isPartial ? ["[Incomplete: some files or directories could not be read, or only in part.]"] : []),
  ...(dropped === 0 ? [] : [`[Left out: ${count(dropped, "result")} that changed during the search. Search again.]`]),
  ...(unnameable === 0 ? [] : [`[Left out: ${count(unnameable, "file")} whose names are not UTF-8.]`])
]

const narrowDown = "Narrow the search down with path or a more exact glob or pattern"

const incomplete = (end: Exclude<End, "complete">, found: string): string => {
  switch (end) {
    case "limit":
      return `Incomplete: there are more than ${found}. ${narrowDown}, or give a higher limit, up to 2000.`
    case "size":
      return `Incomplete: there is more than fits into one answer. ${narrowDown}.`
    case "deadline":
      return `Incomplete: the time for one search is over. ${narrowDown}.`
  }
}
