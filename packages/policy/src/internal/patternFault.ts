/** What is wrong with a text that is to be the pattern of a rule. */
import * as Sentences from "./sentences.ts"

/** The longest path that Linux accepts. Comparing takes a step for each character of a text and 32 of a pattern. */
const maxLength = 4096

/** Other languages of patterns give these a meaning that ours does not have. */
const foreignAnywhere = new Set(["[", "]", "{", "}"])
const foreignFirst = new Set(["!", "^"])
const foreignLast = "$"

/** A group that is repeated, begins with a question mark, or has alternatives. */
const group = /\)[+*?]|\(\?|\([^()]*\|/

const escapable = new Set(["*", "?", "\\", "(", ")", ...foreignAnywhere, ...foreignFirst, foreignLast])

/** For its author; nothing if the pattern is as it should be. */
export const patternFault = (pattern: string): string | undefined => {
  if (pattern === "") return Sentences.emptyPattern
  if (pattern.length > maxLength) return Sentences.longPattern(pattern.length, maxLength)
  const parts = partsOf(pattern)
  if (parts.some((part) => part.startsWith("\\") && !escapable.has(part.slice(1)))) return Sentences.strayEscape
  return hasForeign(parts) ? Sentences.foreignPattern : undefined
}

/** Characters, each with the backslash before it that takes its meaning away. */
const partsOf = (pattern: string): ReadonlyArray<string> => pattern.match(/\\?./gsu) ?? []

const hasForeign = (parts: ReadonlyArray<string>): boolean =>
  parts.some((part) => foreignAnywhere.has(part)) ||
  foreignFirst.has(parts[0] ?? "") ||
  parts.at(-1) === foreignLast ||
  group.test(parts.map((part) => (part.length > 1 && part.startsWith("\\") ? "x" : part)).join(""))
