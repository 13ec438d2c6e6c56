/** Turns HTML into what a model reads, on a thread of its own that ends in time whatever the page does to it. */
import * as Progress from "@haft/core/Progress"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { UnreadableError } from "./fetchErrors.ts"
import * as Sentences from "./fetchSentences.ts"
import { resourceLimits, timeLimitMs } from "./htmlLimits.ts"

/** What the thread is given. */
export interface Job {
  readonly html: string
  /** To complete links. */
  readonly address: string
  readonly format: "markdown" | "text"
}

/** What it answers: `Started`, then `TooDeep`; or `Read` and then `Written` or `Done`. */
export type Reply =
  | { readonly _tag: "Started" }
  | { readonly _tag: "TooDeep" }
  | { readonly _tag: "Read"; readonly title: string; readonly text: string }
  | { readonly _tag: "Written"; readonly markdown: string }
  | { readonly _tag: "Done" }

export interface Converted {
  /** Text where Markdown was wanted: the page is too large for that, or took too long. */
  readonly format: "markdown" | "text"
  readonly title: string
  readonly text: string
}

/** Source runs as TypeScript and the published package as JavaScript; the worker lies beside this file in both. */
const workerUrl = new URL(`./htmlWorker${extname(new URL(import.meta.url).pathname)}`, import.meta.url)

/** Gives the text alone if the time is over, or the thread ends, before the Markdown is written. */
export const convert = Effect.fnUntraced(function* (job: Job): Effect.fn.Return<Converted, UnreadableError> {
  const [first, second] = yield* run(job)
  if (first === undefined) return yield* new UnreadableError({ reason: "Stopped" })
  if (first._tag !== "Read") return yield* new UnreadableError({ reason: "TooDeep" })
  const { text, title } = first
  return second?._tag === "Written"
    ? { format: "markdown", title, text: second.markdown }
    : { format: "text", title, text }
})

/** What the thread answered in its time. It may end before, as one does that needs too much memory. */
const run = (job: Job): Effect.Effect<ReadonlyArray<Reply>> =>
  Effect.acquireUseRelease(
    Effect.flatMap(Queue.unbounded<Reply, Cause.Done>(), (replies) => Effect.sync(() => start(job, replies))),
    ({ replies }) => heardFrom(replies, job),
    ({ worker }) => Effect.promise(() => worker.terminate())
  )

const start = (job: Job, replies: Queue.Queue<Reply, Cause.Done>) => {
  const worker = new Worker(workerUrl, { name: "html", workerData: job, resourceLimits, env: {} })
  const end = () => Queue.endUnsafe(replies)
  worker.on("message", (reply: Reply) => Queue.offerUnsafe(replies, reply))
  worker.on("error", end).on("exit", end)
  return { worker, replies }
}

/** The time begins with the thread: until then the page has no influence on it. */
const heardFrom = Effect.fnUntraced(function* (replies: Queue.Queue<Reply, Cause.Done>, { format }: Job) {
  const progress = yield* Progress.Service
  const heard: Array<Reply> = []
  const hear = Effect.map(Queue.take(replies), (reply) => void heard.push(reply))
  const listening = Effect.gen(function* () {
    yield* progress.report({ message: Sentences.reading })
    yield* hear
    if (format === "markdown") yield* progress.report({ message: Sentences.writing })
    yield* hear
  })
  yield* Effect.ignore(Effect.andThen(Queue.take(replies), Effect.timeoutOption(listening, timeLimitMs)))
  return heard
})
