/**
 * The tool behind the references that a model gets in place of large outputs: it pages through one, and searches it.
 * Register it as `read_output`. It reads nothing but outputs of the calling session, and what it gives is small enough
 * to be shown as it is.
 */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as Tool from "@haft/core/Tool"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Matches from "./internal/matches.ts"
import * as Page from "./internal/page.ts"
import * as Sentences from "./internal/outputSentences.ts"

const fields = Sentences.readOutputFields
const atLeast = (least: number, description: string) =>
  Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(least)).annotate({ description }))

/** What a model sends. Without a place it reads from the beginning. */
export const Input = Schema.Struct({
  ref: ManagedOutput.Ref.annotate({ description: fields.ref }),
  line: atLeast(1, fields.line),
  offset: atLeast(0, fields.offset),
  limit: atLeast(1, fields.limit),
  search: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: fields.search })),
  ignoreCase: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.ignoreCase }))
})
type Input = typeof Input.Type

/** The tool, for the outputs of one store. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Schema.String>,
  never,
  OutputStore.Service
> = Effect.gen(function* () {
  const store = yield* OutputStore.Service
  const tool = Tool.make({
    description: Sentences.readOutputDescription,
    input: Input,
    output: Schema.String,
    execute: Effect.fn("ReadOutput.execute")(
      function* (input, { sessionID }) {
        const place = yield* locate(store, sessionID, input)
        return yield* input.search === undefined
          ? readPage(store, sessionID, input, place)
          : searchFrom(store, sessionID, input, { pattern: input.search, offset: place.offset })
      },
      Effect.scoped,
      Effect.catchTags({
        "OutputStore.UnavailableError": ({ reason }) => unavailable(reason),
        "OutputStore.StorageError": () => ToolFailure.unavailable({ message: Sentences.storeUnavailable }),
        "OutputStore.PatternError": ({ message }) => badPattern(message)
      })
    )
  })
  return Tool.annotate(tool, { title: "Read output", determinism: "pure", operations: ["read"], risk: "low" })
})

/** Where in which output. */
interface Place {
  readonly bytes: number
  readonly lines: number
  readonly offset: number
  /** Known if the page was asked for by line, or is the first. */
  readonly line: number | undefined
}

const locate = Effect.fnUntraced(function* (store: OutputStore.Interface, session: Session.ID, input: Input) {
  const { line, offset, ref } = input
  if (line !== undefined && offset !== undefined) return yield* badArgument("offset", Sentences.bothPlaces)
  const range = offset === undefined ? OutputStore.lines(line ?? 1, 0) : OutputStore.bytes(offset, 0)
  const opened = yield* store.open(session, ref, range)
  const { bytes, lines, mimeType } = opened
  if (!isText(mimeType))
    return yield* ToolFailure.dataInvalid({ message: Sentences.notText(mimeType, bytes), subject: ref })
  if (line !== undefined && line > Math.max(1, lines)) {
    return yield* badArgument("line", Sentences.beyondLines(lines), Sentences.expectedUpTo(1, Math.max(1, lines)))
  }
  if (offset !== undefined && offset > 0 && offset >= bytes) {
    return yield* badArgument("offset", Sentences.beyondBytes(bytes), Sentences.expectedUpTo(0, Math.max(0, bytes - 1)))
  }
  const isByLine = offset === undefined || offset === 0
  return { bytes, lines, offset: opened.offset, line: isByLine ? (line ?? 1) : undefined } satisfies Place
})

const textTypes = /^text\/|^application\/(?:json|xml|yaml|javascript|x-ndjson|.*\+(?:json|xml))$/

const isText = (mimeType: string): boolean => textTypes.test(mimeType.replace(/;.*/s, "").trim().toLowerCase())

const readPage = Effect.fnUntraced(function* (
  store: OutputStore.Interface,
  session: Session.ID,
  { limit = Page.maxLines, ref }: Input,
  place: Place
) {
  if (place.bytes === 0) return Sentences.emptyOutput
  const { content } = yield* store.open(session, ref, OutputStore.bytes(place.offset, Page.maxBytes))
  const bytes = joined(yield* Stream.runCollect(content))
  const page = Page.cutPage(bytes, {
    offset: place.offset,
    goesOn: place.offset + bytes.length < place.bytes,
    maxLines: Math.min(limit, Page.maxLines),
    wholeLines: place.line !== undefined
  })
  return shown(page, place)
})

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const chunk of chunks) {
    bytes.set(chunk, end)
    end += chunk.length
  }
  return bytes
}

/** The page between what it is and how to go on. */
const shown = (page: Page.Page, place: Place): string => {
  const text = page.text.endsWith("\n") ? page.text : `${page.text}\n`
  const notes = page.invalid === 0 ? "" : `${Sentences.invalidBytes(page.invalid)}\n`
  return `${Sentences.pageHeader(page, place, place.line)}\n${text}${notes}${goOn(page, place)}`
}

const goOn = (page: Page.Page, { bytes, line }: Place): string => {
  if (page.end >= bytes) return Sentences.endOfOutput
  const isAfterLine = line !== undefined && page.text.endsWith("\n")
  return isAfterLine ? Sentences.goOnAtLine(line + page.lineFeeds) : Sentences.goOnAtOffset(page.end)
}

const searchFrom = (
  store: OutputStore.Interface,
  session: Session.ID,
  { ignoreCase = false, limit = Matches.maxMatches, ref }: Input,
  query: OutputStore.Query
) => Matches.listMatches(store.search(session, ref, { ...query, ignoreCase }), Math.min(limit, Matches.maxMatches))

const unavailable = (reason: OutputStore.UnavailableError["reason"]) => {
  const said = { message: Sentences.outputUnavailable(reason), hint: Sentences.unavailableHint[reason], field: "ref" }
  return reason === "Lost" ? ToolFailure.dataInvalid(said) : ToolFailure.notFound(said)
}

const badPattern = (reason: string) =>
  ToolFailure.invalidArguments({
    message: Sentences.badPattern(reason),
    hint: Sentences.patternHint,
    field: "search",
    violations: [{ path: "search", message: reason }]
  })

const badArgument = (field: string, message: string, expected?: string) =>
  ToolFailure.invalidArguments({
    message,
    field,
    violations: [{ path: field, message, ...(expected === undefined ? {} : { expected }) }]
  })
