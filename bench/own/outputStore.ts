/** What keeping an output in a directory costs, beside a bare hash, write, sync and rename of the same bytes. */
import { OutputStore, Session } from "@haft/core"
import { Console, Effect, Stream } from "effect"
import { besideBare, ratios } from "../durably.ts"
import { growth, loopDelay, median, stopwatch } from "../measure.ts"
import { directory, Outputs } from "./directoryStore.ts"

const mebibyte = 1024 * 1024
const rounds = 30
const chunkBytes = 256 * 1024

const makeOutput = (length: number): Uint8Array =>
  new Uint8Array(Buffer.alloc(length, "the quick brown fox jumps over the lazy dog and goes on for a while\n"))

/** Nothing is there already, and nothing is allocated that would have to be collected while something is timed. */
const vary = (bytes: Uint8Array, round: number): void => void new DataView(bytes.buffer).setFloat64(0, Math.PI * round)

const contentOf = (bytes: Uint8Array): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.fromIterable(chunksOf(bytes))
})

const chunksOf = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes)
}

/** The most mebibytes that the process grew by while `effect` ran. */
const grown = Effect.fnUntraced(function* <E>(effect: Effect.Effect<unknown, E>) {
  const bytes = growth()
  yield* effect
  return bytes() / mebibyte
})

const compare = Effect.fnUntraced(function* (length: number) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const store = yield* OutputStore.Service
  const bytes = makeOutput(length)
  const prepare = (round: number) => {
    vary(bytes, round)
    return bytes
  }
  const session = Session.ID.make("session")
  const keep = () => run(store.retain(session, contentOf(bytes)))
  const forget = ({ ref }: OutputStore.Retained) => run(store.release(session, [ref]))
  const measured = yield* Effect.promise(() => besideBare({ directory, rounds, prepare, keep, forget }))
  const [by, ours] = [median(measured.bare), median(measured.kept)]
  yield* Console.log(
    `${length / mebibyte} MiB: ${by.toFixed(1)} ms by hand, ${ours.toFixed(1)} ms kept, ${(ours / by).toFixed(2)} × ` +
      `(in pairs ${median(ratios(measured)).toFixed(2)} ×)`
  )
})

const large = Effect.fnUntraced(function* (length: number) {
  const store = yield* OutputStore.Service
  const bytes = makeOutput(length)
  const delay = loopDelay()
  const elapsed = stopwatch()
  const growth = yield* grown(store.retain(Session.ID.make("session"), contentOf(bytes)))
  yield* Console.log(
    `${length / mebibyte} MiB once: ${elapsed().toFixed(0)} ms, ${growth.toFixed(1)} MiB more memory, ` +
      `loop delay p99 ${delay().p99.toFixed(1)} ms`
  )
})

/** Memory comes first: a process that was once large has room that nobody sees being used again. */
const program = Effect.gen(function* () {
  yield* large(mebibyte)
  yield* large(5 * mebibyte)
  yield* large(200 * mebibyte)
  yield* compare(5 * mebibyte)
  yield* compare(mebibyte / 8)
})

await Effect.runPromise(Effect.provide(program, Outputs))
