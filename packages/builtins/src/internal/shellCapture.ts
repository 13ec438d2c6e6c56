/** What a command prints on one stream: complete up to a limit, beyond it the beginning and the end. */
import { strayEnd, strayStart } from "./utf8.ts"
import { Window } from "./shellWindow.ts"

/** An output as text, with what is missing of it and what was no text. */
export interface Captured {
  readonly text: string
  readonly lostBytes: number
  readonly invalidBytes: number
}

/** What short outputs need; the space doubles from there up to its limit. */
const firstBytes = 16 * 1024

export class Capture {
  private readonly window: Window
  private space: Buffer

  constructor(limit: number) {
    this.window = new Window(limit)
    this.space = Buffer.allocUnsafe(Math.min(limit, firstBytes))
  }

  push(bytes: Uint8Array): void {
    this.reserve(this.window.total + bytes.length)
    for (const { at, from, to } of this.window.place(bytes.length)) this.space.set(bytes.subarray(from, to), at)
  }

  /** Cuts fall between characters, so a little more than the middle may be lost. `marker` stands where it was. */
  end(marker: (lostBytes: number) => string): Captured {
    const captured = this.captured(marker)
    discard(this.space)
    return captured
  }

  private captured(marker: (lostBytes: number) => string): Captured {
    const { headBytes, kept, lost } = this.window
    if (lost === 0) return { ...decoded(this.read(0, kept)), lostBytes: 0 }
    const head = this.read(0, headBytes)
    const tail = this.read(headBytes, kept - headBytes)
    const [before, after] = [head.subarray(0, head.length - strayEnd(head)), tail.subarray(strayStart(tail))]
    const lostBytes = this.window.total - before.length - after.length
    const [first, last] = [decoded(before), decoded(after)]
    const text = `${first.text}${marker(lostBytes)}${last.text}`
    return { text, lostBytes, invalidBytes: first.invalidBytes + last.invalidBytes }
  }

  private read(position: number, length: number): Buffer {
    const pieces = this.window.pieces(position, length).map(({ at, length }) => this.space.subarray(at, at + length))
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
  }

  private reserve(bytes: number): void {
    if (bytes <= this.space.length || this.space.length === this.window.limit) return
    let size = this.space.length
    while (size < Math.min(bytes, this.window.limit)) size *= 2
    const larger = Buffer.allocUnsafe(Math.min(size, this.window.limit))
    this.space.copy(larger)
    discard(this.space)
    this.space = larger
  }
}

/**
 * Gives the memory of bytes back at once, unless they share it with others. Somebody who prints without end makes garbage
 * faster than it is collected.
 */
export const discard = (bytes: Uint8Array): void => {
  const { buffer, byteLength } = bytes
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

const replacement = "\uFFFD"
const replacementBytes = Buffer.from(replacement)

/** One bad byte loses nothing else. */
const decoded = (bytes: Buffer): Omit<Captured, "lostBytes"> => {
  const text = bytes.toString("utf8")
  if (!text.includes(replacement)) return { text, invalidBytes: 0 }
  return { text, invalidBytes: occurrences(text, replacement) - occurrences(bytes, replacementBytes) }
}

const occurrences = <Part>(
  whole: { readonly indexOf: (part: Part, from: number) => number },
  part: Part & { readonly length: number }
): number => {
  let count = 0
  for (let at = whole.indexOf(part, 0); at !== -1; at = whole.indexOf(part, at + part.length)) count++
  return count
}
