/** An output as something that can be read from any byte on, wherever its bytes are. */
import type * as OutputStore from "@haft/core/OutputStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { countLineFeeds } from "./lineFeeds.ts"
import { indexAfterLineFeeds } from "./outputLines.ts"

type Bytes = Stream.Stream<Uint8Array, OutputStore.StorageError>

export interface Source {
  readonly mimeType: string
  readonly bytes: number
  readonly lines: number
  /** From `offset` up to `end`, which is not beyond the output's. */
  readonly read: (offset: number, end: number) => Bytes
}

/** The part of an output that `range` means. Finding a line reads what is before it, and nothing after it. */
export const openRange = Effect.fnUntraced(function* (source: Source, range: OutputStore.Range) {
  const { bytes, lines, mimeType } = source
  if (range._tag === "Bytes") {
    const offset = Math.min(range.offset, bytes)
    const content = source.read(offset, Math.min(range.offset + range.length, bytes))
    return { mimeType, bytes, lines, offset, content } satisfies OutputStore.Opened
  }
  const offset = range.first > lines ? bytes : yield* offsetOfLine(source, range.first)
  const content = takeLines(source.read(offset, bytes), range.count)
  return { mimeType, bytes, lines, offset, content } satisfies OutputStore.Opened
})

const offsetOfLine = Effect.fnUntraced(function* (source: Source, line: number) {
  let offset = 0
  let missing = line - 1
  if (missing === 0) return 0
  const find = (chunk: Uint8Array) => {
    const feeds = countLineFeeds(chunk)
    if (feeds >= missing) return Option.some(offset + indexAfterLineFeeds(chunk, missing))
    missing -= feeds
    offset += chunk.length
    return Option.none()
  }
  const found = source
    .read(0, source.bytes)
    .pipe(Stream.map(find), Stream.takeUntil(Option.isSome), Stream.runLast, Effect.map(Option.flatten))
  return Option.getOrElse(yield* found, () => source.bytes)
})

const takeLines = (content: Bytes, count: number): Bytes =>
  Stream.suspend(() => {
    let missing = count
    if (missing === 0) return Stream.empty
    const take = (chunk: Uint8Array) => {
      const feeds = countLineFeeds(chunk)
      const isLast = feeds >= missing
      const taken = isLast ? chunk.subarray(0, indexAfterLineFeeds(chunk, missing)) : chunk
      missing -= feeds
      return { isLast, taken }
    }
    return content.pipe(
      Stream.map(take),
      Stream.takeUntil(({ isLast }) => isLast),
      Stream.map(({ taken }) => taken)
    )
  })
