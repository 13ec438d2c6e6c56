/** What of a settlement a model reads, and how much that is. */
import type { Rejected, Settlement } from "@haft/core/Settlement"
import type { ToolContent } from "@haft/core/ToolContent"
import type { ToolFailure } from "@haft/core/ToolFailure"
import type { ToolOutput } from "@haft/core/ToolOutput"
import type * as Schema from "effect/Schema"
import { textOf } from "./contentPreview.ts"
import type { Keys } from "./keys.ts"
import type { Tally } from "./tally.ts"

/** Counts no further than the limits that the tally was started with. */
export const count = (tally: Tally, settlement: Settlement, keys: Keys): Tally => {
  switch (settlement._tag) {
    case "Succeeded":
      return countOutput(tally, settlement.output, keys)
    case "Failed":
      return countFailure(tally, settlement.failure, keys)
    case "Rejected":
      return countRejection(tally, settlement)
  }
}

const countOutput = (tally: Tally, { content, structured }: ToolOutput, keys: Keys): Tally => {
  countTexts(tally, content)
  if (!tally.isOver && indexOfTwin(content, structured) === -1) tally.json(structured, keys)
  return tally
}

export const countTexts = (tally: Tally, content: ReadonlyArray<ToolContent>): Tally => {
  for (const part of content) {
    const text = textOf(part)
    if (text !== undefined) tally.piece(text)
    if (tally.isOver) return tally
  }
  return tally
}

/** A structured string that is also a text is one thing to read. Gives the index of that text. */
export const indexOfTwin = (content: ReadonlyArray<ToolContent>, structured: Schema.Json): number =>
  typeof structured === "string" ? content.findIndex((part) => part._tag === "Text" && part.text === structured) : -1

const countFailure = (tally: Tally, failure: ToolFailure, keys: Keys): Tally => {
  tally.piece(failure.message)
  if (failure.hint !== undefined) tally.piece(failure.hint)
  if (typeof failure.partial === "string") tally.piece(failure.partial)
  if (!tally.isOver) tally.json(dataOf(failure), keys)
  return tally
}

/** What of a failure is read as data. Everything else is read as text. */
export const dataOf = ({ details, field, partial, reason, retry }: Readonly<Partial<ToolFailure>>): Schema.JsonObject =>
  present({ reason, field, details, partial: typeof partial === "string" ? undefined : partial, retry })

/** Without the fields that are not there. */
export const present = (fields: Readonly<Record<string, Schema.Json | undefined>>): Schema.JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))

const countRejection = (tally: Tally, { message, rejection }: Rejected): Tally => {
  tally.piece(message)
  if (!tally.isOver) tally.json(rejection)
  return tally
}
