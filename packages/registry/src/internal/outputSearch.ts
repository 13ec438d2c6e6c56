/** Searches an output on a thread of its own, piece by piece, within a time limit. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { extname } from "node:path"
import type { Worker } from "node:worker_threads"
import type { Source } from "./outputSource.ts"
import type { Reply, Request } from "./searchProtocol.ts"

/** A search that takes longer has left the model waiting long enough; it can go on from where it stopped. */
export const searchMillis = 10_000

/** Longer than any pattern that a person or a model writes; the time a search takes grows with it. */
const maxPatternLength = 1000

/** The engine keeps states of the pattern up to 8 MiB; a pattern that makes it need more ends its own worker. */
const resourceLimits = { maxOldGenerationSizeMb: 128 }

/** Source runs as TypeScript and the published package as JavaScript; the worker lies beside this file in both. */
const workerUrl = new URL(`./searchWorker${extname(new URL(import.meta.url).pathname)}`, import.meta.url)

export const searchSource = (
  source: Source,
  query: OutputStore.Query
): Stream.Stream<OutputStore.Match, OutputStore.SearchError> =>
  Stream.suspend(() => {
    if (query.pattern.length > maxPatternLength) return Stream.fail(tooLong())
    let searched = query.offset ?? 0
    const note = ({ matches, offset }: Searched) => {
      searched = Math.max(searched, offset)
      return matches
    }
    const expired = Effect.suspend(() =>
      Effect.fail(new OutputStore.SearchStoppedError({ limitMs: searchMillis, offset: searched }))
    )
    return Stream.unwrap(Effect.map(start(query), (ask) => replies(source, ask))).pipe(
      Stream.map(note),
      Stream.flattenIterable,
      Stream.interruptWhen(Effect.delay(expired, searchMillis))
    )
  })

const tooLong = (): OutputStore.PatternError =>
  new OutputStore.PatternError({ message: `the pattern is longer than ${maxPatternLength} characters` })

type Searched = Extract<Reply, { readonly _tag: "Searched" }>
type Ask = (request: Request) => Effect.Effect<Searched, OutputStore.StorageError>

const replies = (source: Source, ask: Ask) =>
  source.read(0, source.bytes).pipe(
    // A copy: the piece moves to the other thread, and may be part of something that stays on this one.
    Stream.flatMap((piece) => answers(ask, { _tag: "Search", piece: new Uint8Array(piece) })),
    Stream.concat(answers(ask, { _tag: "End" }))
  )

/** Everything that one request brings to light, as far as it is wanted. */
const answers = (ask: Ask, first: Request) =>
  Stream.paginate(first, (request) =>
    Effect.map(ask(request), (reply) => [[reply], reply.isComplete ? Option.none() : Option.some(more)] as const)
  )

const more: Request = { _tag: "More" }

/** The worker ends with the Scope, whatever it is doing. */
const start = Effect.fnUntraced(function* (query: OutputStore.Query) {
  const replies = yield* Queue.unbounded<Reply, OutputStore.StorageError>()
  const worker = yield* Effect.acquireRelease(
    Effect.try({ try: () => spawn(query, replies), catch: broken }),
    (worker) => Effect.promise(() => worker.terminate())
  )
  const first = yield* Queue.take(replies)
  if (first._tag === "Refused") return yield* new OutputStore.PatternError({ message: first.message })
  const ask: Ask = (request) =>
    Effect.suspend(() => {
      worker.postMessage(request, request._tag === "Search" ? [request.piece.buffer] : [])
      return Effect.flatMap(Queue.take(replies), expectSearched)
    })
  return ask
})

const spawn = (query: OutputStore.Query, replies: Queue.Queue<Reply, OutputStore.StorageError>): Worker => {
  const { Worker } = process.getBuiltinModule("node:worker_threads")
  const worker = new Worker(workerUrl, { name: "search", workerData: query, resourceLimits })
  const fail = (cause: unknown) => Queue.failCauseUnsafe(replies, Cause.fail(broken(cause)))
  return worker
    .on("message", (reply: Reply) => Queue.offerUnsafe(replies, reply))
    .on("error", fail)
    .on("exit", fail)
}

const expectSearched = (reply: Reply) =>
  reply._tag === "Searched" ? Effect.succeed(reply) : Effect.fail(broken(new Error("the worker answered out of turn")))

const broken = (cause: unknown) => new OutputStore.StorageError({ operation: "search", cause })
