/** What bounding a huge output costs, in time and memory. In a process of its own: memory is measured from outside. */
import { ManagedOutput, OutputStore, Settlement, SideEffect, ToolContent } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Console, Effect, Layer, type Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { loopDelay } from "../measure.ts"

const mebibyte = 2 ** 20

const { agent, assistantMessageID, call, sessionID } = Testing.request("tool", {})

const succeeded = (structured: Schema.Json, content: ReadonlyArray<ToolContent.ToolContent>) =>
  Settlement.succeeded({
    context: { sessionID, agent, assistantMessageID, toolCallID: call.id },
    name: "tool",
    effect: SideEffect.none,
    warnings: [],
    timing: { startedAt: 0, endedAt: 0 },
    managed: [],
    output: { structured, content }
  })

/** The most that the process had while something ran, and when it was decided that an output is too large. */
class Peak {
  bytes = 0
  decidedAt = 0

  look(): void {
    this.bytes = Math.max(this.bytes, process.memoryUsage.rss())
  }
}

/** Reads everything, counts it and forgets it. */
const discarding = (peak: Peak) =>
  Layer.mock(OutputStore.Service, {
    retain: (_, { bytes }) =>
      Effect.suspend(() => {
        peak.decidedAt = performance.now()
        const hash = createHash("sha256")
        let length = 0
        const read = (chunk: Uint8Array) => {
          hash.update(chunk)
          length += chunk.length
          peak.look()
        }
        return Effect.map(
          Stream.runForEach(bytes, (chunk) => Effect.sync(() => read(chunk))),
          () => ({ ref: ManagedOutput.Ref.make(`out_${hash.digest("hex")}`), bytes: length, lines: 1 })
        )
      })
  })

interface Cost {
  readonly millis: number
  /** Until the store was asked to keep it: deciding, and nothing else. */
  readonly decidedMillis: number
  /** The longest that the event loop had to wait. */
  readonly blockedMillis: number
  readonly growth: number
}

/** The memory is that of bounding together with the output itself. */
const cost = Effect.fnUntraced(function* (make: () => Settlement.Settlement) {
  globalThis.gc?.()
  const base = process.memoryUsage.rss()
  const settlement = make()
  const peak = new Peak()
  const measured = Effect.gen(function* () {
    const { bound } = (yield* OutputBounds.Service).forTurn(new Map())
    const started = performance.now()
    const delay = loopDelay()
    yield* bound(settlement)
    peak.look()
    const millis = performance.now() - started
    const decidedMillis = peak.decidedAt - started
    // Deciding is over before the monitor can tick.
    const blockedMillis = Math.max(decidedMillis, delay().max)
    return { millis, decidedMillis, blockedMillis, growth: peak.bytes - base }
  })
  return yield* Effect.provide(measured, OutputBounds.layer().pipe(Layer.provide(discarding(peak))))
})

const row = (name: string, { blockedMillis, decidedMillis, growth, millis }: Cost): string =>
  [
    name.padEnd(34),
    `${decidedMillis.toFixed(2).padStart(8)} ms to decide`,
    `${millis.toFixed(1).padStart(8)} ms in all`,
    `${blockedMillis.toFixed(1).padStart(8)} ms at a time`,
    `${(growth / mebibyte).toFixed(1).padStart(8)} MiB more`
  ].join("")

/** Repeated: such a text takes its room in memory when it is first looked into, which is here. */
const ofText = (part: string, bytes: number) => () => {
  const text = part.repeat(bytes / part.length)
  return succeeded(text, [ToolContent.text(text)])
}

const lines = ofText("some line of a log that nobody reads to its end\n", 5 * mebibyte)
const list = () =>
  succeeded(
    Array.from({ length: 100_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ["a", "b"] })),
    []
  )
const manyKeys = () =>
  succeeded(Object.fromEntries(Array.from({ length: 1_000_000 }, (_, id) => [`key ${id}`, id])), [])
const line = ofText("x", 200 * mebibyte)

const bench = Effect.gen(function* () {
  for (let round = 0; round < 5; round++) yield* cost(lines)
  const large = yield* cost(line)
  yield* Console.log(row("one line of 200 MiB", large))
  yield* Console.log(`which is ${(large.growth / (200 * mebibyte)).toFixed(2)} × the line`)
  yield* Console.log(row("5 MiB of lines", yield* cost(lines)))
  yield* Console.log(row("5 MiB of JSON", yield* cost(list)))
  yield* Console.log(row("1,000,000 keys", yield* cost(manyKeys)))
})

await Effect.runPromise(bench)
