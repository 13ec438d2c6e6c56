/** What a model reads of a settlement, put together the slow way. */
import type { Settlement, ToolContent, ToolFailure } from "@haft/core"
import { linesOf } from "./keptOutputs.ts"

export interface Read {
  readonly bytes: number
  readonly lines: number
}

const sizeOf = (text: string): Read => ({ bytes: Buffer.byteLength(text), lines: linesOf(text) })

const both = (text: string, json: unknown): Read => {
  const [words, data] = [sizeOf(text), sizeOf(JSON.stringify(json))]
  return { bytes: words.bytes + data.bytes, lines: words.lines + data.lines }
}

/** Each text on lines of its own, names of media among them. */
export const textsOf = (content: ReadonlyArray<ToolContent.ToolContent>): string =>
  content.flatMap((part) => (part._tag === "Text" ? [part.text] : (part.name ?? []))).join("\n")

const failureOf = (failure: ToolFailure.ToolFailure): Read => {
  const { details, field, hint, message, partial, reason, retry } = failure
  const isText = typeof partial === "string"
  const text = [message, ...(hint === undefined ? [] : [hint]), ...(isText ? [partial] : [])].join("\n")
  return both(text, { reason, field, details, partial: isText ? undefined : partial, retry })
}

export const readOf = (settlement: Settlement.Settlement): Read => {
  switch (settlement._tag) {
    case "Succeeded": {
      const { content, structured } = settlement.output
      const isText = content.some((part) => part._tag === "Text" && part.text === structured)
      return isText ? sizeOf(textsOf(content)) : both(textsOf(content), structured)
    }
    case "Failed":
      return failureOf(settlement.failure)
    case "Rejected":
      return both(settlement.message, settlement.rejection)
  }
}
