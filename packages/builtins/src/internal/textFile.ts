/** Text as it stands in a file: a byte order mark, line ends and a last line with or without one belong to it. */
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"

/** How the lines of a file end. A file without any line end counts as `lf`. */
export type LineEnds = "lf" | "crlf" | "mixed"

export interface TextFile {
  readonly hasMark: boolean
  /** Without the mark. */
  readonly text: string
  readonly lineEnds: LineEnds
}

const mark = "\uFEFF"

/** Fails with the offset of the first byte that is not UTF-8. */
export const decode = (bytes: Uint8Array): Result.Result<TextFile, number> => {
  if (!isUtf8(bytes)) return Result.fail(firstInvalid(bytes))
  const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  const hasMark = whole.startsWith(mark)
  const text = hasMark ? whole.slice(1) : whole
  return Result.succeed({ hasMark, text, lineEnds: lineEndsOf(text) })
}

/** The other way round: what was decoded comes out byte for byte. */
export const encode = ({ hasMark, text }: Pick<TextFile, "hasMark" | "text">): Uint8Array =>
  new TextEncoder().encode(hasMark ? mark + text : text)

export const lineEndsOf = (text: string): LineEnds => {
  if (!text.includes("\r\n")) return "lf"
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) {
    if (text[index - 1] !== "\r") return "mixed"
  }
  return "crlf"
}

/** Text from a call, as it has to be written in this file. In a mixed file only the exact bytes are meant. */
export const inStyleOf = ({ lineEnds }: Pick<TextFile, "lineEnds">, text: string): string =>
  lineEnds === "crlf" ? text.replaceAll(/\r?\n/g, "\r\n") : text

/** Few enough that looking at each byte of one block takes no time. */
const blockBytes = 64 * 1024

const firstInvalid = (bytes: Uint8Array): number => {
  let start = 0
  while (start < bytes.length) {
    const end = boundaryBefore(bytes, Math.min(bytes.length, start + blockBytes), start)
    if (!isUtf8(bytes.subarray(start, end))) break
    start = end
  }
  while (start < bytes.length && isUtf8(bytes.subarray(start, start + widthOf(bytes[start])))) {
    start += widthOf(bytes[start])
  }
  return start
}

/** Where a character begins, unless none does on the way back. */
const boundaryBefore = (bytes: Uint8Array, end: number, start: number): number => {
  if (end === bytes.length) return end
  let boundary = end
  while (boundary > start + 1 && isContinuation(bytes[boundary])) boundary--
  return boundary
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80

const widthOf = (first = 0): number => {
  if (first < 0x80) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}
