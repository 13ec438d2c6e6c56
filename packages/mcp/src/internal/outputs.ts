/** Kept outputs as resources that a client can read, page by page. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as McpSchema from "effect/ai/McpSchema"
import type * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as OutputUri from "./outputUri.ts"
import { type Page, pageOf } from "./outputPage.ts"
import * as Sentences from "./sentences.ts"
import type { Sessions } from "./sessions.ts"

/** Enough for a person to scroll through, and no frame becomes too large by it. */
const pageBytes = 1_048_576

/** Below every other way to write an offset that a store takes. */
const Params = Schema.Tuple([
  ManagedOutput.Ref,
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
])

const decodeParams = Schema.decodeUnknownResult(Params)

type AddTemplate = Parameters<McpServer.McpServer["Service"]["addResourceTemplate"]>[0]

/** The first page of an output is its address; a page further on has the byte where it begins behind it. */
export const registerOutputs = Effect.fnUntraced(function* (
  server: McpServer.McpServer["Service"],
  store: OutputStore.Interface,
  sessions: Sessions
) {
  const read: AddTemplate["handle"] = (_uri, [ref, offset = "0"]) =>
    Result.match(decodeParams([ref, offset]), {
      onFailure: () => Effect.fail(new McpSchema.InvalidParams({ message: Sentences.unknownOutput })),
      onSuccess: ([ref, offset]) => Effect.flatMap(sessions.current, (session) => readPage(store, session, ref, offset))
    })
  yield* server.addResourceTemplate(templateOf("output", `${OutputUri.base}{ref}`, `${routed}:0`, read))
  yield* server.addResourceTemplate(
    templateOf("output page", `${OutputUri.base}{ref}/{offset}`, `${routed}:0/:1`, read)
  )
})

/** In routes a colon begins a parameter, unless it is doubled. */
const routed = OutputUri.base.replace(":", "::")

const templateOf = (
  name: string,
  uriTemplate: string,
  routerPath: string,
  handle: AddTemplate["handle"]
): AddTemplate => ({
  template: new McpSchema.ResourceTemplate({
    uriTemplate,
    name,
    description: "The complete output of a call that was too large to be shown"
  }),
  annotations: Context.empty(),
  routerPath,
  completions: {},
  handle
})

const readPage = Effect.fnUntraced(
  function* (
    store: OutputStore.Interface,
    session: Parameters<OutputStore.Interface["open"]>[0],
    ref: ManagedOutput.Ref,
    offset: number
  ) {
    const opened = yield* store.open(session, ref, OutputStore.bytes(offset, pageBytes))
    const chunks = yield* Stream.runCollect(opened.content)
    return contentsOf(ref, pageOf(Buffer.concat(chunks), opened))
  },
  Effect.catchTags({
    "OutputStore.UnavailableError": ({ reason }) =>
      Effect.fail(new McpSchema.InvalidParams({ message: Sentences.unavailable[reason] })),
    "OutputStore.StorageError": () => Effect.fail(new McpSchema.InternalError({ message: Sentences.unreadableOutput }))
  }),
  Effect.scoped
)

const contentsOf = (ref: ManagedOutput.Ref, { content, mimeType, next, total }: Page): McpSchema.ReadResourceResult => {
  const uri = OutputUri.of(ref)
  const shown = typeof content === "string" ? { uri, mimeType, text: content } : { uri, mimeType, blob: content }
  if (next === undefined) return { contents: [shown] }
  const more = `${uri}/${next}`
  return { contents: [shown, { uri: more, mimeType: "text/plain", text: Sentences.moreOutput(more, total) }] }
}
