/** A part of a kept output as a client reads it: text where it is text, never with half of a character. */
import type * as OutputStore from "@haft/core/OutputStore"

export interface Page {
  readonly content: string | Uint8Array
  readonly mimeType: string
  /** The byte where the next page begins, if there is one. */
  readonly next: number | undefined
  /** Bytes of the whole output. */
  readonly total: number
}

export const pageOf = (bytes: Uint8Array, { bytes: total, mimeType, offset }: OutputStore.Opened): Page => {
  const isText = mimeType.startsWith("text/") || mimeType === "application/json"
  const end = offset + bytes.length < total && isText ? wholeCharacters(bytes) : bytes.length
  const shown = bytes.subarray(0, end)
  const next = offset + end
  return {
    content: isText ? new TextDecoder().decode(shown) : shown,
    mimeType,
    next: next < total ? next : undefined,
    total
  }
}

/** Where the last character ends that is complete. A lead byte says how many bytes its character has. */
const wholeCharacters = (bytes: Uint8Array): number => {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return length < lengthOf(byte) ? bytes.length - length : bytes.length
  }
  return bytes.length
}

const lengthOf = (lead: number): number => {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}
