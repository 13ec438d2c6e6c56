/** A directory as a page of paths that can be used in the next call. */
import * as Effect from "effect/Effect"
import { invalidArgument } from "./failures.ts"
import type { Entry, OpenDirectory } from "./fileReads.ts"
import type { Range } from "./readFile.ts"
import * as Sentences from "./readSentences.ts"
import { pathCost } from "./sentences.ts"
import type { Target } from "./targets.ts"
import { maxBytes, maxLines } from "./textPage.ts"

export const readListing = Effect.fnUntraced(function* (
  directory: OpenDirectory,
  { path, resource }: Target,
  { limit = maxLines, offset = 1 }: Range
) {
  const entries = yield* directory.entries
  if (offset > 1 && offset > entries.length) {
    const message = Sentences.beyondEntries(path, entries.length)
    return yield* invalidArgument("offset", message, Sentences.beyondEndHint(entries.length))
  }
  const listed = entries.slice(offset - 1).map((entry) => listedAs(resource, entry))
  const shown = listed.slice(0, fitting(listed, Math.min(limit, maxLines), pathCost(resource)))
  const next = offset + shown.length
  const rest = next > entries.length ? {} : { nextOffset: next }
  return { kind: "listing" as const, path: resource, entries: shown, entryCount: entries.length, ...rest }
})

const listedAs = (directory: string, { name, type }: Entry) => ({ name, path: pathTo(directory, name), type })

const pathTo = (directory: string, name: string): string => {
  if (directory === ".") return name
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`
}

/** How many entries fit on a page, each once as text and once in the structured value. */
const fitting = (
  entries: ReadonlyArray<{ readonly name: string; readonly path: string }>,
  limit: number,
  pageCost: number
): number => {
  let cost = pageCost
  const end = entries.findIndex((entry, index) => {
    cost += pathCost(entry.path) + Buffer.byteLength(JSON.stringify(entry.name)) + lineOverhead
    return index >= limit || (index > 0 && cost > maxBytes)
  })
  return end === -1 ? entries.length : end
}

/** The longest mark behind a name, a line feed, and the keys and the type in the structured value. */
const lineOverhead = 80
