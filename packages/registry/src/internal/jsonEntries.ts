/** Which entries of a long list or object are shown: some from either end, each with the room that it gets. */
import type * as Schema from "effect/Schema"
import type { Keys } from "./keys.ts"
import { jsonSize } from "./tally.ts"

/** An entry gets this much at least: a number, a few words of a text, or how much of a list is missing. */
export const leastBytes = 40

/** That many entries share the room, if there are so many: a list of huge entries still shows a few. */
const fewEntries = 8

/** Entries that cannot be shown. Where there are so many, hardly any can. */
const maxSkipped = 1_000

export interface Entries {
  readonly count: number
  readonly valueAt: (index: number) => Schema.Json
  /** The comma, and the key if there is one. Nothing for an entry that cannot be shown. */
  readonly overheadAt: (index: number) => number | undefined
}

export interface Picked {
  readonly index: number
  /** For the value alone. */
  bytes: number
}

export interface Ends {
  readonly first: ReadonlyArray<Picked>
  readonly last: ReadonlyArray<Picked>
}

/** Takes turns between both ends until the room is used. Measures no entry further than it could be shown. */
export const pick = (entries: Entries, room: number, keys: Keys): Ends => {
  const [first, last, cut]: [Array<Picked>, Array<Picked>, Array<Picked>] = [[], [], []]
  const equal = Math.floor(room / Math.min(entries.count, fewEntries))
  let [front, back, left] = [0, entries.count - 1, room]
  let skipped = 0
  while (front <= back && skipped < maxSkipped) {
    const isFirst = first.length <= last.length
    const index = isFirst ? front++ : back--
    const overhead = entries.overheadAt(index)
    if (overhead === undefined) {
      skipped++
      continue
    }
    const most = Math.max(leastBytes, equal - overhead)
    const size = jsonSize(entries.valueAt(index), most, keys)
    const picked = { index, bytes: Math.min(size, most) }
    if (overhead + picked.bytes > left) break
    left -= overhead + picked.bytes
    if (isFirst) first.push(picked)
    else last.unshift(picked)
    if (size > most) cut.push(picked)
  }
  const more = Math.floor(left / Math.max(1, cut.length))
  for (const picked of cut) picked.bytes += more
  return { first, last }
}
