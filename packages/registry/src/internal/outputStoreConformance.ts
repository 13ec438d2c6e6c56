/**
 * What every layer of the output store must do, as data: each case dies with the reason when the store is wrong. Any test
 * runner can run them; each wants an empty store.
 */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Specimens from "./outputStoreSpecimens.ts"
import { content, expectContent, expectUnavailable, found, noise, other, session } from "./outputStoreSpecimens.ts"
import { expect } from "./settlementStoreSpecimens.ts"

/** One property of a store, in a sentence. */
export interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, OutputStore.Service>
}

const property = (name: string, check: (store: OutputStore.Interface) => Effect.Effect<unknown, unknown>): Case => ({
  name,
  effect: Effect.flatMap(OutputStore.Service, (store) => Effect.asVoid(check(store)))
})

/** A prime, so that chunks fit nothing. */
const oddSize = 65_521

const keeping = [
  property("what was kept is read back to the last byte, however it came", (store) =>
    Effect.forEach([0, 1, 100, oddSize, 3_000_000], (length) =>
      Effect.forEach([oddSize, Number.POSITIVE_INFINITY], (size) =>
        Effect.gen(function* () {
          const bytes = noise(length)
          const retained = yield* store.retain(session, content(bytes, size))
          yield* expect("bytes", retained.bytes, length)
          yield* expectContent(store, retained.ref, bytes)
        })
      )
    )
  ),
  property("a chunk whose memory is used again is kept as it was", (store) =>
    Effect.gen(function* () {
      const reused = new Uint8Array(3)
      const bytes = Stream.unfold(0, (index) =>
        Effect.succeed(index === 4 ? undefined : ([reused.fill(97 + index), index + 1] as const))
      )
      const { ref } = yield* store.retain(session, { mimeType: "text/plain", bytes })
      yield* expectContent(store, ref, "aaabbbcccddd")
    })
  ),
  property("lines are counted as they end, with a line feed or with the output", (store) =>
    Effect.forEach(Object.entries({ "": 0, a: 1, "a\n": 1, "a\nb": 2, "\n\n": 2, "a\r\nb\r\n": 2 }), ([text, lines]) =>
      Effect.forEach([1, 100], (size) =>
        Effect.flatMap(store.retain(session, content(text, size)), (retained) =>
          expect(`lines of ${JSON.stringify(text)}`, retained.lines, lines)
        )
      )
    )
  ),
  property("an opened output tells its type and its size, whatever part of it is read", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, { ...content("a\nb\nc"), mimeType: "application/json" })
      const opened = yield* Effect.scoped(store.open(session, ref, OutputStore.bytes(2, 1)))
      yield* expect(
        "opened",
        [opened.mimeType, opened.bytes, opened.lines, opened.offset].join(),
        "application/json,5,3,2"
      )
    })
  ),
  property("equal outputs are different outputs, and forgetting one leaves the other", (store) =>
    Effect.gen(function* () {
      const [one, two] = [yield* store.retain(session, content("same")), yield* store.retain(session, content("same"))]
      yield* expect("equal references", one.ref === two.ref, false)
      yield* store.release(session, [one.ref])
      yield* expectUnavailable(store, one.ref, "Unknown")
      yield* expectContent(store, two.ref, "same")
    })
  ),
  property("a retention that is interrupted ends and leaves the store as it was", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content("before"))
      const started = yield* Deferred.make<void>()
      const endless = Stream.concat(
        content("part").bytes,
        Stream.fromEffect(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      )
      const fiber = yield* Effect.forkChild(store.retain(session, { mimeType: "text/plain", bytes: endless }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* expectContent(store, ref, "before")
      yield* expectContent(store, (yield* store.retain(session, content("after"))).ref, "after")
    })
  ),
  property("many retentions at once do not mix", (store) =>
    Effect.gen(function* () {
      const seeds = Array.from({ length: 20 }, (_, index) => index + 1)
      const kept = yield* Effect.forEach(
        seeds,
        (seed) => store.retain(session, content(noise(100_000, seed), 30_000)),
        {
          concurrency: "unbounded"
        }
      )
      yield* Effect.forEach(kept, ({ ref }, index) => expectContent(store, ref, noise(100_000, index + 1)))
    })
  )
]

const text = "one\ntwo\r\nthree\n\nfive"

const ranges: ReadonlyArray<readonly [OutputStore.Range, offset: number, expected: string]> = [
  [OutputStore.bytes(0, 3), 0, "one"],
  [OutputStore.bytes(4, 1000), 4, "two\r\nthree\n\nfive"],
  [OutputStore.bytes(4, 0), 4, ""],
  [OutputStore.bytes(1000, 5), 20, ""],
  [OutputStore.lines(1, 1), 0, "one\n"],
  [OutputStore.lines(2, 2), 4, "two\r\nthree\n"],
  [OutputStore.lines(4, 100), 15, "\nfive"],
  [OutputStore.lines(5, 1), 16, "five"],
  [OutputStore.lines(6, 1), 20, ""],
  [OutputStore.lines(2, 0), 4, ""]
]

const reading = [
  property("a range is exactly the bytes or the lines it names", (store) =>
    Effect.forEach([1, 7, 1000], (size) =>
      Effect.gen(function* () {
        const { ref } = yield* store.retain(session, content(text, size))
        for (const [range, offset, expected] of ranges) {
          const read = yield* Specimens.readRange(store, ref, range)
          yield* expect(`offset of ${JSON.stringify(range)}`, read.offset, offset)
          yield* expect(JSON.stringify(range), read.bytes.toString(), expected)
        }
      })
    )
  ),
  property("the last line of a large output is found", (store) =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}`)
      const { ref } = yield* store.retain(session, content(lines.join("\n"), oddSize))
      const { bytes } = yield* Specimens.readRange(store, ref, OutputStore.lines(50_000, 10))
      yield* expect("the last line", bytes.toString(), "line 50000")
    })
  ),
  property("an output of another session is as unknown as one that never was", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content("mine"))
      yield* expectUnavailable(store, ref, "Unknown", other)
      yield* expectUnavailable(store, ManagedOutput.Ref.make("out_0123456789abcdef0123456789abcdef"), "Unknown")
      yield* store.release(other, [ref])
      yield* expectContent(store, ref, "mine")
    })
  ),
  property("outputs of a session that was released can be read until they are in the way", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content("kept"))
      yield* store.release(session)
      yield* store.release(session)
      yield* expect("freed", yield* store.sweep, 0)
      yield* expectContent(store, ref, "kept")
    })
  )
]

const log = "INFO start\r\nwarn: low\nERROR disk full\nINFO end\nERROR again"

const queries: ReadonlyArray<readonly [OutputStore.Query, expected: string]> = [
  [{ pattern: "ERROR" }, "3@22 ERROR disk full|5@47 ERROR again"],
  [{ pattern: "^error (disk|again)", ignoreCase: true }, "3@22 ERROR disk full|5@47 ERROR again"],
  [{ pattern: "start$" }, "1@5 INFO start"],
  [{ pattern: "n+" }, "2@15 warn: low|4@44 INFO end|5@57 ERROR again"],
  [{ pattern: "ERROR", offset: 23 }, "5@47 ERROR again"],
  [{ pattern: "ERROR", offset: 1000 }, ""],
  [{ pattern: "nothing of the kind" }, ""],
  [{ pattern: "low\\nERROR" }, ""],
  [{ pattern: "(" }, "OutputStore.PatternError"],
  [{ pattern: "(?=a)" }, "OutputStore.PatternError"],
  [{ pattern: "a".repeat(100_000) }, "OutputStore.PatternError"]
]

const searching = [
  property("a search finds the lines that match, with their numbers and where the match begins", (store) =>
    Effect.gen(function* () {
      const whole = yield* store.retain(session, content(log))
      const pieces = yield* store.retain(session, content(log, 5))
      for (const [index, [query, expected]] of queries.entries()) {
        const { ref } = index % 2 === 0 ? whole : pieces
        yield* expect(`search for ${query.pattern.slice(0, 50)}`, yield* found(store, ref, query), expected)
      }
    })
  ),
  property("a pattern that other engines take for ever with takes no time", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content(`${"a".repeat(100_000)}\nab`))
      yield* expect("search", yield* found(store, ref, { pattern: "^(a+)+b$" }), "2@100001 ab")
    })
  ),
  property("matches in one endless line are found, cut around, and told apart by where they begin", (store) =>
    Effect.gen(function* () {
      const line = `needle${"-".repeat(1_000_000)}needle${"-".repeat(500_000)}needle`
      const { ref } = yield* store.retain(session, content(line, oddSize))
      const matches = yield* Stream.runCollect(store.search(session, ref, { pattern: "needle" }))
      yield* expect("offsets", matches.map(({ offset }) => offset).join(), "0,1000006,1500012")
      yield* expect("lines", matches.map(({ line }) => line).join(), "1,1,1")
      yield* expect("cut before", matches.map(({ cutBefore }) => cutBefore).join(), "false,true,true")
      yield* expect("cut after", matches.map(({ cutAfter }) => cutAfter).join(), "true,true,false")
      yield* expect(
        "short",
        matches.every(({ text }) => text.length <= 1000 && text.includes("needle")),
        true
      )
    })
  ),
  property("who has found enough stops the search", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content("match\n".repeat(500_000), oddSize))
      const first = yield* Stream.runCollect(Stream.take(store.search(session, ref, { pattern: "match" }), 3))
      yield* expect("matches", first.map(({ line }) => line).join(), "1,2,3")
    })
  ),
  property("an output that cannot be opened cannot be searched", (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(other, content("not yours"))
      yield* expect("search", yield* found(store, ref, { pattern: "." }), "OutputStore.UnavailableError")
    })
  )
]

/** For every store, those in memory included. */
export const cases: ReadonlyArray<Case> = [...keeping, ...reading, ...searching]
