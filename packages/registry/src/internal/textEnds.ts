/** The beginning and the end of a text that fit a given room, without looking at what is between them. */
import { Buffer } from "node:buffer"
import * as Characters from "./characters.ts"
import type { Size } from "./tally.ts"

/** What the character that begins at an index takes. */
export type Width = (text: string, index: number) => number

/** Where the beginning of a text has to end. At the end of a line, if that leaves more than half of it. */
export const headEnd = (text: string, room: Size, widthAt: Width = Characters.utf8Width): number => {
  const fitting = text.slice(0, endWithin(text, room.bytes, widthAt))
  const end = nthBreak(fitting, room.lines) ?? fitting.length
  return end === text.length ? end : notWithinBreak(text, lineEndNear(text, end))
}

/** Where the end of a text has to begin. At the beginning of a line, if that leaves more than half of it. */
export const tailStart = (text: string, room: Size, widthAt: Width = Characters.utf8Width): number => {
  const first = startWithin(text, room.bytes, widthAt)
  const lastBreak = nthBreakFromEnd(text.slice(first), room.lines)
  const start = lastBreak === undefined ? first : first + lastBreak + 1
  if (start === 0) return 0
  const atLine = lineStartNear(text, start)
  return isWithinBreak(text, atLine) ? atLine + 1 : atLine
}

/** How far as many characters reach as fit. In UTF-8 the engine counts them, many times faster than a loop. */
const endWithin = (text: string, bytes: number, widthAt: Width): number => {
  if (bytes <= 0) return 0
  if (widthAt === Characters.utf8Width) return encoder.encodeInto(text.slice(0, bytes), new Uint8Array(bytes)).read
  let [used, end] = [0, 0]
  while (end < text.length) {
    used += widthAt(text, end)
    if (used > bytes) break
    end = Characters.after(text, end)
  }
  return end
}

const startWithin = (text: string, bytes: number, widthAt: Width): number => {
  if (bytes <= 0) return text.length
  if (widthAt === Characters.utf8Width) return utf8StartWithin(text, bytes)
  let [used, start] = [0, text.length]
  while (start > 0) {
    const at = Characters.before(text, start)
    used += widthAt(text, at)
    if (used > bytes) break
    start = at
  }
  return start
}

const encoder = new TextEncoder()

/** No character takes less than a byte, so the last ones that could fit are known; of these, the first have to go. */
const utf8StartWithin = (text: string, bytes: number): number => {
  const from = Math.max(0, text.length - bytes)
  const start = Characters.isPair(text, from - 1) ? from + 1 : from
  const last = text.slice(start)
  const excess = Buffer.byteLength(last) - bytes
  if (excess <= 0) return start
  const { read, written } = encoder.encodeInto(last, new Uint8Array(excess))
  return written === excess ? start + read : Characters.after(text, start + read)
}

/** The index of a line feed, counted from 1. */
const nthBreak = (text: string, n: number): number | undefined => {
  let index = n < 1 ? 0 : text.indexOf("\n")
  for (let count = 1; count < n && index !== -1; count++) index = text.indexOf("\n", index + 1)
  return index === -1 ? undefined : index
}

/** The line feed that ends the text begins no line, and is not counted. */
const nthBreakFromEnd = (text: string, n: number): number | undefined => {
  let index = text.length - 1
  for (let count = 0; count < n && index !== -1; count++) index = index === 0 ? -1 : text.lastIndexOf("\n", index - 1)
  return index === -1 ? undefined : index
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
