/** What is kept, as streams of bytes that are made while they are read: no second copy of an output is ever in memory. */
import type * as OutputStore from "@haft/core/OutputStore"
import type { Media, ToolContent } from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { textOf } from "./contentPreview.ts"
import { jsonText } from "./jsonText.ts"
import type { Keys } from "./keys.ts"
import { TextBytes } from "./textBytes.ts"

/** Characters or bytes that are made at a time, which takes a fraction of a millisecond. */
const stepLength = 256 * 1024

/** Bytes of text that go out together: as many as are written at once, so that nobody has to gather them. */
const chunkBytes = 1024 * 1024

/** What is made at one time: a chunk, or nothing if it is not complete yet. */
type Step = Uint8Array | undefined

/** The texts of the parts as they are read, each on lines of its own. */
export const ofTexts = (content: ReadonlyArray<ToolContent>): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: paced(() => encoded(textPieces(content)))
})

export const ofJson = (value: Schema.Json, keys: Keys): OutputStore.Content => ({
  mimeType: "application/json",
  bytes: paced(() => encoded(jsonText(value, stepLength, keys)))
})

/** The bytes themselves, in views and not in copies. */
export const ofMedia = ({ data, mimeType }: Media): OutputStore.Content => ({
  mimeType,
  bytes: paced(() => views(data))
})

const paced = (iterate: () => Iterator<Step>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() =>
    Stream.unfold(iterate(), (iterator) =>
      Effect.map(nextChunk(iterator), (chunk) => (chunk === undefined ? undefined : ([chunk, iterator] as const)))
    )
  )

/** Other fibers, timers and sockets get their turn between two steps. Nothing when there are no more. */
const nextChunk = (iterator: Iterator<Step>): Effect.Effect<Step> =>
  Effect.flatMap(Effect.yieldNow, () => {
    const next = iterator.next()
    return next.done === true || next.value !== undefined ? Effect.succeed(next.value) : nextChunk(iterator)
  })

/** Short texts together, long ones by themselves. */
function* textPieces(content: ReadonlyArray<ToolContent>): Generator<string> {
  let [gathered, join] = ["", ""]
  for (const part of content) {
    const text = textOf(part)
    if (text === undefined) continue
    gathered += join
    join = "\n"
    const isLong = text.length >= stepLength
    if (!isLong) gathered += text
    if (!isLong && gathered.length < stepLength) continue
    yield gathered
    gathered = ""
    if (isLong) yield text
  }
  yield gathered
}

/** Left by the last output for the next: to get a new megabyte from the system takes as long as to fill it. */
let spare: Uint8Array | undefined

/** Every chunk is in the same memory: of those of a huge text, tens of megabytes would wait to be collected. */
function* encoded(texts: Iterable<string>): Generator<Step> {
  const memory = spare ?? new Uint8Array(chunkBytes)
  spare = undefined
  let filled = 0
  for (const text of texts) {
    const bytes = new TextBytes(text, stepLength)
    while (!bytes.isAtEnd) {
      if (filled > 0) yield undefined
      const written = bytes.into(memory.subarray(filled))
      filled += written
      if (written > 0) continue
      yield memory.subarray(0, filled)
      filled = 0
    }
  }
  if (filled > 0) yield memory.subarray(0, filled)
  spare = memory
}

function* views(data: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += stepLength) yield data.subarray(start, start + stepLength)
}
