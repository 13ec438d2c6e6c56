/** Writes a text as UTF-8, a part at a time. Half of a surrogate pair becomes U+FFFD. */
import { Buffer, transcode } from "node:buffer"
import { boundaryAt } from "./characters.ts"

/** No character takes more in UTF-8. */
const maxWidth = 4

/** Nor does a unit of UTF-16 take more than three. In UTF-16 it takes two. */
const maxUnitWidth = 3
const unitBytes = 2

/** Characters that are translated at once: with all the room they might need, several such parts go into a megabyte. */
const translatedLength = 64 * 1024

/** Of a text without such characters the engine knows so, and does not look for them. */
const wide = /[\u0100-\uffff]/

const encoder = new TextEncoder()

/**
 * An engine has every character of a text in one byte, or every one in two. It takes five times as long to encode the
 * latter, unless their bytes are taken as they are and are translated as bytes.
 */
export class TextBytes {
  private readonly text: string
  private readonly length: number
  private start = 0
  /** Not known before the first character that needs two bytes. False once something is not well formed. */
  private isTranslated: boolean | undefined
  /** For one part in UTF-16. */
  private units: Buffer | undefined

  /** Parts have `length` characters, at least two. */
  constructor(text: string, length: number) {
    this.text = text
    this.length = length
  }

  get isAtEnd(): boolean {
    return this.start === this.text.length
  }

  /** Gives the number of bytes that the next part takes. Nothing, if there is too little room for it. */
  into(memory: Uint8Array): number {
    this.isTranslated ??= wide.test(this.part(this.length)) ? true : undefined
    return this.isTranslated === true ? this.translate(memory) : this.encode(memory)
  }

  private part(length: number): string {
    return this.text.slice(this.start, boundaryAt(this.text, Math.min(this.text.length, this.start + length)))
  }

  /** As much as there is room for. */
  private encode(memory: Uint8Array): number {
    if (memory.length < maxWidth) return 0
    const { read, written } = encoder.encodeInto(this.part(this.length), memory)
    this.start += read
    return written
  }

  private translate(memory: Uint8Array): number {
    const part = this.part(Math.min(this.length, translatedLength))
    if (memory.length < part.length * maxUnitWidth) return 0
    this.units ??= Buffer.allocUnsafeSlow(translatedLength * unitBytes)
    const bytes = translated(this.units.subarray(0, this.units.write(part, "utf16le")))
    this.isTranslated = bytes !== undefined
    if (bytes === undefined) return this.encode(memory)
    memory.set(bytes)
    this.start += part.length
    return free(bytes)
  }
}

/** Nothing for what is not well formed. */
const translated = (units: Buffer): Buffer<ArrayBuffer> | undefined => {
  try {
    return transcode(units, "utf16le", "utf8")
  } catch {
    return undefined
  }
}

/** Gives the length it had. All those of a huge text would wait to be collected. */
const free = ({ buffer, length }: Buffer<ArrayBuffer>): number => {
  if (buffer.byteLength === length) buffer.transfer(0)
  return length
}
