/** Outputs that are too large: texts and structured value each give way only as far as they must. */
import type * as OutputStore from "@haft/core/OutputStore"
import type { ToolOutput } from "@haft/core/ToolOutput"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { contentPreview, markerOf } from "./contentPreview.ts"
import { leastBytes } from "./jsonEntries.ts"
import { prune } from "./jsonPreview.ts"
import type { Keeping } from "./keeping.ts"
import type { Keys } from "./keys.ts"
import * as OutputContent from "./outputContent.ts"
import * as Sentences from "./sentences.ts"
import { shares } from "./shares.ts"
import { jsonSize, type Size, Tally } from "./tally.ts"
import { countTexts, indexOfTwin } from "./visible.ts"

/** Both are kept if both are cut, unless they are the same text. */
export const boundOutput = Effect.fnUntraced(function* (
  output: ToolOutput,
  room: Size,
  keeping: Keeping
): Effect.fn.Return<ToolOutput, OutputStore.StorageError> {
  const { content, structured } = output
  const { json, text } = divide(output, room, keeping.keys)
  const texts =
    text === undefined
      ? output
      : cutTexts(output, text, yield* keeping.keep(OutputContent.ofTexts(content)), keeping.reader)
  if (json === undefined) return texts
  const kept = yield* keeping.keep(OutputContent.ofJson(structured, keeping.keys))
  return { ...texts, structured: cutJson(structured, json, kept, keeping) }
})

/** The room of each that does not fit. What fits is left alone. */
interface Division {
  readonly text: Size | undefined
  readonly json: number | undefined
}

const divide = ({ content, structured }: ToolOutput, room: Size, keys: Keys): Division => {
  if (indexOfTwin(content, structured) !== -1) return { text: room, json: undefined }
  // The structured value takes one line.
  const lines = room.lines - 1
  const tally = countTexts(new Tally().start(room.bytes, lines), content)
  const tooMuch = room.bytes + 1
  const textNeed = tally.isOver ? tooMuch : tally.bytes
  const jsonNeed = Math.min(tooMuch, jsonSize(structured, room.bytes, keys))
  const [text = 0, json = 0] = shares(room.bytes, [textNeed, jsonNeed])
  return { text: textNeed > text ? { bytes: text, lines } : undefined, json: jsonNeed > json ? json : undefined }
}

/** A structured string that is also a text becomes what is shown of that text. */
const cutTexts = (
  { content, structured }: ToolOutput,
  room: Size,
  kept: OutputStore.Retained,
  reader: string | undefined
): ToolOutput => {
  const { marked, parts } = contentPreview(content, room, kept, markerOf(kept.ref, reader))
  const shown = parts.map(({ part }) => part)
  const twin = indexOfTwin(content, structured)
  if (twin === -1) return { structured, content: shown }
  const text = parts.find(({ from, part }) => from === twin && part._tag === "Text")?.part
  return { structured: text?._tag === "Text" ? text.text : marked, content: shown }
}

/** Says what it is, so that nobody takes it for the value. */
const cutJson = (
  value: Schema.Json,
  bytes: number,
  { bytes: total, ref }: OutputStore.Retained,
  { keys, reader }: Keeping
): Schema.Json => {
  const preview = Sentences.shortened(total, { ref, reader })
  const room = bytes - jsonSize({ preview, value: null }) + jsonSize(null)
  if (room >= leastBytes) return { preview, value: prune(value, room, keys) }
  return { preview: jsonSize({ preview }) <= bytes ? preview : Sentences.brief(ref) }
}
