/** Writes JSON as text a piece at a time, without ever having all of it: exactly what `JSON.stringify` would give. */
import type * as Schema from "effect/Schema"
import { boundaryAt } from "./characters.ts"
import { type Container, isContainer, isList } from "./containers.ts"
import { Keys } from "./keys.ts"

/** Pieces of about `length` characters, at least two. Keeps its own stack, so nothing is too deep for it. */
export function* jsonText(value: Schema.Json, length: number, keys = new Keys()): Generator<string> {
  const writer = new Writer(length, keys)
  writer.write(value)
  while (writer.step()) {
    if (writer.text.length < length) continue
    yield writer.text
    writer.text = ""
  }
  yield writer.text
}

/** Writes a little more of one value. False when that was the last of it. */
type Frame = (writer: Writer) => boolean

class Writer {
  text = ""
  private readonly length: number
  private readonly keys: Keys
  private readonly open: Array<Frame> = []

  constructor(length: number, keys: Keys) {
    this.length = length
    this.keys = keys
  }

  write(value: Schema.Json): void {
    if (isContainer(value) && !isSmall(value, this.keys)) {
      this.open.push(isList(value) ? list(value) : object(value, this.keys.of(value)))
    } else if (typeof value === "string" && value.length > this.length) {
      this.open.push(string(value, this.length))
    } else this.text += JSON.stringify(value)
  }

  step(): boolean {
    const frame = this.open.at(-1)
    if (frame === undefined) return false
    if (!frame(this)) this.open.pop()
    return true
  }
}

/** Entries of a record as tables have it, and characters of a text in it. */
const fewEntries = 32
const shortText = 1_024

/** Written at once, which is several times faster. Looks at a few entries only, and not deep. */
const isSmall = (container: Container, keys: Keys, depth = 2): boolean => {
  const isSmallEntry = (value: Schema.Json): boolean => {
    if (isContainer(value)) return depth > 1 && isSmall(value, keys, depth - 1)
    return typeof value !== "string" || value.length <= shortText
  }
  if (isList(container)) return container.length <= fewEntries && container.every(isSmallEntry)
  const names = keys.of(container)
  return (
    names.length <= fewEntries && names.every((key) => key.length <= shortText && isSmallEntry(container[key] ?? null))
  )
}

const list = (items: Schema.JsonArray): Frame => {
  let index = 0
  return (writer) => {
    if (index === items.length) return close(writer, index === 0 ? "[]" : "]")
    writer.text += index === 0 ? "[" : ","
    writer.write(items[index++] ?? null)
    return true
  }
}

const object = (members: Schema.JsonObject, keys: ReadonlyArray<string>): Frame => {
  let index = 0
  return (writer) => {
    const key = keys[index]
    if (key === undefined) return close(writer, index === 0 ? "{}" : "}")
    writer.text += `${index++ === 0 ? "{" : ","}${JSON.stringify(key)}:`
    writer.write(members[key] ?? null)
    return true
  }
}

const string = (text: string, length: number): Frame => {
  let start = 0
  return (writer) => {
    if (start === text.length) return close(writer, '"')
    const end = boundaryAt(text, Math.min(text.length, start + length))
    const escaped = JSON.stringify(text.slice(start, end)).slice(1, -1)
    writer.text += start === 0 ? `"${escaped}` : escaped
    start = end
    return true
  }
}

const close = (writer: Writer, text: string): boolean => {
  writer.text += text
  return false
}
