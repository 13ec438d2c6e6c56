/** Every sentence about patches that a model reads. */
import { maxShownLine, rules } from "./changeSentences.ts"
import type { Rule } from "./matching.ts"
import { type Fault, maxFiles } from "./patchSyntax.ts"
import { count, linesText, shownPath } from "./sentences.ts"

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
