/** What an output store must do about sessions that nobody ends. */
import * as OutputStore from "@haft/core/OutputStore"
import * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"
import { another, day, fill, full, type LimitCase, limited, seeds, size } from "./outputStoreLimits.ts"
import {
  content,
  expectContent,
  expectExceeded,
  expectUnavailable,
  later,
  noise,
  other,
  session
} from "./outputStoreSpecimens.ts"
import { expect } from "./settlementStoreSpecimens.ts"

const idle = { ...full, maxIdleMillis: 10 * day, maxAgeMillis: day }

const unused = Session.ID.make("unused")
const newest = Session.ID.make("newest")

const use = (store: OutputStore.Interface, ref: OutputStore.Retained["ref"]) =>
  Effect.scoped(store.open(session, ref, OutputStore.bytes(0, 1)))

export const idleCases: ReadonlyArray<LimitCase> = [
  limited("a session that did nothing for too long makes room, its oldest output first", idle, (store) =>
    Effect.gen(function* () {
      const [first, second] = yield* fill(store)
      yield* expectExceeded(later(9 * day, another(store, other)), "store")
      yield* later(11 * day, another(store, other))
      if (first === undefined || second === undefined) return
      yield* later(11 * day, expectUnavailable(store, first.ref, "Expired"))
      yield* later(11 * day, expectContent(store, second.ref, noise(size, 2)))
    })
  ),
  limited("a session that opens something, or keeps something, is not idle from then on", idle, (store) =>
    Effect.gen(function* () {
      const opening = yield* store.retain(session, content(noise(size, 1)))
      const keeping = yield* store.retain(other, content(noise(size, 2)))
      const [first] = yield* Effect.forEach(seeds.slice(3), (seed) => store.retain(unused, content(noise(size, seed))))
      yield* later(9 * day, use(store, opening.ref))
      yield* later(9 * day, store.retain(other, content(noise(size, 3))))
      yield* later(11 * day, another(store, newest))
      yield* later(11 * day, expectContent(store, opening.ref, noise(size, 1)))
      yield* later(11 * day, expectContent(store, keeping.ref, noise(size, 2), other))
      if (first !== undefined) yield* later(11 * day, expectUnavailable(store, first.ref, "Expired", unused))
    })
  ),
  limited("a session that a wrong clock saw in the future is idle from its next use on, as any other", idle, (store) =>
    Effect.gen(function* () {
      const [opened] = yield* later(100 * day, fill(store))
      if (opened === undefined) return
      yield* use(store, opened.ref)
      yield* later(11 * day, another(store, other))
      yield* later(11 * day, expectUnavailable(store, opened.ref, "Expired"))
    })
  ),
  limited("the outputs of an idle session are swept as old as those of a released one", idle, (store) =>
    Effect.gen(function* () {
      const { ref } = yield* store.retain(session, content(noise(size)))
      yield* expect("freed while idle", yield* later(10.5 * day, store.sweep), 0)
      yield* later(10.5 * day, expectContent(store, ref, noise(size)))
      yield* expect("freed after its use", yield* later(12 * day, store.sweep), 0)
      yield* expect("freed", yield* later(22 * day, store.sweep), size)
      yield* later(22 * day, expectUnavailable(store, ref, "Expired"))
    })
  )
]
