/** Tells whether a text is the base64 or the data URL of a media part, also where it is broken into lines as in mail. */
import type { Media } from "@haft/core/ToolContent"
import { Buffer } from "node:buffer"
import type { Steps } from "./steps.ts"

/** Characters before the base64 in a data URL: a mime type of 255, and some parameters. */
const maxPrefix = 512

/** The longest line that mail may have. Base64 usually has 64 or 76 in a line. */
const maxColumns = 998

/** Compares piece by piece, so that a large part is not in memory a second time. */
export function* isCopy(text: string, { data }: Media): Steps<boolean> {
  const start = base64Start(text)
  if (start === -1) return false
  const base64 = new Base64Text(text, start)
  if (!base64.hasLengthOf(data)) return false
  for (let offset = 0; offset < data.length; offset += pieceBytes) {
    // Most that differ do so in the first piece.
    if (offset % stepBytes === pieceBytes) yield undefined
    const piece = Buffer.from(data.buffer, data.byteOffset + offset, Math.min(pieceBytes, data.length - offset))
    if (!base64.hasAt((offset / 3) * 4, piece)) return false
  }
  return true
}

/** Divisible by three: the pieces of base64 are then those of the whole. */
const pieceBytes = 48 * 1024

/** Bytes that are compared without a pause: about a millisecond. */
const stepBytes = 16 * pieceBytes

/** Schemes and the word for base64 are read in any case. */
const base64Start = (text: string): number => {
  const prefix = text.slice(0, maxPrefix).toLowerCase()
  if (!prefix.startsWith("data:")) return 0
  const end = prefix.indexOf(base64Mark)
  return end === -1 ? -1 : end + base64Mark.length
}

const base64Mark = ";base64,"

/** A text from `start` on, without the breaks between its lines, which are all as long as the first. */
class Base64Text {
  private readonly text: string
  private readonly start: number
  /** Of the text without the break after its last line. */
  private readonly end: number
  private readonly columns: number
  private readonly lineBreak: string

  constructor(text: string, start: number) {
    this.text = text
    this.start = start
    this.end = text.length - (/\r?\n$/.exec(text.slice(-2))?.[0].length ?? 0)
    const [, line = "", lineBreak = ""] =
      firstLine.exec(text.slice(start, Math.min(this.end, start + maxColumns + 2))) ?? []
    this.columns = lineBreak === "" ? Number.POSITIVE_INFINITY : line.length
    this.lineBreak = lineBreak
  }

  /** With what fills up the last four characters, or without. */
  hasLengthOf({ length }: Uint8Array): boolean {
    const [bare, filled] = [Math.ceil((length * 4) / 3), 4 * Math.ceil(length / 3)]
    const found = this.length
    return found === bare || (found === filled && this.between(bare, filled) === "=".repeat(filled - bare))
  }

  /** In either alphabet, that of addresses having `-` and `_`. */
  hasAt(index: number, piece: Buffer): boolean {
    const base64 = piece.toString("base64").replace(/=+$/, "")
    const found = this.between(index, index + base64.length)
    return found === base64 || found === piece.toString("base64url")
  }

  private get length(): number {
    const length = this.end - this.start
    const breaks = Math.floor(length / (this.columns + this.lineBreak.length))
    return length - breaks * this.lineBreak.length
  }

  private between(from: number, to: number): string {
    const part = this.text.slice(this.positionOf(from), Math.min(this.end, this.positionOf(to)))
    return this.lineBreak === "" ? part : part.replaceAll(this.lineBreak, "")
  }

  /** Where a character is that has so many before it. */
  private positionOf(index: number): number {
    return this.start + index + Math.floor(index / this.columns) * this.lineBreak.length
  }
}

const firstLine = /^([^\r\n]+)(\r?\n)/
