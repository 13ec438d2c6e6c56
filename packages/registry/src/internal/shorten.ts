/** What a settlement shows to a model, measured and cut. */
import type { Ref } from "@haft/core/ManagedOutput"
import * as Settlement from "@haft/core/Settlement"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import type { ToolOutput } from "@haft/core/ToolOutput"
import * as Schema from "effect/Schema"
import * as Sentences from "./sentences.ts"

/** Measures no further than it must: a long text decides before anything is written as JSON. */
export const isWithin = (settlement: Settlement.Settlement, limit: number): boolean => {
  switch (settlement._tag) {
    case "Succeeded":
      return textLength(settlement.output) <= limit && outputLength(settlement.output, limit) <= limit
    case "Failed":
      return settlement.failure.message.length + lengthUpTo({ ...settlement.failure }, limit) <= limit
    case "Rejected":
      return settlement.message.length <= limit
  }
}

const textLength = ({ content }: ToolOutput): number =>
  content.reduce((sum, part) => (part._tag === "Text" ? sum + part.text.length : sum), 0)

/** A string that is also the text counts once. */
const outputLength = (output: ToolOutput, limit: number): number => {
  const { content, structured } = output
  const isText = content.some((part) => part._tag === "Text" && part.text === structured)
  return isText ? textLength(output) : textLength(output) + lengthUpTo(structured, limit)
}

/** As JSON, about, and no further than the limit: what is larger may be too large to be written at all. */
const lengthUpTo = (value: unknown, limit: number): number => {
  const pending: Array<unknown> = [value]
  let length = 0
  while (pending.length > 0 && length <= limit) {
    const next = pending.pop()
    if (typeof next === "string") length += next.length + 2
    else if (typeof next !== "object" || next === null) length += String(next).length
    else length += openLength(next, pending)
  }
  return length
}

/** Brackets, keys and commas; the rest is still to be measured. */
const openLength = (container: object, pending: Array<unknown>): number => {
  for (const child of Object.values(container)) pending.push(child)
  if (Array.isArray(container)) return container.length + 2
  return Object.keys(container).reduce((sum, key) => sum + key.length + 4, 2)
}

/** Keeps media and the tag; text, structure and details give way to what fits and a reference to the rest. */
export const shorten = (settlement: Settlement.Settlement, limit: number, ref: Ref): Settlement.Settlement => {
  const managed = [...settlement.managed, ref]
  switch (settlement._tag) {
    case "Succeeded":
      return Settlement.succeeded({ ...settlement, managed, output: shortenOutput(settlement.output, limit, ref) })
    case "Failed":
      return Settlement.failed({ ...settlement, managed, failure: shortenFailure(settlement.failure, limit, ref) })
    case "Rejected":
      return Settlement.rejected({ ...settlement, managed, message: cut(settlement.message, limit, ref) })
  }
}

const shortenFailure = (failure: ToolFailure.ToolFailure, limit: number, ref: Ref): ToolFailure.ToolFailure => {
  const reason = shortenReason(failure.reason, limit)
  const message = cut(failure.message, limit - JSON.stringify(reason).length, ref)
  return new ToolFailure.ToolFailure({ reason, message })
}

/** No tag or other word that programs decide on is longer. */
const maxWord = 16

/** Lists go; no kind has more than three texts, so about half of the limit is left to the message. */
const shortenReason = (reason: ToolFailure.Reason, limit: number): ToolFailure.Reason => {
  if (JSON.stringify(reason).length <= limit / 2) return { ...reason }
  const maxText = Math.max(maxWord, Math.floor(limit / 8))
  const fields = Object.entries(reason).map(([key, value]) => [key, shortenField(value, maxText)])
  return toReason(Object.fromEntries(fields))
}

const toReason = Schema.decodeUnknownSync(ToolFailure.Reason)

const shortenField = (value: unknown, maxText: number): unknown => {
  if (Array.isArray(value)) return []
  return typeof value === "string" ? value.slice(0, maxText).toWellFormed() : value
}

const shortenOutput = ({ content, structured }: ToolOutput, limit: number, ref: Ref): ToolOutput => {
  const texts = content.flatMap((part) => (part._tag === "Text" ? [part.text] : []))
  const shown = texts.length > 0 ? texts.join("\n") : JSON.stringify(structured, shortTexts(limit))
  const media = content.filter((part) => part._tag === "Media")
  return { structured: null, content: [ToolContent.text(cut(shown, limit, ref)), ...media] }
}

/** Several long texts together may be more than one text can hold. */
const shortTexts =
  (limit: number) =>
  (_key: string, value: unknown): unknown =>
    typeof value === "string" ? value.slice(0, limit) : value

/** A limit that is too small for the marker still gives the reference. */
const cut = (text: string, limit: number, ref: Ref): string => {
  const marker = Sentences.omitted(ref)
  return `${text.slice(0, Math.max(0, limit - marker.length)).toWellFormed()}${marker}`
}
