/** Every sentence of this package that a model reads. */
import type * as OutputStore from "@haft/core/OutputStore"
import type { Page } from "./page.ts"

export const readOutputDescription = [
  "Read or search a complete output that was too large to be shown. Give the reference that begins with out_.",
  "Without search it shows one page: from a line or from a byte on, up to about 40 KB.",
  "With search it lists the lines that match a regular expression, and every match in a line over 64 KB.",
  "Each answer says how to go on."
].join(" ")

export const readOutputFields = {
  ref: "The reference of the output, exactly as it was shown: out_…",
  line: "The first line to show or search, counted from 1. Not together with offset.",
  offset: "The first byte to show or search, counted from 0. Not together with line.",
  limit: "How many lines to show, or matches to list, at most.",
  search:
    "A regular expression in RE2 syntax: no look-around, no back-references. It is looked for line by line; in a line over 64 KB, matches up to 4 KB are found.",
  ignoreCase: "Whether the search takes upper and lower case for the same."
}

const unavailable: Readonly<Record<OutputStore.UnavailableError["reason"], string>> = {
  Unknown: "There is no such output in this session.",
  Expired: "This output was kept for a while and has been removed.",
  Lost: "This output was kept, but it is missing or damaged."
}

export const unavailableHint: Readonly<Record<OutputStore.UnavailableError["reason"], string>> = {
  Unknown: "Copy the reference exactly as it was shown.",
  Expired: "If you need it again, call the tool that made it.",
  Lost: "If you need it, call the tool that made it again."
}

export const outputUnavailable = (reason: OutputStore.UnavailableError["reason"]): string => unavailable[reason]

export const storeUnavailable = "The output could not be read."

export const bothPlaces = "Give a line or an offset, not both."

export const notText = (mimeType: string, bytes: number): string =>
  `This output is ${count(bytes, "byte")} of ${mimeType}, which cannot be read as text.`

export const beyondLines = (lines: number): string => `The output has ${count(lines, "line")}.`

export const beyondBytes = (bytes: number): string => `The output has ${count(bytes, "byte")}, the first at offset 0.`

export const expectedUpTo = (least: number, most: number): string => `a whole number from ${least} to ${most}`

export const badPattern = (reason: string): string => `The pattern cannot be used: ${reason}`

export const patternHint = "Patterns are in RE2 syntax: no look-around and no back-references."

export const emptyOutput = "[The output is empty.]"

/** What a page shows. The lines are known if it was asked for by line. */
export const pageHeader = (
  page: Page,
  total: { readonly bytes: number; readonly lines: number },
  firstLine?: number
) => {
  const bytes = `bytes ${page.start} to ${page.end} of ${total.bytes}`
  if (firstLine === undefined) return `[${bytes}]`
  return `[lines ${firstLine} to ${lastLineOf(page, firstLine)} of ${total.lines}, ${bytes}]`
}

/** A page that ends after a line feed shows nothing of the line behind it. */
const lastLineOf = ({ lineFeeds, text }: Page, firstLine: number): number =>
  Math.max(firstLine, text.endsWith("\n") ? firstLine + lineFeeds - 1 : firstLine + lineFeeds)

export const invalidBytes = (invalid: number): string =>
  `[${count(invalid, "byte")} of this page ${invalid === 1 ? "is" : "are"} not valid UTF-8 and shown as \uFFFD.]`

export const endOfOutput = "[This is the end of the output.]"

export const goOnAtLine = (line: number): string => `[To read on, give line ${line}.]`

export const goOnAtOffset = (offset: number): string => `[To read on, give offset ${offset}.]`

export const matchLine = ({ cutAfter, cutBefore, line, offset, text }: OutputStore.Match): string =>
  `line ${line}, offset ${offset}: ${cutBefore ? "…" : ""}${text}${cutAfter ? "…" : ""}`

export const searchHeader = (matches: number): string =>
  matches === 0
    ? "[Nothing matches.]"
    : `[${count(matches, "match", "matches")}, one for each line, and in a very long line every one]`

export const searchedAll = "[Everything to the end of the output was searched.]"

export const searchOn = (offset: number): string => `[There is more. To search on, give offset ${offset}.]`

export const searchStopped = (limitMs: number, offset: number): string =>
  `[The search stopped after ${limitMs / 1000} seconds. To search on, give offset ${offset}.]`

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
