/** What a search found, as text within the limits of a page. */
import type * as OutputStore from "@haft/core/OutputStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Page from "./page.ts"
import * as Sentences from "./outputSentences.ts"
import * as Utf8 from "./utf8.ts"

/** A list that is longer is not read any more; a narrower pattern is of more use. */
export const maxMatches = 100

/** Matches in order, as many as fit. `next` is the byte to search on from. */
interface Listed {
  readonly lines: ReadonlyArray<string>
  readonly next: number | undefined
}

/** Asks for one more than is shown, to know where it goes on. A search that ran out of time still found something. */
export const listMatches = Effect.fnUntraced(function* (
  found: Stream.Stream<OutputStore.Match, OutputStore.SearchError>,
  limit: number
) {
  const matches: Array<OutputStore.Match> = []
  const stopped = yield* found.pipe(
    Stream.take(limit + 1),
    Stream.runForEach((match) => Effect.sync(() => void matches.push(match))),
    Effect.as<OutputStore.SearchStoppedError | undefined>(undefined),
    Effect.catchTag("OutputStore.SearchStoppedError", Effect.succeed)
  )
  const { lines, next } = fitting(matches, limit)
  return [Sentences.searchHeader(lines.length), ...lines, ending(next, stopped)].join("\n")
})

const ending = (next: number | undefined, stopped: OutputStore.SearchStoppedError | undefined): string => {
  if (next !== undefined) return Sentences.searchOn(next)
  return stopped === undefined ? Sentences.searchedAll : Sentences.searchStopped(stopped.limitMs, stopped.offset)
}

const fitting = (matches: ReadonlyArray<OutputStore.Match>, limit: number): Listed => {
  const lines: Array<string> = []
  let cost = 0
  for (const match of matches) {
    const line = Sentences.matchLine(match)
    cost += jsonBytesOf(line)
    if (lines.length === limit || cost > Page.maxBytes) return { lines, next: match.offset }
    lines.push(line)
  }
  return { lines, next: undefined }
}

/** With the line feed behind it. */
const jsonBytesOf = (line: string): number => {
  const bytes = new TextEncoder().encode(`${line}\n`)
  let cost = 0
  for (let index = 0; index < bytes.length;) {
    const character = Utf8.characterAt(bytes, index)
    cost += Utf8.jsonBytes(bytes[index] ?? 0, character)
    index += character.length
  }
  return cost
}
