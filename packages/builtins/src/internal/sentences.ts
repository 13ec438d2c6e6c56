/** Sentences of several tools that a model reads: about paths, and about what went wrong with files. */
import type * as Errors from "./fileErrors.ts"

export const pathField =
  "The file, relative to the project's directory or absolute. It is used exactly as it is written."

export const wellFormed = "text without half characters (lone surrogates)"

/** A path may hold anything but a zero byte. One with characters that cannot be seen is shown as ASCII in JSON. */
export const shownPath = (path: string): string =>
  unseen.test(path) ? JSON.stringify(path).replaceAll(/[^ -~]/g, escaped) : path

/** The bytes of a path as a model is shown it: in a sentence, and once more in the structured value. */
export const pathCost = (path: string): number =>
  Buffer.byteLength(shownPath(path)) + Buffer.byteLength(JSON.stringify(path))

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

/** More numbers would not help to find the place. */
const maxListedLines = 10

export const linesText = (lines: ReadonlyArray<number>): string => {
  const shown = lines.slice(0, maxListedLines).join(", ")
  const more = lines.length > maxListedLines ? ` and ${lines.length - maxListedLines} more` : ""
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${more}`
}

const listed = (items: ReadonlyArray<string>, word: string): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
