/** Finds texts that repeat the bytes of a media part: a model has no use for them, and they are huge. */
import type { Media } from "@haft/core/ToolContent"
import type * as Schema from "effect/Schema"
import { Buffer } from "node:buffer"
import { type Container, isContainer, isList } from "./containers.ts"
import type { Keys } from "./keys.ts"
import type { Steps } from "./steps.ts"

/** In base64. A shorter text may be equal by chance, and costs less than what would stand in its place. */
const leastCharacters = 128

/** Characters before the base64 in a data URL: a mime type of 255, and some parameters. */
const maxPrefix = 512

/** What stands for a copy of the part at an index. */
export type Pointer = (index: number) => string

/** Entries that are looked at without a pause: a fraction of a millisecond. */
const stepEntries = 4_096

/** The same text, or a pointer if it is the base64 or the data URL of one of these parts. */
export function* textWithoutCopy(text: string, media: ReadonlyArray<Media>, pointer: Pointer): Steps<string> {
  if (text.length < leastCharacters) return text
  for (const [index, part] of media.entries()) if (yield* isCopy(text, part)) return pointer(index)
  return text
}

/** The same value, or one in which pointers stand for every text that is a copy. */
export function* withoutCopies(
  value: Schema.Json,
  media: ReadonlyArray<Media>,
  pointer: Pointer,
  keys: Keys
): Steps<Schema.Json> {
  const replaced = (text: string) => textWithoutCopy(text, media, pointer)
  if (typeof value === "string") return yield* replaced(value)
  return isContainer(value) ? yield* replacedWithin(value, replaced, keys) : value
}

/** Keeps its own stack, so nothing is too deep for it. */
function* replacedWithin(
  container: Container,
  replaced: (text: string) => Steps<string>,
  keys: Keys
): Steps<Container> {
  const frameOf = (container: Container) =>
    isList(container) ? list(container) : object(container, keys.of(container))
  const root = frameOf(container)
  const open = [root]
  let entries = 0
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (++entries % stepEntries === 0) yield undefined
    const child = frame.next()
    if (typeof child === "string") frame.put(yield* replaced(child))
    else if (child === undefined) {
      open.pop()
      open.at(-1)?.put(frame.result())
    } else if (isContainer(child)) open.push(frameOf(child))
  }
  return root.result()
}

/** A container, of which one entry after the other is looked at. It is copied when the first of them changes. */
interface Frame {
  readonly next: () => Schema.Json | undefined
  /** In place of the entry that was given last. */
  readonly put: (value: Schema.Json) => void
  readonly result: () => Container
}

const list = (items: Schema.JsonArray): Frame => {
  let index = -1
  let changed: Array<Schema.Json> | undefined
  return {
    next: () => (++index < items.length ? (items[index] ?? null) : undefined),
    put: (value) => {
      if (value === items[index]) return
      changed ??= [...items]
      changed[index] = value
    },
    result: () => changed ?? items
  }
}

const object = (members: Schema.JsonObject, names: ReadonlyArray<string>): Frame => {
  let index = -1
  let changed: Record<string, Schema.Json> | undefined
  return {
    next: () => (++index < names.length ? (members[names[index] ?? ""] ?? null) : undefined),
    put: (value) => {
      const name = names[index] ?? ""
      if (value === members[name]) return
      changed ??= { ...members }
      changed[name] = value
    },
    result: () => changed ?? members
  }
}

/** Compares piece by piece, so that a large part is not in memory a second time. */
function* isCopy(text: string, { data }: Media): Steps<boolean> {
  const start = base64Start(text)
  if (start === -1 || !hasLengthOf(text, start, data)) return false
  for (let offset = 0; offset < data.length; offset += pieceBytes) {
    // Most that differ do so in the first piece.
    if (offset % stepBytes === pieceBytes) yield undefined
    const piece = Buffer.from(data.buffer, data.byteOffset + offset, Math.min(pieceBytes, data.length - offset))
    if (!isPieceAt(text, start + (offset / 3) * 4, piece)) return false
  }
  return true
}

/** With what fills up the last four characters, or without. */
const hasLengthOf = (text: string, start: number, { length }: Uint8Array): boolean => {
  const [bare, filled] = [Math.ceil((length * 4) / 3), 4 * Math.ceil(length / 3)]
  const found = text.length - start
  return found === bare || (found === filled && text.endsWith("=".repeat(filled - bare)))
}

/** In either alphabet, that of addresses having `-` and `_`. */
const isPieceAt = (text: string, at: number, piece: Buffer): boolean =>
  text.startsWith(piece.toString("base64").replace(/=+$/, ""), at) || text.startsWith(piece.toString("base64url"), at)

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
