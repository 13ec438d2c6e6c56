/** The reason of a failure with fewer words. Its tag, its numbers and the words that programs decide on stay. */
import { Reason } from "@haft/core/ToolFailure"
import * as Schema from "effect/Schema"
import { leastBytes } from "./jsonEntries.ts"
import { prune, pruneText } from "./jsonPreview.ts"
import type { Keys } from "./keys.ts"
import * as Sentences from "./sentences.ts"
import { shares } from "./shares.ts"
import { jsonSize } from "./tally.ts"

/** Fields with a closed set of words. */
const decisive = new Set(["_tag", "by", "boundBy"])

type Words = string | Schema.JsonArray

const isWords = (key: string, value: Schema.Json): value is Words =>
  !decisive.has(key) && (typeof value === "string" || Array.isArray(value))

/** What is left of a reason when every text and every list is empty. */
export const frameOf = (reason: Reason): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries<Schema.Json>(reason).map(([key, value]) => {
      if (!isWords(key, value)) return [key, value]
      return [key, typeof value === "string" ? "" : []]
    })
  )

/** Takes no more than the frame and `bytes`. */
export const pruneReason = (reason: Reason, bytes: number, keys: Keys): Reason => {
  const entries = Object.entries<Schema.Json>(reason)
  const needs = entries.map(([key, value]) => (isWords(key, value) ? Math.min(bytes + 1, jsonSize(value, bytes)) : 0))
  const rooms = shares(bytes, needs)
  return toReason(
    Object.fromEntries(
      entries.map(([key, value], index) => [
        key,
        isWords(key, value) ? pruneWords(value, rooms[index] ?? 0, keys) : value
      ])
    )
  )
}

const toReason = Schema.decodeUnknownSync(Reason)

const pruneWords = (words: Words, bytes: number, keys: Keys): Words => {
  if (jsonSize(words, bytes) <= bytes) return words
  return typeof words === "string" ? pruneText(words, bytes) : pruneItems(words, bytes, keys)
}

/** Of a violation that is cut: enough for all of its fields. */
const leastViolation = 6 * leastBytes

/** The first that fit and, where that is still a list of the same kind, how many are missing. */
const pruneItems = (items: Schema.JsonArray, bytes: number, keys: Keys): Schema.JsonArray => {
  const isTexts = typeof items[0] === "string"
  const shown: Array<Schema.Json> = []
  let left = bytes - jsonSize([Sentences.itemsLeftOut(items.length)])
  if (left < 0) return shown
  for (const item of items) {
    const size = 1 + jsonSize(item, left)
    if (size > left) {
      if (left > (isTexts ? leastBytes : leastViolation)) shown.push(prune(item, left - 1, keys))
      break
    }
    shown.push(item)
    left -= size
  }
  const missing = items.length - shown.length
  return isTexts && missing > 0 ? [...shown, Sentences.itemsLeftOut(missing)] : shown
}
