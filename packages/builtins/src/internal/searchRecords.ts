/**
 * What the engine prints, record by record. A record holds a whole line of a file, and every match in it once more, so it
 * can be larger than the file: of a long one only the beginning is kept, and the numbers behind it.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** One line of a file. */
export interface Line {
  readonly _tag: "Line"
  /** Nothing if the name is not UTF-8, so that no call could use it. */
  readonly path: string | undefined
  readonly isMatch: boolean
  readonly line: number
  /** Of the line in the file, behind a byte order mark. */
  readonly offset: number
  /** The line, or its beginning. */
  readonly bytes: Buffer
  readonly isWhole: boolean
  /** Where in `bytes` the first match begins. */
  readonly start: number
}

/** All lines of one file have come. */
export interface FileEnd {
  readonly _tag: "FileEnd"
}

export type Event = Line | FileEnd

/** Longer ones are not kept whole. The usual record has some hundred bytes. */
export const maxRecordBytes = 1024 * 1024

/** Behind the marker there is at least this much of a record, or its end. */
const numbersBytes = 128

export class RecordReader {
  private kept: Array<Uint8Array> = []
  private length = 0
  private carry: Buffer = Buffer.alloc(0)
  private numbers: Numbers | undefined

  /** Takes the next bytes that the engine printed. */
  push(bytes: Uint8Array): ReadonlyArray<Event> {
    const events: Array<Event> = []
    let from = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
      this.keep(bytes.subarray(from, end))
      const event = this.endRecord()
      if (event !== undefined) events.push(event)
      from = end + 1
    }
    this.keep(bytes.subarray(from))
    return events
  }

  private keep(bytes: Uint8Array): void {
    const room = Math.max(0, maxRecordBytes - this.length)
    if (room > 0) this.kept.push(bytes.subarray(0, room))
    if (this.length <= maxRecordBytes && this.length + bytes.length > maxRecordBytes)
      this.seek(Buffer.concat(this.kept))
    if (bytes.length > room) this.seek(bytes.subarray(room))
    this.length += bytes.length
  }

  private seek(bytes: Uint8Array): void {
    if (this.numbers !== undefined) return
    const joined = Buffer.concat([this.carry, bytes])
    this.numbers = numbersIn(joined)
    this.carry = joined.subarray(-numbersBytes)
  }

  private endRecord(): Event | undefined {
    const head = Buffer.concat(this.kept)
    const event = this.length > maxRecordBytes ? longLine(head, this.numbers) : eventOf(head)
    this.kept = []
    this.length = 0
    this.carry = Buffer.alloc(0)
    this.numbers = undefined
    return event
  }
}

const lineFeed = 0x0a

const Data = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ bytes: Schema.String })])
type Data = typeof Data.Type

const Printed = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["match", "context"]),
    data: Schema.Struct({
      path: Data,
      lines: Data,
      line_number: Schema.Int,
      absolute_offset: Schema.Int,
      /** One for each match in the line, of which only the first counts. */
      submatches: Schema.Unknown
    })
  }),
  Schema.Struct({ type: Schema.Literal("end") })
])

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Printed))

const eventOf = (record: Buffer): Event | undefined => {
  const printed = Option.getOrUndefined(decode(record.toString("utf8")))
  if (printed === undefined) return undefined
  if (printed.type === "end") return { _tag: "FileEnd" }
  const { absolute_offset: offset, line_number: line, lines, path, submatches } = printed.data
  return {
    _tag: "Line",
    path: textOf(path),
    isMatch: printed.type === "match",
    line,
    offset,
    bytes: bytesOf(lines),
    isWhole: true,
    start: startOf(submatches)
  }
}

const startOf = (submatches: unknown): number => {
  const first: unknown = Array.isArray(submatches) ? submatches[0] : undefined
  return Predicate.hasProperty(first, "start") && typeof first.start === "number" ? first.start : 0
}

const textOf = (data: Data): string | undefined => ("text" in data ? data.text : undefined)

const bytesOf = (data: Data): Buffer =>
  "text" in data ? Buffer.from(data.text, "utf8") : Buffer.from(data.bytes, "base64")

interface Numbers {
  readonly line: number
  readonly offset: number
}

/** A brace, a comma and a quote cannot follow each other inside a string of JSON, so this is always behind the line. */
const marker = /\},"line_number":(\d+),"absolute_offset":(\d+),/

const numbersIn = (bytes: Buffer): Numbers | undefined => {
  const [, line, offset] = marker.exec(bytes.toString("latin1")) ?? []
  return line === undefined ? undefined : { line: Number(line), offset: Number(offset) }
}

/** Enough for the longest path and for as much of a line as is shown. */
const headBytes = 128 * 1024

const opening =
  /^\{"type":"(match|context)","data":\{"path":(\{"(?:text|bytes)":"(?:[^"\\]+|\\.)*"\}),"lines":\{"(text|bytes)":"/

const decodePath = Schema.decodeUnknownOption(Schema.fromJsonString(Data))

/** Any whole number of characters at the beginning of a string in JSON. */
const characters = /^(?:[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/

const longLine = (head: Buffer, numbers: Numbers | undefined): Line | undefined => {
  const text = head.subarray(0, headBytes).toString("utf8")
  const [begin, type, path = "", form] = opening.exec(text) ?? []
  if (begin === undefined || numbers === undefined) return undefined
  return {
    _tag: "Line",
    path: Option.getOrUndefined(Option.map(decodePath(path), textOf)),
    isMatch: type === "match",
    ...numbers,
    bytes: form === "text" ? beginningOf(text.slice(begin.length)) : ofBase64(text.slice(begin.length)),
    isWhole: false,
    start: 0
  }
}

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** Without the last character, of which only a half may be there. */
const beginningOf = (text: string): Buffer => {
  const [whole = ""] = characters.exec(text) ?? []
  const decoded = Option.getOrElse(decodeText(`"${whole}"`), () => "")
  return Buffer.from(
    decoded
      .replace(/\uFFFD*$/, "")
      .slice(0, -1)
      .toWellFormed(),
    "utf8"
  )
}

const ofBase64 = (text: string): Buffer => {
  const [digits = ""] = /^[A-Za-z0-9+/]*/.exec(text) ?? []
  return Buffer.from(digits.slice(0, digits.length - (digits.length % 4)), "base64")
}
