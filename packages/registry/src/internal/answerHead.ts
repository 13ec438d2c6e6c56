/** Answers about kept outputs that do not fit: they end early, because all of what they show is kept already. */
import type { Settlement, Succeeded } from "@haft/core/Settlement"
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as ToolContent from "@haft/core/ToolContent"
import { detached } from "./characters.ts"
import * as Sentences from "./sentences.ts"
import { type Size, Tally } from "./tally.ts"
import { headEnd } from "./textEnds.ts"
import { indexOfTwin } from "./visible.ts"

/** Of the tool that reads kept outputs, which answers with one text. */
export const isAnswer = (settlement: Settlement): settlement is Succeeded => {
  if (settlement._tag !== "Succeeded" || settlement.name !== ManagedOutput.readerName) return false
  const { content, structured } = settlement.output
  return content.length === 1 && indexOfTwin(content, structured) === 0
}

/** Nothing of it is kept a second time: that would be a reference to a part of what another one refers to. */
export const shortenedAnswer = (settlement: Succeeded, room: Size): Succeeded => {
  const text = answerHead(String(settlement.output.structured), room)
  return { ...settlement, output: { structured: text, content: [ToolContent.text(text)] } }
}

/** Whole lines, if there is room for one after the first, which says what the answer is about. */
const answerHead = (text: string, room: Size): string => {
  const most = { bytes: Number.MAX_SAFE_INTEGER, lines: Number.MAX_SAFE_INTEGER }
  const rest = { bytes: room.bytes - Sentences.answerEnds(most).length - 1, lines: room.lines - 1 }
  const end = headEnd(text, rest)
  const body = text.indexOf("\n") + 1
  // The line feed has the room of the one before the ending.
  const lineEnd = text.slice(0, end + 1).lastIndexOf("\n") + 1
  const head = detached(text.slice(0, lineEnd > body ? lineEnd : end))
  const shown = sizeOf(head.slice(body))
  return `${head.endsWith("\n") ? head : `${head}\n`}${Sentences.answerEnds(shown)}`
}

const sizeOf = (text: string): Size => {
  const tally = new Tally().start(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  tally.text(text)
  return { bytes: tally.bytes, lines: text.endsWith("\n") ? tally.lines : 0 }
}
