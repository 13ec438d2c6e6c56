/** Tells images and documents by their bytes, whatever they are called. */

/** What models accept. */
export type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf"

/** The smallest limit for an image among the large providers; more would make the whole conversation fail. */
export const maxImageBytes = 5 * 1024 * 1024

/** Pages cost more than bytes; a larger document is better converted to text first. */
export const maxDocumentBytes = 10 * 1024 * 1024

export const maxBytesOf = (type: MediaType): number => (type === "application/pdf" ? maxDocumentBytes : maxImageBytes)

interface Signature {
  readonly type: MediaType
  readonly isBegin: (bytes: Buffer) => boolean
  /** Whether the bytes are complete: half an image makes a whole conversation unusable. */
  readonly isComplete: (bytes: Buffer) => boolean
}

const signatures: ReadonlyArray<Signature> = [
  {
    type: "image/png",
    isBegin: (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
    isComplete: (bytes) => bytes.subarray(-8, -4).toString("latin1") === "IEND"
  },
  {
    type: "image/jpeg",
    isBegin: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
    isComplete: (bytes) => bytes.includes(Buffer.from([0xff, 0xd9]))
  },
  {
    type: "image/gif",
    isBegin: (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString("latin1")),
    isComplete: (bytes) => bytes.length > 13 && bytes.at(-1) === 0x3b
  },
  {
    type: "image/webp",
    isBegin: (bytes) => /^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString("latin1")),
    isComplete: (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length
  },
  {
    type: "application/pdf",
    isBegin: (bytes) => bytes.subarray(0, 5).toString("latin1") === "%PDF-",
    isComplete: (bytes) => bytes.subarray(-1024).includes("%%EOF")
  }
]

/** By the first bytes of a file. */
export const mediaTypeOf = (head: Uint8Array): MediaType | undefined =>
  signatures.find(({ isBegin }) => isBegin(Buffer.from(head)))?.type

/** Whether all bytes of a file are there. */
export const isComplete = (type: MediaType, bytes: Uint8Array): boolean =>
  signatures.some((signature) => signature.type === type && signature.isComplete(Buffer.from(bytes)))

/** As much as decides whether a file is text. */
const sampleBytes = 8 * 1024

/** Text has no zero bytes; UTF-16 has, and begins with a mark. */
export const encodingOf = (head: Uint8Array): "text" | "utf-16" | "binary" => {
  const [first = 0, second = 0] = head
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return "utf-16"
  return head.subarray(0, sampleBytes).includes(0) ? "binary" : "text"
}
