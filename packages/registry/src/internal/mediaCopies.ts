/** Finds texts that repeat the bytes of a media part: a model has no use for them, and they are huge. */
import type { Media } from "@haft/core/ToolContent"
import type * as Schema from "effect/Schema"
import { Buffer } from "node:buffer"
import { isContainer, isList } from "./containers.ts"

/** In base64. A shorter text may be equal by chance, and costs less than what would stand in its place. */
const leastCharacters = 128

/** Characters before the base64 in a data URL: a mime type of 255, and some parameters. */
const maxPrefix = 512

/** What stands for a copy of the part at an index. */
export type Pointer = (index: number) => string

/** The same value, or one in which pointers stand for the base64 and the data URLs of these parts. */
export const withoutCopies = (value: Schema.Json, media: ReadonlyArray<Media>, pointer: Pointer): Schema.Json => {
  if (typeof value === "string") {
    const original = value.length < leastCharacters ? -1 : media.findIndex((part) => isCopy(value, part))
    return original === -1 ? value : pointer(original)
  }
  if (!isContainer(value)) return value
  const replace = (child: Schema.Json) => withoutCopies(child, media, pointer)
  return isList(value) ? replacedItems(value, replace) : replacedMembers(value, replace)
}

type Replace = (value: Schema.Json) => Schema.Json

/** Copies only what changes. */
const replacedItems = (items: Schema.JsonArray, replace: Replace): Schema.JsonArray => {
  let changed: Array<Schema.Json> | undefined
  for (const [index, item] of items.entries()) {
    const other = replace(item)
    if (other === item) continue
    changed ??= [...items]
    changed[index] = other
  }
  return changed ?? items
}

const replacedMembers = (members: Schema.JsonObject, replace: Replace): Schema.JsonObject => {
  const entries = Object.entries(members).map(([key, member]) => [key, replace(member)] as const)
  return entries.every(([key, member]) => members[key] === member) ? members : Object.fromEntries(entries)
}

/** Compares piece by piece, so that a large part is not in memory a second time. */
const isCopy = (text: string, { data }: Media): boolean => {
  const start = base64Start(text)
  if (start === -1 || text.length - start !== 4 * Math.ceil(data.length / 3)) return false
  for (let offset = 0; offset < data.length; offset += pieceBytes) {
    const piece = Buffer.from(data.buffer, data.byteOffset + offset, Math.min(pieceBytes, data.length - offset))
    if (!text.startsWith(piece.toString("base64"), start + (offset / 3) * 4)) return false
  }
  return true
}

/** Divisible by three: the pieces of base64 are then those of the whole. */
const pieceBytes = 48 * 1024

const base64Start = (text: string): number => {
  if (!text.startsWith("data:")) return 0
  const end = text.slice(0, maxPrefix).indexOf(base64Mark)
  return end === -1 ? -1 : end + base64Mark.length
}

const base64Mark = ";base64,"
