/** Rejections that are too large: as many violations as fit, and all of them kept. */
import type * as OutputStore from "@haft/core/OutputStore"
import type { Rejected, Rejection } from "@haft/core/Settlement"
import * as Effect from "effect/Effect"
import type { Keeping } from "./keeping.ts"
import * as OutputContent from "./outputContent.ts"
import { noteWithin } from "./reportNote.ts"
import { shares } from "./shares.ts"
import { shortLine } from "./shortText.ts"
import { jsonSize, type Size, lineSize } from "./tally.ts"

/** What a model reads of a rejection. */
type Report = Pick<Rejected, "message" | "rejection">

export const boundRejection = Effect.fnUntraced(function* (
  { message, rejection }: Report,
  room: Size,
  keeping: Keeping
): Effect.fn.Return<Report, OutputStore.StorageError> {
  const note = noteWithin(room, keeping.reader)
  const kept = yield* keeping.keep(OutputContent.ofJson({ message, rejection }, keeping.keys))
  const need = lineSize(message, room).bytes
  const [words = 0, data = 0] = shares(room.bytes - note.maxBytes, [
    need,
    Math.min(room.bytes + 1, jsonSize(rejection, room.bytes))
  ])
  // The note and the data take a line each.
  const short = shortLine(message, { bytes: words, lines: room.lines - 2 })
  return { message: `${short}\n${note.of(kept)}`, rejection: fewerViolations(rejection, data) }
})

/** Those that are left out are counted with those that were left out before. */
const fewerViolations = (rejection: Rejection, bytes: number): Rejection => {
  if (rejection._tag !== "InvalidInput") return rejection
  const { violations, violationsOmitted } = rejection
  let left = bytes - jsonSize({ _tag: "InvalidInput", violations: [], violationsOmitted: Number.MAX_SAFE_INTEGER })
  const end = violations.findIndex((violation) => {
    left -= 1 + jsonSize(violation, left)
    return left < 0
  })
  if (end === -1) return rejection
  return {
    _tag: "InvalidInput",
    violations: violations.slice(0, end),
    violationsOmitted: violationsOmitted + violations.length - end
  }
}
