/** The line that follows the message of a failure or a rejection of which something was left out. */
import type { Retained } from "@haft/core/OutputStore"
import * as Sentences from "./sentences.ts"
import type { Size } from "./tally.ts"

/** In ASCII, so that its length is its size. */
export interface Note {
  /** However long the reference turns out to be. */
  readonly maxBytes: number
  readonly of: (kept: Retained) => string
}

/** A long note would leave no room for what it is about. */
export const noteWithin = (room: Size, reader: string | undefined): Note => {
  const maxBytes = Sentences.shortenedReport(Number.MAX_SAFE_INTEGER, { ref: longestRef, reader }).length
  return maxBytes <= room.bytes / 4
    ? { maxBytes, of: ({ bytes, ref }) => Sentences.shortenedReport(bytes, { ref, reader }) }
    : { maxBytes: maxBriefBytes, of: ({ ref }) => Sentences.brief(ref) }
}

/** As long as `ManagedOutput.Ref` admits. */
const longestRef = "out_".padEnd(68, "-")

/** Of the shortest text that refers to a kept output. */
export const maxBriefBytes = Sentences.brief(longestRef).length
