/** A line of a file as it is shown: around its first match if it is long, with bytes that are not UTF-8 written out. */
import { isUtf8 } from "node:buffer"
import { characterAt } from "./utf8.ts"

/** A longer line is no text that somebody wrote. */
export const maxLineLength = 2_000

/** Enough for the longest shown line in any alphabet. */
const maxShownBytes = 4 * maxLineLength

/** Enough to see what a match belongs to. */
const bytesBefore = 400

export interface ShownLine {
  readonly text: string
  /** Whether there is more of the line. */
  readonly isCut: boolean
}

/** `start` is where the first match begins. */
export const shownLine = (line: Uint8Array, start: number, isWhole: boolean): ShownLine => {
  const bytes = withoutEnd(line)
  const from = bytes.length <= maxLineLength ? 0 : boundaryBefore(bytes, Math.max(0, start - bytesBefore))
  const piece = decoded(bytes.subarray(from, from + maxShownBytes))
  const text = headOf(piece)
  const isCutAfter = !isWhole || text.length < piece.length || from + maxShownBytes < bytes.length
  return { text: `${from > 0 ? "…" : ""}${text}${isCutAfter ? "…" : ""}`, isCut: from > 0 || isCutAfter }
}

const withoutEnd = (bytes: Uint8Array): Uint8Array => {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length
  return bytes.subarray(0, bytes[end - 1] === 0x0d ? end - 1 : end)
}

const boundaryBefore = (bytes: Uint8Array, index: number): number => {
  let boundary = index
  while (boundary > 0 && index - boundary < 3 && ((bytes[boundary] ?? 0) & 0xc0) === 0x80) boundary--
  return boundary
}

/** A byte that belongs to no character is shown as `\xff`. */
export const decoded = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isUtf8(bytes)) return buffer.toString("utf8")
  let text = ""
  for (let index = 0; index < bytes.length;) {
    const { isValid, length } = characterAt(bytes, index)
    text += isValid ? buffer.toString("utf8", index, index + length) : escaped(bytes[index] ?? 0)
    index += length
  }
  return text
}

const escaped = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`

/** Never half a character. */
const headOf = (text: string): string => {
  if (text.length <= maxLineLength) return text
  const head = text.slice(0, maxLineLength)
  return head.isWellFormed() ? head : head.slice(0, -1)
}
