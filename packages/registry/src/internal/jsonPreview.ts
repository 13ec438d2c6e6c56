/**
 * JSON that is too large, made smaller: still JSON, of the same shape, with the first and the last entries of what is
 * long, and how much is missing between them.
 */
import type * as Schema from "effect/Schema"
import { jsonWidth } from "./characters.ts"
import { isContainer, isList } from "./containers.ts"
import { type Entries, pick, type Picked } from "./jsonEntries.ts"
import * as Sentences from "./sentences.ts"
import { shortText } from "./shortText.ts"
import { jsonSize } from "./tally.ts"

/** Deeper than what anybody looks at, and shallow enough for a plain recursion that measures on each level. */
const maxDepth = 16

/** Keys are names. One that is longer is data, and is left out with what it leads to. */
const maxKeyBytes = 256

/** The value itself if it fits. Anything fits `leastBytes`, and a text fits its quotes. */
export const prune = (value: Schema.Json, bytes: number, depth = maxDepth): Schema.Json => {
  if (jsonSize(value, bytes) <= bytes) return value
  if (typeof value === "string") return pruneText(value, bytes)
  if (!isContainer(value)) return value
  if (depth === 0) return pruneText(Sentences.nested, bytes)
  return isList(value) ? pruneList(value, bytes, depth) : pruneObject(value, bytes, depth)
}

/** Line feeds are escaped in JSON, so that it is one line. */
export const pruneText = (text: string, bytes: number): string =>
  shortText(text, { bytes: bytes - quotes, lines: Number.POSITIVE_INFINITY }, jsonWidth)

const quotes = 2

const pruneList = (list: Schema.JsonArray, bytes: number, depth: number): Schema.Json => {
  const entries = { count: list.length, valueAt: (index: number) => list[index] ?? null, overheadAt: () => comma }
  const note = jsonSize([Sentences.itemsLeftOut(list.length)])
  const { first, last } = pick(entries, bytes - note - comma)
  const shown = ({ bytes, index }: Picked) => prune(entries.valueAt(index), bytes, depth - 1)
  const missing = list.length - first.length - last.length
  const leftOut = missing === 0 ? [] : [Sentences.itemsLeftOut(missing)]
  return [...first.map(shown), ...leftOut, ...last.map(shown)]
}

const comma = 1
const colon = 1

/** For an object that does not fit: what is left is an object too. */
export const pruneObject = (object: Schema.JsonObject, bytes: number, depth = maxDepth): Schema.JsonObject => {
  const keys = Object.keys(object)
  const entries = entriesOf(object, keys)
  const note = jsonSize({ [Sentences.ellipsis]: Sentences.keysLeftOut(keys.length) })
  const { first, last } = pick(entries, bytes - note - comma)
  const shown = ({ bytes, index }: Picked) => [keys[index] ?? "", prune(entries.valueAt(index), bytes, depth - 1)]
  const missing = keys.length - first.length - last.length
  const leftOut = missing === 0 ? [] : [[Sentences.ellipsis, Sentences.keysLeftOut(missing)]]
  return Object.fromEntries([...first.map(shown), ...leftOut, ...last.map(shown)])
}

const entriesOf = (object: Schema.JsonObject, keys: ReadonlyArray<string>): Entries => ({
  count: keys.length,
  valueAt: (index) => object[keys[index] ?? ""] ?? null,
  overheadAt: (index) => {
    const size = jsonSize(keys[index] ?? "", maxKeyBytes)
    return size > maxKeyBytes ? undefined : size + colon + comma
  }
})
