/** Failures that are too large: what programs decide on stays, words give way, and all of it is kept. */
import type * as OutputStore from "@haft/core/OutputStore"
import * as ToolContent from "@haft/core/ToolContent"
import { ToolFailure } from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { contentPreview, markerOf } from "./contentPreview.ts"
import { divide, type Rooms } from "./failureRooms.ts"
import { leastBytes } from "./jsonEntries.ts"
import { prune, pruneObject, pruneText } from "./jsonPreview.ts"
import type { Keeping } from "./keeping.ts"
import type { Keys } from "./keys.ts"
import * as OutputContent from "./outputContent.ts"
import { pruneReason } from "./reasonPreview.ts"
import { noteWithin } from "./reportNote.ts"
import { shortLine } from "./shortText.ts"
import type { Size } from "./tally.ts"
import { present } from "./visible.ts"

/** A partial output that is text is kept as text, and by itself. Everything else is kept together. */
export const boundFailure = Effect.fnUntraced(function* (
  failure: ToolFailure,
  room: Size,
  keeping: Keeping
): Effect.fn.Return<ToolFailure, OutputStore.StorageError> {
  const note = noteWithin(room, keeping.reader)
  const rooms = divide(failure, room, note, keeping.keys)
  const fields = shortened(failure, rooms, keeping.keys)
  const { partial } = failure
  if (typeof partial !== "string" || !rooms.isCut("partial")) {
    const kept = yield* keeping.keep(OutputContent.ofJson(fieldsOf(failure), keeping.keys))
    return toFailure({ ...fields, message: withNote(fields.message, note.of(kept)) })
  }
  const shown = yield* boundPartial(partial, rooms.of("partial"), keeping)
  if (!rooms.isAnyCutBut("partial")) return toFailure({ ...fields, partial: shown })
  const { partial: _, ...others } = fieldsOf(failure)
  const kept = yield* keeping.keep(OutputContent.ofJson(others, keeping.keys))
  return toFailure({ ...fields, partial: shown, message: withNote(fields.message, note.of(kept)) })
})

const withNote = (message: string, note: string): string => (message === "" ? note : `${message}\n${note}`)

/** Leaves room for a line feed after it. */
const boundPartial = (
  partial: string,
  { bytes, lines }: Size,
  keeping: Keeping
): Effect.Effect<string, OutputStore.StorageError> => {
  const content = [ToolContent.text(partial)]
  const room = { bytes: bytes - 1, lines }
  return Effect.map(
    keeping.keep(OutputContent.ofTexts(content)),
    (kept) => contentPreview(content, room, kept, markerOf(kept.ref, keeping.reader)).marked
  )
}

const toFailure = Schema.decodeUnknownSync(ToolFailure)

/** All of a failure, as it is written down. */
const fieldsOf = ({ details, field, hint, message, partial, reason, retry }: ToolFailure): Schema.JsonObject =>
  present({ _tag: "ToolFailure", reason, message, hint, field, details, retry, partial })

interface Shortened {
  readonly message: string
}

/** What is optional goes where there is no room for it. */
const shortened = (failure: ToolFailure, rooms: Rooms, keys: Keys): Shortened & Schema.JsonObject => {
  const { details, field, hint, message, partial, reason, retry } = failure
  const fit = <A>(key: Parameters<Rooms["of"]>[0], value: A | undefined, shorten: (value: A, room: Size) => A) => {
    if (value === undefined || !rooms.isCut(key)) return value
    return rooms.of(key).bytes < leastBytes ? undefined : shorten(value, rooms.of(key))
  }
  return {
    message: rooms.isCut("message") ? shortLine(message, rooms.of("message")) : message,
    ...present({
      _tag: "ToolFailure",
      reason: rooms.isCut("reason") ? pruneReason(reason, rooms.of("reason").bytes, keys) : reason,
      hint: fit("hint", hint, shortLine),
      field: fit("field", field, (text, { bytes }) => pruneText(text, bytes)),
      details: fit("details", details, (object, { bytes }) => pruneObject(object, bytes, keys)),
      partial: fit("partial", partial, (value, { bytes }) => prune(value, bytes, keys)),
      retry
    })
  }
}
