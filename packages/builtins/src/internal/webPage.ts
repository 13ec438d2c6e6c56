/** Makes something to read of what a server sent. */
import * as Progress from "@haft/core/Progress"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as LocationFetch from "../LocationFetch.ts"
import * as Types from "./contentType.ts"
import type { UnreadableError } from "./fetchErrors.ts"
import { badStatus, incomplete } from "./fetchFailures.ts"
import * as Sentences from "./fetchSentences.ts"
import type { Converted, Job } from "./htmlConversion.ts"

export type Convert = (job: Job) => Effect.Effect<Converted, UnreadableError>

export type Format = "markdown" | "text" | "html"

export interface WebPage {
  readonly contentType: string
  readonly charset: string
  readonly bytes: number
  readonly title?: string
  readonly format: Format
  readonly text: string
  readonly isCut: boolean
}

/** An answer that is no success, is no text or did not arrive is a failure, with the beginning of what did. */
export const readWebPage = Effect.fnUntraced(function* (
  content: LocationFetch.Content,
  format: Format,
  convert: Convert
): Effect.fn.Return<WebPage, ToolFailure.ToolFailure | UnreadableError> {
  const isFine = content.status >= 200 && content.status < 300
  const declared = Types.parseContentType(content.contentType)
  if (isFine && declared !== undefined && !Types.isTextual(declared.mimeType)) {
    return yield* notText(content, declared.mimeType)
  }
  const { bytes, error } = yield* load(content)
  const type = declared ?? { mimeType: Types.guessed(bytes), charset: undefined }
  const other = Types.isTextual(type.mimeType) ? Types.sniffed(bytes, type.charset) : type.mimeType
  const { charset, text } = other === undefined ? Types.textOf(bytes, type) : { charset: "", text: "" }
  const source = { text, type, address: content.address.url }
  if (!isFine) return yield* refused(content, source, convert)
  if (other !== undefined) return yield* notText(content, other)
  if (error !== undefined && error._tag !== "LocationFetch.TooLargeError")
    return yield* incomplete(error, excerpt(text))
  const shown = yield* shownAs(format, source, convert)
  return { contentType: type.mimeType, charset, bytes: bytes.length, isCut: error !== undefined, ...shown }
})

const notText = ({ address }: LocationFetch.Content, mimeType: string) =>
  ToolFailure.dataInvalid({
    message: Sentences.notText(address.url, mimeType),
    hint: Sentences.notTextHint,
    field: "url",
    subject: mimeType
  })

/** Often enough to be watched, seldom enough not to be noticed otherwise. */
const reportEvery = 256 * 1024

/** Everything that came, and why it is not everything there is. */
const load = Effect.fnUntraced(function* ({ address, body, length }: LocationFetch.Content) {
  const progress = yield* Progress.Service
  const chunks: Array<Uint8Array> = []
  let [completed, reported] = [0, -reportEvery]
  const ended = yield* Effect.result(
    Stream.runForEach(body, (chunk) =>
      Effect.suspend(() => {
        chunks.push(chunk)
        completed += chunk.length
        if (completed - reported < reportEvery) return Effect.void
        reported = completed
        const total = length === undefined ? {} : { total: length }
        return progress.report({ message: Sentences.loading(address.host), completed, ...total })
      })
    )
  )
  return { bytes: Buffer.concat(chunks), error: Result.isFailure(ended) ? ended.failure : undefined }
})

interface Source {
  readonly text: string
  readonly type: Types.ContentType
  readonly address: string
}

const shownAs = Effect.fnUntraced(function* (format: Format, { address, text, type }: Source, convert: Convert) {
  if (!Types.isHtml(type.mimeType)) return { format: "text", text } as const
  if (format === "html") return { format, text } as const
  const { title, ...converted } = yield* convert({ html: text, address, format })
  return { ...(title === "" ? {} : { title }), ...converted }
})

/** What a server says about an error can be read, and need not be read to the end. */
const refused = Effect.fnUntraced(function* (content: LocationFetch.Content, source: Source, convert: Convert) {
  const shown = yield* shownAs("text", source, convert).pipe(
    Effect.catchTag("Fetch.UnreadableError", () => Effect.succeed({ text: "" }))
  )
  const retryAfterMs = millisOf(content.retryAfter, yield* Clock.currentTimeMillis)
  return yield* badStatus({ url: source.address, status: content.status, retryAfterMs }, excerpt(shown.text))
})

/** Of a page that is only shown to explain a failure. */
const maxExcerpt = 2000

const excerpt = (text: string): string =>
  text.length > maxExcerpt ? `${text.slice(0, maxExcerpt).toWellFormed()}…` : text

/** Seconds, or a date. */
const millisOf = (retryAfter: string | undefined, now: number): number | undefined => {
  if (retryAfter === undefined) return undefined
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
