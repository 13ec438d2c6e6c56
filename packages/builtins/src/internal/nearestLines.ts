/** Where in a file something stands that is most like a text which is not in it. */
import { linesOf, plain } from "./matching.ts"

/** Enough to see what is different; the rest can be read. */
const maxShownLines = 10

/** Comparing a line with every line of a huge file would take longer than reading it. */
const maxComparedLines = 20_000

/** Less than half alike is not what was meant. */
const leastSimilarity = 0.5

export interface Nearest {
  /** Of the first line, from 1. */
  readonly line: number
  readonly lines: ReadonlyArray<string>
}

export const nearestLines = (text: string, wanted: string): Nearest | undefined => {
  const lines = linesOf(text).map((line) => line.text)
  const keys = linesOf(wanted).map((line) => plain(line.text).trim())
  const start = mostShared(lines, keys) ?? mostSimilar(lines, keys)
  if (start === undefined) return undefined
  return { line: start + 1, lines: lines.slice(start, start + Math.min(keys.length, maxShownLines)) }
}

/** The place at which the most lines are equal. Lines without letters say nothing. */
const mostShared = (lines: ReadonlyArray<string>, keys: ReadonlyArray<string>): number | undefined => {
  const offsets = new Map(keys.map((key, offset) => [key, offset] as const).filter(([key]) => /\p{L}/u.test(key)))
  const votes = new Map<number, number>()
  lines.forEach((line, index) => {
    const offset = offsets.get(plain(line).trim())
    if (offset !== undefined && index >= offset) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1)
  })
  return best([...votes], 1)
}

/** The line that is most like the first line that is not empty. */
const mostSimilar = (lines: ReadonlyArray<string>, keys: ReadonlyArray<string>): number | undefined => {
  const offset = keys.findIndex((key) => key !== "")
  const key = keys[offset]
  if (key === undefined) return undefined
  const scored = lines
    .slice(0, maxComparedLines)
    .map((line, index) => [Math.max(0, index - offset), similarity(plain(line).trim(), key)] as const)
  return best(scored, leastSimilarity)
}

const best = (scored: ReadonlyArray<readonly [number, number]>, least: number): number | undefined => {
  let [found, score]: [number | undefined, number] = [undefined, 0]
  for (const [start, value] of scored) if (value >= least && value > score) [found, score] = [start, value]
  return found
}

/** How much of the longer one both begin and end with. */
const similarity = (left: string, right: string): number => {
  const longest = Math.max(left.length, right.length)
  const shortest = Math.min(left.length, right.length)
  let begin = 0
  while (begin < shortest && left[begin] === right[begin]) begin++
  let end = 0
  while (end < shortest - begin && left.at(-1 - end) === right.at(-1 - end)) end++
  return longest === 0 ? 0 : (begin + end) / longest
}
