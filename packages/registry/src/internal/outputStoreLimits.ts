/** What an output store that has limits must do at them, and what one that outlives its process must do besides. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Limits } from "./outputLimits.ts"
import {
  content,
  expectContent,
  expectExceeded,
  expectUnavailable,
  later,
  noise,
  other,
  readRange,
  session
} from "./outputStoreSpecimens.ts"
import { expect } from "./settlementStoreSpecimens.ts"

type Store = Layer.Layer<OutputStore.Service, unknown>

/** One property of a store with limits, in a sentence. The function makes an empty store with these limits. */
export interface LimitCase {
  readonly name: string
  readonly run: (layer: (limits: Partial<Limits>) => Store) => Effect.Effect<void, unknown>
}

export const limited = (
  name: string,
  limits: Partial<Limits>,
  check: (store: OutputStore.Interface) => Effect.Effect<unknown, unknown>
): LimitCase => ({
  name,
  run: (layer) => Effect.asVoid(Effect.provide(Effect.flatMap(OutputStore.Service, check), Layer.fresh(layer(limits))))
})

/** Ten outputs of this size fill a store, and three a session. */
export const size = 1000
export const full = { maxStoreBytes: 10 * size }
export const seeds = Array.from({ length: 10 }, (_, index) => index + 1)

export const fill = (store: OutputStore.Interface, owner = session) =>
  Effect.forEach(seeds, (seed) => store.retain(owner, content(noise(size, seed))))

export const another = (store: OutputStore.Interface, owner = session) =>
  store.retain(owner, content(noise(size, 99), 300))

export const day = 24 * 60 * 60 * 1000

/** For every store that has limits. */
export const limitCases: ReadonlyArray<LimitCase> = [
  limited("an output beyond its limit is refused, and one at the limit is not", { maxOutputBytes: size }, (store) =>
    Effect.gen(function* () {
      yield* expectExceeded(store.retain(session, content(noise(size + 1), 100)), "output")
      yield* expectContent(store, (yield* another(store)).ref, noise(size, 99))
    })
  ),
  limited("a session beyond its limit is refused, and another session is not", { maxSessionBytes: 3 * size }, (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([1, 2, 3], (seed) => store.retain(session, content(noise(size, seed))))
      yield* expectExceeded(another(store), "session")
      yield* another(store, other)
    })
  ),
  limited("a store that is full of live outputs refuses more, and keeps every one of them", full, (store) =>
    Effect.gen(function* () {
      const kept = yield* fill(store)
      yield* expectExceeded(another(store), "store")
      yield* expectExceeded(another(store), "store")
      yield* Effect.forEach(kept, ({ ref }, index) => expectContent(store, ref, noise(size, index + 1)))
    })
  ),
  limited("the oldest outputs of released sessions make room, and are expired then", full, (store) =>
    Effect.gen(function* () {
      const kept = yield* fill(store)
      yield* store.release(session)
      const newer = yield* another(store, other)
      yield* expectContent(store, newer.ref, noise(size, 99), other)
      const [first, second] = kept
      if (first === undefined || second === undefined) return
      yield* expectUnavailable(store, first.ref, "Expired")
      yield* expectUnavailable(store, first.ref, "Unknown", other)
      yield* expectContent(store, second.ref, noise(size, 2))
    })
  ),
  limited("what is live makes no room, although it is older", full, (store) =>
    Effect.gen(function* () {
      const live = yield* store.retain(other, content(noise(size, 50)))
      yield* Effect.forEach(seeds.slice(1), (seed) => store.retain(session, content(noise(size, seed))))
      yield* store.release(session)
      yield* another(store, other)
      yield* expectContent(store, live.ref, noise(size, 50), other)
    })
  ),
  limited("a session that keeps something again is live again, all of it", full, (store) =>
    Effect.gen(function* () {
      const [first] = yield* Effect.forEach(seeds.slice(1), (seed) => store.retain(session, content(noise(size, seed))))
      yield* store.release(session)
      yield* another(store)
      yield* expectExceeded(store.retain(other, content(noise(size, 98))), "store")
      if (first !== undefined) yield* expectContent(store, first.ref, noise(size, 2))
    })
  ),
  limited("room that was taken for nothing is free again", full, (store) =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const endless = Stream.concat(
        content(noise(10 * size)).bytes,
        Stream.fromEffect(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      )
      const fiber = yield* Effect.forkChild(store.retain(session, { mimeType: "text/plain", bytes: endless }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* expectExceeded(store.retain(session, content(noise(11 * size), size)), "store")
      const kept = yield* fill(store)
      yield* store.release(
        session,
        kept.map(({ ref }) => ref)
      )
      yield* fill(store)
    })
  ),
  limited("many at once never fill a store beyond its limit", full, (store) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 40 }, (_, index) => index + 1)
      const attempt = (seed: number) => Effect.result(store.retain(session, content(noise(size, seed), 100)))
      const results = yield* Effect.forEach(many, attempt, { concurrency: "unbounded" })
      const kept = results.flatMap((result, index) => (result._tag === "Success" ? [{ ...result.success, index }] : []))
      yield* expect("within the limit", kept.length <= 10, true)
      yield* Effect.forEach(kept, ({ index, ref }) => expectContent(store, ref, noise(size, index + 1)))
    })
  ),
  limited("a sweep removes what was released too long ago, and nothing that is live", { maxAgeMillis: day }, (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content(noise(size)))
      const live = yield* store.retain(other, content(noise(size, 2)))
      yield* store.release(session)
      yield* expect("freed early", yield* later(day / 2, store.sweep), 0)
      yield* expectContent(store, ref, noise(size))
      yield* expect("freed", yield* later(2 * day, store.sweep), size)
      yield* expectUnavailable(store, ref, "Expired")
      yield* expectContent(store, live.ref, noise(size, 2), other)
    })
  ),
  limited("an output that is open can be read to its end although it was swept", { maxAgeMillis: day }, (store) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { ref } = yield* store.retain(session, content(noise(size), 100))
        const opened = yield* store.open(session, ref, OutputStore.bytes(0, size))
        yield* store.release(session)
        yield* later(2 * day, store.sweep)
        yield* expectUnavailable(store, ref, "Expired")
        const bytes = Buffer.concat([...(yield* Stream.runCollect(opened.content))])
        yield* expect("the content", bytes.toString("hex"), Buffer.from(noise(size)).toString("hex"))
      })
    )
  )
]

/** One property of a store that is opened several times, in a sentence. The layer opens the same store each time. */
export interface ReopenCase {
  readonly name: string
  readonly run: (layer: Store) => Effect.Effect<void, unknown>
}

/** Opens the store for as long as `use` lasts. */
type Open = <A>(use: (store: OutputStore.Interface) => Effect.Effect<A, unknown>) => Effect.Effect<A, unknown>

const reopened = (name: string, check: (open: Open) => Effect.Effect<unknown, unknown>): ReopenCase => ({
  name,
  run: (layer) =>
    Effect.asVoid(check((use) => Effect.provide(Effect.flatMap(OutputStore.Service, use), Layer.fresh(layer))))
})

/** For every store that outlives its process. */
export const reopenCases: ReadonlyArray<ReopenCase> = [
  reopened("what was kept before the store closed is there when it is open again", (open) =>
    Effect.gen(function* () {
      const { ref } = yield* open((store) => store.retain(session, content(noise(100_000))))
      yield* open((store) => expectContent(store, ref, noise(100_000)))
      yield* open((store) => expectUnavailable(store, ref, "Unknown", other))
    })
  ),
  reopened("what was released and removed stays so", (open) =>
    Effect.gen(function* () {
      const { ref } = yield* open((store) => store.retain(session, content("old")))
      yield* open((store) => store.release(session))
      yield* open((store) => later(365 * day, store.sweep))
      yield* open((store) => expectUnavailable(store, ref, "Expired"))
    })
  ),
  reopened("two that have the store open at once read and release each other's outputs", (open) =>
    open((one) =>
      open((two) =>
        Effect.gen(function* () {
          const { ref } = yield* one.retain(session, content("a\nb\n"))
          const { bytes } = yield* readRange(two, ref, OutputStore.lines(2, 1))
          yield* expect("the second line", bytes.toString(), "b\n")
          yield* two.release(session, [ref])
          yield* expectUnavailable(one, ref, "Unknown")
        })
      )
    )
  )
]
