/** A pattern that is looked for in lines and in pieces of lines. */
import type * as OutputStore from "@haft/core/OutputStore"
import { RE2JS } from "re2js"

export interface SearchPattern {
  /** As it was written, for what ends where its line ends. */
  readonly atEnd: RE2JS
  /**
   * With one more character behind it, for a piece of a line that goes on: where the piece ends, `$`, `\b` and a
   * repetition that stops there would take its end for that of the line.
   */
  readonly within: RE2JS
}

/** The group of `within` that is the pattern as it was written. */
const written = 1

/** Throws what `RE2JS` throws on a pattern that it does not know. */
export const compile = ({ ignoreCase, pattern }: OutputStore.Query): SearchPattern => {
  const flags = ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0
  const atEnd = RE2JS.compile(pattern, flags)
  return { atEnd, within: followed(pattern, flags) }
}

/** Only a quotation that is still open swallows what is put behind it. */
const followed = (pattern: string, flags: number): RE2JS => {
  try {
    return RE2JS.compile(`(${pattern})(?s:.)`, flags)
  } catch {
    return RE2JS.compile(`(${pattern}\\E)(?s:.)`, flags)
  }
}

export interface Found {
  readonly index: number
  readonly end: number
}

/** The first match at `from` or later. */
export const findFrom = (
  { atEnd, within }: SearchPattern,
  bytes: Uint8Array,
  isLineEnd: boolean,
  from: number
): Found | undefined => {
  const matcher = (isLineEnd ? atEnd : within).matcher(bytes)
  if (from > bytes.length || !matcher.find(from)) return undefined
  return { index: matcher.start(), end: matcher.end(isLineEnd ? 0 : written) }
}
