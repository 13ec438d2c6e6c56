/** How much room each field of a failure that is too large gets. */
import type { ToolFailure } from "@haft/core/ToolFailure"
import type * as Schema from "effect/Schema"
import type { Keys } from "./keys.ts"
import { frameOf } from "./reasonPreview.ts"
import { maxBriefBytes, type Note } from "./reportNote.ts"
import { shares } from "./shares.ts"
import { jsonSize, type Size, lineSize } from "./tally.ts"
import { present } from "./visible.ts"

/** Everything that can be long. The advice on retrying never is. */
const fields = ["message", "hint", "field", "reason", "details", "partial"] as const
type Field = (typeof fields)[number]

export interface Rooms {
  readonly of: (field: Field) => Size
  /** Whether a field needs more than it gets. */
  readonly isCut: (field: Field) => boolean
  readonly isAnyCutBut: (field: Field) => boolean
}

/** Together with the note and everything that is never cut, the rooms are within `room`. */
export const divide = (failure: ToolFailure, room: Size, note: Note, keys: Keys): Rooms => {
  const needs = fields.map((field) => needOf(failure, field, room, keys))
  // A reference at least, and the line feed after it.
  const partial = typeof failure.partial === "string" ? maxBriefBytes + 1 : 0
  const bytes = shares(
    room.bytes - fixedBytes(failure, note) - partial,
    needs.map((need) => need.bytes)
  )
  // The note and the data take a line each.
  const lines = shares(
    room.lines - 2,
    needs.map((need) => need.lines)
  )
  const of = (field: Field): Size => {
    const index = fields.indexOf(field)
    return { bytes: (bytes[index] ?? 0) + (field === "partial" ? partial : 0), lines: lines[index] ?? 0 }
  }
  const isCut = (field: Field): boolean => {
    const { bytes, lines } = needs[fields.indexOf(field)] ?? nothing
    return bytes > of(field).bytes || lines > of(field).lines
  }
  return { of, isCut, isAnyCutBut: (spared) => fields.some((field) => field !== spared && isCut(field)) }
}

const nothing: Size = { bytes: 0, lines: 0 }

/** What a field takes besides what is fixed. More than the whole room is not counted. */
const needOf = (failure: ToolFailure, field: Field, room: Size, keys: Keys): Size => {
  const value = failure[field]
  if (value === undefined) return nothing
  const isText = field === "message" || field === "hint" || field === "partial"
  if (isText && typeof value === "string") return lineSize(value, room)
  return { bytes: Math.min(room.bytes + 1, jsonSize(value, room.bytes, keys)), lines: 0 }
}

/** The note, and the data without its words. */
const fixedBytes = ({ details, field, partial, reason, retry }: ToolFailure, note: Note): number => {
  const data: Readonly<Record<string, Schema.Json | undefined>> = {
    reason: frameOf(reason),
    field: field === undefined ? undefined : "",
    details: details === undefined ? undefined : {},
    partial: partial === undefined || typeof partial === "string" ? undefined : null,
    retry
  }
  return note.maxBytes + jsonSize(present(data))
}
