/** UTF-8 as bytes: where characters end, which bytes are none, and what they cost as JSON. */

/** One character, or one byte that belongs to none. */
export interface Character {
  readonly length: number
  readonly isValid: boolean
}

const invalid: Character = { length: 1, isValid: false }

/** At the very end of `bytes` a character that is cut counts as invalid. */
export const characterAt = (bytes: Uint8Array, index: number): Character => {
  const first = bytes[index] ?? 0
  if (first < 0x80) return { length: 1, isValid: true }
  const length = lengthOf(first)
  const second = bytes[index + 1] ?? 0
  if (length === 0 || !isSecond(first, second)) return invalid
  for (let next = 2; next < length; next++) if (!isContinuation(bytes[index + next])) return invalid
  return { length, isValid: true }
}

/** By its first byte; zero if none begins with it. */
const lengthOf = (first: number): number => {
  if (first >= 0xc2 && first <= 0xdf) return 2
  if (first >= 0xe0 && first <= 0xef) return 3
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** No second spelling of a character, no surrogate, nothing beyond the last character. */
const isSecond = (first: number, second: number): boolean => {
  if (!isContinuation(second)) return false
  if (first === 0xe0) return second >= 0xa0
  if (first === 0xed) return second <= 0x9f
  if (first === 0xf0) return second >= 0x90
  return first !== 0xf4 || second <= 0x8f
}

/** How many bytes at the start are the rest of a character that begins before them. */
export const strayStart = (bytes: Uint8Array): number => {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count++
  return count
}

/** How many bytes at the end are the beginning of a character that goes on after them. */
export const strayEnd = (bytes: Uint8Array): number => {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] ?? 0
    if (isContinuation(byte)) continue
    return lengthOf(byte) > count ? count : 0
  }
  return 0
}

/** The replacement character, which stands for a byte that is none. */
const replacementBytes = 3

const lineFeed = 0x0a
const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, lineFeed, 0x0c, 0x0d, 0x22, 0x5c])

/** Of one character inside a JSON string. */
export const jsonBytes = (first: number, { isValid, length }: Character): number => {
  if (!isValid) return replacementBytes
  if (shortEscapes.has(first)) return 2
  return first < 0x20 ? 6 : length
}

export const isLineFeed = (byte: number | undefined): boolean => byte === lineFeed
