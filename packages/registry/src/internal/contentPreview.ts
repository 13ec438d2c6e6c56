/** What a model is shown of parts that are too long together: how they begin and end, and between what is missing. */
import * as ToolContent from "@haft/core/ToolContent"
import { detached } from "./characters.ts"
import * as Sentences from "./sentences.ts"
import { type Size, Tally } from "./tally.ts"
import { headEnd, tailStart } from "./textEnds.ts"

/** Says what is missing, with the reference to all of it. In ASCII, so that its length is its size. */
interface Marker {
  readonly full: (leftOut: Size) => string
  /** For where nothing else fits. */
  readonly brief: string
}

export const markerOf = (ref: string, reader: string | undefined): Marker => ({
  full: (leftOut) => Sentences.leftOut(leftOut, { ref, reader }),
  brief: Sentences.brief(ref)
})

/** A part that is shown, and the index of the part that it was made from. */
interface Shown {
  readonly from: number
  readonly part: ToolContent.ToolContent
}

export interface Preview {
  readonly parts: ReadonlyArray<Shown>
  /** The text that has the marker in it. */
  readonly marked: string
}

/** The text of a part: the names of media are read like any other text. */
export const textOf = (part: ToolContent.ToolContent): string | undefined =>
  part._tag === "Text" ? part.text : part.name

/** Takes no more than `room`, unless that is too little for the brief marker. Media keep their places among the texts. */
export const contentPreview = (
  content: ReadonlyArray<ToolContent.ToolContent>,
  room: Size,
  total: Size,
  marker: Marker
): Preview => {
  const longest = marker.full(total).length
  // A line feed follows the marker.
  const rest = { bytes: room.bytes - longest - 1, lines: room.lines - 1 }
  if (rest.bytes < leastBytes || rest.lines < leastLines) {
    const text = longest <= room.bytes ? marker.full(total) : marker.brief
    return assemble(content, nothing(0), nothing(content.length), text)
  }
  const head = takeHead(content, { bytes: Math.ceil(rest.bytes / 2), lines: Math.ceil(rest.lines / 2) })
  const tail = takeTail(content, minus(rest, head))
  return assemble(content, head, tail, marker.full(minus(minus(total, head), tail)))
}

/** With less than this, half a sentence at both ends would only confuse. */
const leastBytes = 64
const leastLines = 2

/** One end of the parts: everything beyond the part at `index`, and of that part this much text. */
interface End extends Size {
  readonly index: number
  readonly text: string
}

const nothing = (index: number): End => ({ index, text: "", bytes: 0, lines: 0 })

const minus = (left: Size, right: Size): Size => ({
  bytes: Math.max(0, left.bytes - right.bytes),
  lines: Math.max(0, left.lines - right.lines)
})

const takeHead = (content: ReadonlyArray<ToolContent.ToolContent>, room: Size): End => {
  const tally = new Tally().start(room.bytes, room.lines)
  let before: Size = noSize
  const index = content.findIndex((part) => {
    const text = textOf(part)
    if (text === undefined) return false
    tally.next()
    before = { bytes: tally.bytes, lines: tally.lines }
    tally.text(text)
    return tally.isOver
  })
  const cut = headOf(content[index], minus(room, before))
  return { index, text: cut, ...plus(before, cut, "\n") }
}

const noSize: Size = { bytes: 0, lines: 0 }

/** Only texts are cut; of a name that does not fit nothing is left. */
const headOf = (part: ToolContent.ToolContent | undefined, room: Size): string =>
  part?._tag === "Text" ? detached(part.text.slice(0, headEnd(part.text, room))) : ""

/** A text that is not empty, and what is between it and the next. */
const plus = (size: Size, text: string, join: string): Size => {
  if (text === "") return size
  const tally = new Tally().start(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  tally.text(text + join)
  return { bytes: size.bytes + tally.bytes, lines: size.lines + tally.lines }
}

const takeTail = (content: ReadonlyArray<ToolContent.ToolContent>, room: Size): End => {
  let after: Size = noSize
  let join = ""
  const tally = new Tally()
  const index = content.findLastIndex((part) => {
    const text = textOf(part)
    if (text === undefined) return false
    tally.start(room.bytes - after.bytes, room.lines - after.lines).text(text)
    if (join !== "") tally.break()
    if (tally.isOver) return true
    after = { bytes: after.bytes + tally.bytes, lines: after.lines + tally.lines }
    join = "\n"
    return false
  })
  const cut = tailOf(content[index], minus(room, after), join)
  return { index, text: cut, ...plus(after, cut, join) }
}

/** What follows begins on a new line, so a line feed at the end of the text makes an empty line before it. */
const tailOf = (part: ToolContent.ToolContent | undefined, room: Size, join: string): string => {
  if (part?._tag !== "Text") return ""
  const { text } = part
  const lines = join !== "" && text.endsWith("\n") ? room.lines - 1 : room.lines
  return detached(text.slice(tailStart(text, { bytes: room.bytes - join.length, lines })))
}

const assemble = (content: ReadonlyArray<ToolContent.ToolContent>, head: End, tail: End, marker: string): Preview => {
  const marked = onLines([head.text, marker, ...(head.index === tail.index ? [tail.text] : [])])
  const parts = content.flatMap((part, from): ReadonlyArray<Shown> => {
    if (from < head.index || from > tail.index) return [{ from, part }]
    const media = part._tag === "Media" ? [{ from, part: unnamed(part) }] : []
    if (from === head.index) return [{ from, part: ToolContent.text(marked) }, ...media]
    return from === tail.index && tail.text !== "" ? [{ from, part: ToolContent.text(tail.text) }] : media
  })
  return { parts, marked }
}

const onLines = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n")

const unnamed = ({ data, mimeType }: ToolContent.Media): ToolContent.Media => ({ _tag: "Media", mimeType, data })
