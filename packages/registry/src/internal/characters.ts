/** Characters of a text, and what each takes where the text is sent. Half of a surrogate pair is a character of its own. */

export const lineFeed = 0x0a

/** Whether the units at an index and after it are one character. */
export const isPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00

/** Where the character ends that begins at an index. */
export const after = (text: string, index: number): number => index + (isPair(text, index) ? 2 : 1)

/** Where the character begins that ends at an index. */
export const before = (text: string, index: number): number => index - (isPair(text, index - 2) ? 2 : 1)

/** Bytes in UTF-8 of the character that begins at an index. A half pair becomes U+FFFD, which takes three. */
export const utf8Width = (text: string, index: number): number => {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return isPair(text, index) ? 4 : 3
}

/** Bytes of the same character inside a JSON string. */
export const jsonWidth = (text: string, index: number): number => {
  const unit = text.charCodeAt(index)
  if (unit >= 0x20 && unit < 0x80) return unit === quote || unit === backslash ? 2 : 1
  if (unit < 0x20) return shortEscapes.has(unit) ? 2 : 6
  return isHalf(text, index, unit) ? 6 : utf8Width(text, index)
}

const quote = 0x22
const backslash = 0x5c
const shortEscapes = new Set([0x08, 0x09, lineFeed, 0x0c, 0x0d])

const isHalf = (text: string, index: number, unit: number): boolean =>
  (unit & 0xf800) === 0xd800 && !isPair(text, index)

/** The nearest index, going back, that does not divide a pair. */
export const boundaryAt = (text: string, index: number): number => (isPair(text, index - 1) ? index - 1 : index)

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Well formed, and a text of its own: a part of a huge text would keep all of it in memory. */
export const detached = (text: string): string => decoder.decode(encoder.encode(text))
