/** A text that is too long, made shorter where no reference of its own can stand: inside of a value, or in a report. */
import { Buffer } from "node:buffer"
import { detached, utf8Width } from "./characters.ts"
import * as Sentences from "./sentences.ts"
import type { Size } from "./tally.ts"
import { headEnd, tailStart, type Width } from "./textEnds.ts"

/** With less than this at both ends together, the head alone says more. */
const leastEnds = 40

/** Head and tail with the number of characters between. Takes no more than `room`, whatever that is. */
export const shortText = (text: string, room: Size, widthAt: Width = utf8Width): string => {
  if (headEnd(text, room, widthAt) === text.length) return text
  const ends = room.bytes - Buffer.byteLength(Sentences.charactersLeftOut(text.length))
  if (ends < leastEnds || room.lines < 2) return headOf(text, room, widthAt)
  const [headLines, tailLines] = [Math.ceil(room.lines / 2), Math.floor(room.lines / 2)]
  const head = headEnd(text, { bytes: Math.ceil(ends / 2), lines: headLines }, widthAt)
  const tail = tailStart(text, { bytes: Math.floor(ends / 2), lines: tailLines }, widthAt)
  const leftOut = Sentences.charactersLeftOut(tail - head)
  return `${detached(text.slice(0, head))}${leftOut}${detached(text.slice(tail))}`
}

/** Leaves room for a line feed after it. */
export const shortLine = (text: string, { bytes, lines }: Size): string => shortText(text, { bytes: bytes - 1, lines })

const ellipsisBytes = 3

const headOf = (text: string, { bytes, lines }: Size, widthAt: Width): string =>
  bytes < ellipsisBytes
    ? ""
    : `${detached(text.slice(0, headEnd(text, { bytes: bytes - ellipsisBytes, lines }, widthAt)))}${Sentences.ellipsis}`
