/** One page of an output: as many bytes as a model may read at once, cut where that is least in the way. */
import * as Utf8 from "./utf8.ts"

/** A call's output may have 2,000 lines by default; this leaves room for the words around a page. */
export const maxLines = 1900

/** As JSON, where a control character takes six bytes. A call's output may have 51,200 by default. */
export const maxBytes = 40_960

export interface Page {
  readonly text: string
  /** The bytes of the output that are shown, `end` not included. */
  readonly start: number
  readonly end: number
  /** Line feeds among them. */
  readonly lineFeeds: number
  /** Bytes among them that are no UTF-8, each shown as one replacement character or as part of one. */
  readonly invalid: number
}

export interface Cut {
  /** Where `bytes` begin in the output. */
  readonly offset: number
  /** Whether the output goes on after `bytes`. */
  readonly goesOn: boolean
  readonly maxLines: number
  /** Rather end after a line than inside one. */
  readonly wholeLines: boolean
}

export const cutPage = (bytes: Uint8Array, cut: Cut): Page => {
  // A line begins with a character, or with bytes that are none.
  const from = cut.offset === 0 || cut.wholeLines ? 0 : Utf8.strayStart(bytes)
  const complete = bytes.subarray(from, bytes.length - (cut.goesOn ? Utf8.strayEnd(bytes) : 0))
  // Bytes that are nothing but pieces of characters are shown all the same: the next page must begin later.
  const [start, rest] = complete.length === 0 ? [0, bytes] : [from, complete]
  const { end, invalid, lineFeeds } = measure(rest, cut)
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(rest.subarray(0, end)),
    start: cut.offset + start,
    end: cut.offset + start + end,
    lineFeeds,
    invalid
  }
}

interface Measured {
  readonly end: number
  readonly lineFeeds: number
  readonly invalid: number
}

const measure = (bytes: Uint8Array, { goesOn, maxLines, wholeLines }: Cut): Measured => {
  let [end, cost, lineFeeds, invalid] = [0, 0, 0, 0]
  let lastLine: Measured | undefined
  while (end < bytes.length && lineFeeds < maxLines) {
    const character = Utf8.characterAt(bytes, end)
    const first = bytes[end] ?? 0
    cost += Utf8.jsonBytes(first, character)
    if (cost > maxBytes) return (wholeLines ? lastLine : undefined) ?? { end, lineFeeds, invalid }
    end += character.length
    if (!character.isValid) invalid++
    if (Utf8.isLineFeed(first)) lastLine = { end, lineFeeds: ++lineFeeds, invalid }
  }
  const isInLine = end === bytes.length && goesOn
  return (isInLine && wholeLines ? lastLine : undefined) ?? { end, lineFeeds, invalid }
}
