/** The beginning and the end of a text that fit a given room, without looking at what is between them. */
import * as Characters from "./characters.ts"
import type { Size } from "./tally.ts"

/** What the character that begins at an index takes. */
export type Width = (text: string, index: number) => number

/** Where the beginning of a text has to end. At the end of a line, if that leaves more than half of it. */
export const headEnd = (text: string, room: Size, widthAt: Width = Characters.utf8Width): number => {
  let [breaks, bytes, end] = [0, 0, 0]
  while (end < text.length) {
    bytes += widthAt(text, end)
    if (isBreak(text, end)) breaks++
    if (bytes > room.bytes || breaks >= room.lines) break
    end = Characters.after(text, end)
  }
  return end === text.length ? end : notWithinBreak(text, lineEndNear(text, end))
}

/** Where the end of a text has to begin. At the beginning of a line, if that leaves more than half of it. */
export const tailStart = (text: string, room: Size, widthAt: Width = Characters.utf8Width): number => {
  let [breaks, bytes, start] = [0, 0, text.length]
  while (start > 0) {
    const at = Characters.before(text, start)
    bytes += widthAt(text, at)
    // The line feed that ends the text begins no line.
    if (isBreak(text, at) && start < text.length) breaks++
    if (bytes > room.bytes || breaks >= room.lines) break
    start = at
  }
  if (start === 0) return 0
  const atLine = lineStartNear(text, start)
  return isWithinBreak(text, atLine) ? atLine + 1 : atLine
}

const isBreak = (text: string, index: number): boolean => text.charCodeAt(index) === Characters.lineFeed

const lineEndNear = (text: string, end: number): number => {
  if (isBreak(text, end)) return end
  const lineEnd = text.slice(0, end).lastIndexOf("\n")
  return lineEnd > end / 2 ? lineEnd : end
}

const lineStartNear = (text: string, start: number): number => {
  if (isBreak(text, start - 1)) return start
  const lineEnd = text.indexOf("\n", start)
  return lineEnd !== -1 && lineEnd < (start + text.length) / 2 ? lineEnd + 1 : start
}

const carriageReturn = 0x0d

/** A carriage return and the line feed after it are one line break. */
const isWithinBreak = (text: string, index: number): boolean =>
  isBreak(text, index) && text.charCodeAt(index - 1) === carriageReturn

const notWithinBreak = (text: string, end: number): number => (isWithinBreak(text, end) ? end - 1 : end)
