/** What is shown of a line around a match. */

/** Of the line that is shown: a match and enough around it, in a list of many. */
const shownBytes = 400
const shownBefore = 120

/** A piece of one line. */
export interface Window {
  readonly bytes: Uint8Array
  /** Where it begins in the output. */
  readonly start: number
  readonly isLineStart: boolean
  readonly isLineEnd: boolean
}

export const shown = ({ bytes, isLineEnd, isLineStart }: Window, index: number) => {
  const wholeFits = bytes.length <= shownBytes
  const from = wholeFits ? 0 : characterAt(bytes, Math.max(0, Math.min(index - shownBefore, bytes.length - shownBytes)))
  const to = wholeFits ? bytes.length : characterAt(bytes, Math.min(bytes.length, from + shownBytes))
  return {
    text: Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8"),
    cutBefore: from > 0 || !isLineStart,
    cutAfter: to < bytes.length || !isLineEnd
  }
}

/** The index itself, or that of the character whose middle it points to. */
export const characterAt = (bytes: Uint8Array, index: number): number => {
  let start = index
  while (start > 0 && index - start < 3 && isContinuation(bytes[start])) start--
  return isContinuation(bytes[start]) ? index : start
}

/** The index of the character behind the one that begins here. */
export const characterAfter = (bytes: Uint8Array, index: number): number => {
  let end = index + 1
  while (end - index < 4 && isContinuation(bytes[end])) end++
  return end
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
