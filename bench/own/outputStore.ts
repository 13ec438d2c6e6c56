/** What keeping an output in a directory costs, beside a bare hash, write, sync and rename of the same bytes. */
import { OutputStore, Session } from "@haft/core"
import { NodeFileSystem, NodeOwners, NodeSqlClient } from "@haft/node"
import * as Files from "@haft/registry/files"
import { Console, Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { growth, loopDelay, median, stopwatch } from "../measure.ts"

const mebibyte = 1024 * 1024
const rounds = 30
const chunkBytes = 256 * 1024

const makeOutput = (length: number): Uint8Array =>
  new Uint8Array(Buffer.alloc(length, "the quick brown fox jumps over the lazy dog and goes on for a while\n"))

/** Nothing is there already, and nothing is allocated that would have to be collected while something is timed. */
const vary = (bytes: Uint8Array, round: number): void => void new DataView(bytes.buffer).setFloat64(0, Math.PI * round)

const bare = async (directory: string, bytes: Uint8Array): Promise<void> => {
  const hash = createHash("sha256").update(bytes).digest("hex")
  const temporary = join(directory, "temporary")
  const file = await Fs.open(temporary, "wx", 0o600)
  await file.write(bytes)
  await file.sync()
  await file.close()
  await Fs.rename(temporary, join(directory, hash))
}

const syncDirectory = async (directory: string): Promise<void> => {
  const opened = await Fs.open(directory)
  await opened.sync()
  await opened.close()
}

const contentOf = (bytes: Uint8Array): OutputStore.Content => ({
  mimeType: "text/plain",
  bytes: Stream.fromIterable(chunksOf(bytes))
})

const chunksOf = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes)
}

const timed = Effect.fnUntraced(function* <E>(effect: Effect.Effect<unknown, E>) {
  const elapsed = stopwatch()
  yield* effect
  return elapsed()
})

/** The most mebibytes that the process grew by while `effect` ran. */
const grown = Effect.fnUntraced(function* <E>(effect: Effect.Effect<unknown, E>) {
  const bytes = growth()
  yield* effect
  return bytes() / mebibyte
})

const compare = Effect.fnUntraced(function* (length: number, directory: string) {
  const store = yield* OutputStore.Service
  const session = Session.ID.make("session")
  const [hand, kept]: [Array<number>, Array<number>] = [[], []]
  const bytes = makeOutput(length)
  for (let round = 1; round <= rounds; round++) {
    vary(bytes, round)
    const byHand = Effect.map(timed(Effect.promise(() => bare(directory, bytes))), (millis) => hand.push(millis))
    const byStore = Effect.map(timed(store.retain(session, contentOf(bytes))), (millis) => kept.push(millis))
    // What one leaves to the disk would be paid for by the next.
    const settled = Effect.promise(() => syncDirectory(directory))
    for (const one of round % 2 === 0 ? [byHand, byStore] : [byStore, byHand]) yield* Effect.andThen(settled, one)
  }
  const [by, ours] = [Math.min(...hand), Math.min(...kept)]
  const medians = median(kept) / median(hand)
  yield* Console.log(
    `${length / mebibyte} MiB: ${by.toFixed(1)} ms by hand, ${ours.toFixed(1)} ms kept, ${(ours / by).toFixed(2)} × (medians ${medians.toFixed(2)} ×)`
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

const root = await Fs.mkdtemp(join(tmpdir(), "haft-bench-"))
const directory = join(root, "bare")
await Fs.mkdir(directory)

const Store = Files.layerFileSystem({
  directory: join(root, "outputs"),
  owners: NodeOwners.make({ directory: join(root, "owners") })
}).pipe(Layer.provide([NodeFileSystem.layer, NodeSqlClient.layer({ filename: join(root, "outputs.db") })]))

/** Memory comes first: a process that was once large has room that nobody sees being used again. */
const program = Effect.gen(function* () {
  yield* large(mebibyte)
  yield* large(5 * mebibyte)
  yield* large(200 * mebibyte)
  yield* compare(5 * mebibyte, directory)
  yield* compare(mebibyte / 8, directory)
})

await Effect.runPromise(Effect.provide(program, Store)).finally(() => Fs.rm(root, { recursive: true }))
