/** What is kept, as streams of bytes that are made while they are read: no second copy of an output is ever in memory. */
import type * as OutputStore from "@haft/core/OutputStore"
import type { Media, ToolContent } from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { boundaryAt } from "./characters.ts"
import { textOf } from "./contentPreview.ts"
import { jsonText } from "./jsonText.ts"
import type { Keys } from "./keys.ts"

/** Characters or bytes of one chunk: much for one write, and made in a fraction of a millisecond. */
const chunkLength = 256 * 1024

/** The texts of the parts as they are read, each on lines of its own. */
export const ofTexts = (content: ReadonlyArray<ToolContent>): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: paced(() => encoded(textPieces(content)))
})

export const ofJson = (value: Schema.Json, keys: Keys): OutputStore.Content => ({
  mimeType: "application/json",
  bytes: paced(() => encoded(jsonText(value, chunkLength, keys)))
})

/** The bytes themselves, in views and not in copies. */
export const ofMedia = ({ data, mimeType }: Media): OutputStore.Content => ({
  mimeType,
  bytes: paced(() => views(data))
})

/** Other fibers, timers and sockets get their turn between two chunks. */
const paced = (iterate: () => Iterator<Uint8Array>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() =>
    Stream.unfold(iterate(), (iterator) =>
      Effect.map(Effect.yieldNow, () => {
        const next = iterator.next()
        return next.done === true ? undefined : ([next.value, iterator] as const)
      })
    )
  )

/** Short texts together, long ones by themselves. */
function* textPieces(content: ReadonlyArray<ToolContent>): Generator<string> {
  let [gathered, join] = ["", ""]
  for (const part of content) {
    const text = textOf(part)
    if (text === undefined) continue
    gathered += join
    join = "\n"
    const isLong = text.length >= chunkLength
    if (!isLong) gathered += text
    if (!isLong && gathered.length < chunkLength) continue
    yield gathered
    gathered = ""
    if (isLong) yield text
  }
  yield gathered
}

/** No UTF-16 unit takes more in UTF-8. */
const maxWidth = 3

/** Every chunk is in the same memory: of those of a huge text, tens of megabytes would wait to be collected. */
function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  const memory = new Uint8Array(chunkLength * maxWidth)
  for (const text of texts) {
    for (let [start, end] = [0, 0]; start < text.length; start = end) {
      end = boundaryAt(text, Math.min(text.length, start + chunkLength))
      yield memory.subarray(0, encoder.encodeInto(text.slice(start, end), memory).written)
    }
  }
}

function* views(data: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += chunkLength) yield data.subarray(start, start + chunkLength)
}
