/** Counts what a model would be sent, in bytes of UTF-8 and in lines, and stops where a limit is passed. */
import type * as Schema from "effect/Schema"
import { Buffer } from "node:buffer"
import * as Characters from "./characters.ts"
import { type Container, isContainer, isList } from "./containers.ts"
import { Keys } from "./keys.ts"

/** How much room something takes or may take. A line ends with a line feed or with the text. */
export interface Size {
  readonly bytes: number
  readonly lines: number
}

/** Made once and started anew for each count, so that counting what is small allocates nothing. */
export class Tally implements Size {
  bytes = 0
  private breaks = 0
  private jsonLines = 0
  private hasText = false
  private isOpen = false
  private maxBytes = 0
  private maxLines = 0
  /** Containers that are still to be counted. Empty whenever nothing is being counted. */
  private readonly pending: Array<Container> = []

  start(maxBytes: number, maxLines: number): this {
    this.bytes = 0
    this.breaks = 0
    this.jsonLines = 0
    this.hasText = false
    this.isOpen = false
    this.maxBytes = maxBytes
    this.maxLines = maxLines
    return this
  }

  get lines(): number {
    return this.breaks + this.jsonLines + (this.isOpen ? 1 : 0)
  }

  /** What was counted is then a part only. */
  get isOver(): boolean {
    return this.bytes > this.maxBytes || this.lines > this.maxLines
  }

  /** A text that follows the others on a line of its own. */
  piece(text: string): void {
    this.next()
    this.text(text)
  }

  /** Goes to where the next piece begins. */
  next(): void {
    if (this.hasText) this.break()
    this.hasText = true
  }

  break(): void {
    this.bytes++
    this.breaks++
    this.isOpen = false
  }

  text(text: string): void {
    if (this.isTooLong(text) || text.length === 0) return
    this.bytes += Buffer.byteLength(text)
    for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) this.breaks++
    this.isOpen = !text.endsWith("\n")
  }

  /** As compact JSON, which is one line. */
  json(value: Schema.Json, keys = new Keys()): void {
    this.jsonLines++
    this.value(value)
    for (let next = this.pending.pop(); next !== undefined && !this.isOver; next = this.pending.pop()) {
      this.open(next, keys)
    }
    // Also an empty list would lose the room it has.
    if (this.pending.length > 0) this.pending.length = 0
  }

  private value(value: Schema.Json): void {
    if (typeof value === "string") this.string(value)
    else if (isContainer(value)) this.enter(value)
    else this.bytes += String(value).length
  }

  /** Its brackets count at once, so that a list of empty lists ends the count as soon as any other. */
  private enter(container: Container): void {
    this.bytes += 2
    this.pending.push(container)
  }

  /** Keys, commas and what is not nested further. Each entry counts the comma after it, which the last one lacks. */
  private open(container: Container, keys: Keys): void {
    const start = this.bytes
    const isComplete = isList(container) ? this.items(container) : this.members(container, keys)
    if (isComplete && this.bytes > start) this.bytes--
  }

  /** False if it stopped before the end. */
  private items(items: Schema.JsonArray): boolean {
    for (const item of items) {
      if (this.bytes > this.maxBytes) return false
      this.value(item)
      this.bytes++
    }
    return true
  }

  private members(members: Schema.JsonObject, keys: Keys): boolean {
    for (const key of keys.of(members)) {
      if (this.bytes > this.maxBytes) return false
      this.string(key)
      this.value(members[key] ?? null)
      this.bytes += 2
    }
    return true
  }

  private string(text: string): void {
    if (this.isTooLong(text)) return
    let bytes = this.bytes + 2
    for (let index = 0; index < text.length; index++) {
      const width = Characters.jsonWidth(text, index)
      bytes += width
      // Nothing else takes four.
      if (width === 4) index++
    }
    this.bytes = bytes
  }

  /** No character takes less than a byte, so a text that is too long need not be looked at. */
  private isTooLong(text: string): boolean {
    if (text.length <= this.maxBytes - this.bytes) return false
    this.bytes = this.maxBytes + 1
    return true
  }
}

const jsonTally = new Tally()

/** Bytes as compact JSON, or infinitely many if there are more than `max`. */
export const jsonSize = (value: Schema.Json, max = Number.POSITIVE_INFINITY, keys?: Keys): number => {
  jsonTally.start(max, Number.POSITIVE_INFINITY).json(value, keys)
  return jsonTally.isOver ? Number.POSITIVE_INFINITY : jsonTally.bytes
}

/** Of a text and the line feed after it. One that is too long for the room counts as too much in lines as well. */
export const lineSize = (text: string, room: Size): Size => {
  const tally = new Tally().start(room.bytes, Number.POSITIVE_INFINITY)
  tally.text(text)
  tally.break()
  return { bytes: tally.bytes, lines: tally.isOver ? room.lines + 1 : tally.lines }
}
