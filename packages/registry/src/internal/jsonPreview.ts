/**
 * JSON that is too large, made smaller: still JSON, of the same shape, with the first and the last entries of what is
 * long, and how much is missing between them.
 */
import type * as Schema from "effect/Schema"
import { jsonWidth } from "./characters.ts"
import { isContainer, isList } from "./containers.ts"
import { type Entries, pick, type Picked } from "./jsonEntries.ts"
import type { Keys } from "./keys.ts"
import * as Sentences from "./sentences.ts"
import { shortText } from "./shortText.ts"
import { jsonSize } from "./tally.ts"

/** Deeper than what anybody looks at, and shallow enough for a plain recursion that measures on each level. */
const maxDepth = 16

/** Keys are names. One that is longer is data, and is left out with what it leads to. */
const maxKeyBytes = 256

/** The value itself if it fits. Anything fits `leastBytes`, and a text fits its quotes. */
export const prune = (value: Schema.Json, bytes: number, keys: Keys, depth = maxDepth): Schema.Json => {
  if (jsonSize(value, bytes, keys) <= bytes) return value
  if (typeof value === "string") return pruneText(value, bytes)
  if (!isContainer(value)) return value
  if (depth === 0) return pruneText(Sentences.nested, bytes)
  return isList(value) ? pruneList(value, bytes, keys, depth) : pruneObject(value, bytes, keys, depth)
}

/** Line feeds are escaped in JSON, so that it is one line. */
export const pruneText = (text: string, bytes: number): string =>
  shortText(text, { bytes: bytes - quotes, lines: Number.POSITIVE_INFINITY }, jsonWidth)

const quotes = 2

const pruneList = (list: Schema.JsonArray, bytes: number, keys: Keys, depth: number): Schema.Json => {
  const entries = { count: list.length, valueAt: (index: number) => list[index] ?? null, overheadAt: () => comma }
  const note = jsonSize([Sentences.itemsLeftOut(list.length)])
  const { first, last } = pick(entries, bytes - note - comma, keys)
  const shown = ({ bytes, index }: Picked) => prune(entries.valueAt(index), bytes, keys, depth - 1)
  const missing = list.length - first.length - last.length
  const leftOut = missing === 0 ? [] : [Sentences.itemsLeftOut(missing)]
  return [...first.map(shown), ...leftOut, ...last.map(shown)]
}

const comma = 1
const colon = 1

/** For an object that does not fit: what is left is an object too. */
export const pruneObject = (
  object: Schema.JsonObject,
  bytes: number,
  keys: Keys,
  depth = maxDepth
): Schema.JsonObject => {
  const names = keys.of(object)
  const entries = entriesOf(object, names)
  const leftOut = leftOutOf(object, names, bytes)
  const { first, last } = pick(
    entries,
    bytes - jsonSize(leftOut(names.length, names.length, names.length)) - comma,
    keys
  )
  const shown = (picked: ReadonlyArray<Picked>) =>
    Object.fromEntries(
      picked.map(({ bytes, index }) => [names[index] ?? "", prune(entries.valueAt(index), bytes, keys, depth - 1)])
    )
  const missing = names.length - first.length - last.length
  const note = missing === 0 ? {} : leftOut(missing, first.length, last.length)
  return { ...shown(first), ...note, ...shown(last) }
}

type LeftOut = (count: number, first: number, last: number) => Schema.JsonObject

/**
 * An object has its whole numbers first, so that the note may stand behind what it should stand before, and says so. The
 * longest note that fits, or none.
 */
const leftOutOf = (object: Schema.JsonObject, names: ReadonlyArray<string>, bytes: number): LeftOut => {
  let key = Sentences.ellipsis
  while (Object.hasOwn(object, key)) key += Sentences.ellipsis
  const between: LeftOut = (...counts) => ({ [key]: Sentences.keysLeftOutBetween(...counts) })
  const plain: LeftOut = (count) => ({ [key]: Sentences.keysLeftOut(count) })
  const notes = wholeNumber.test(names[0] ?? "") ? [between, plain] : [plain]
  const fits = (note: LeftOut) => jsonSize(note(names.length, names.length, names.length)) <= bytes
  return notes.find(fits) ?? (() => ({}))
}

const wholeNumber = /^\d+$/

const entriesOf = (object: Schema.JsonObject, names: ReadonlyArray<string>): Entries => ({
  count: names.length,
  valueAt: (index) => object[names[index] ?? ""] ?? null,
  overheadAt: (index) => {
    const size = jsonSize(names[index] ?? "", maxKeyBytes)
    return size > maxKeyBytes ? undefined : size + colon + comma
  }
})
