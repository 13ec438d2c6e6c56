/** What a settlement store that outlives its process must do besides, told by closing and opening it. */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Specimens from "./settlementStoreSpecimens.ts"
import { begun, expect, expectFound, expectRefused, mustBegin, settled } from "./settlementStoreSpecimens.ts"

/** One property of a store that is opened several times, in a sentence. The layer opens the same store each time. */
export interface ReopenCase {
  readonly name: string
  readonly run: (layer: Layer.Layer<SettlementStore.Service, unknown>) => Effect.Effect<void, unknown>
}

/** Opens the store for as long as `use` lasts. */
type Open = <A>(use: (store: SettlementStore.Interface) => Effect.Effect<A, unknown>) => Effect.Effect<A, unknown>

const property = (name: string, check: (open: Open) => Effect.Effect<unknown, unknown>): ReopenCase => ({
  name,
  run: (layer) =>
    Effect.asVoid(check((use) => Effect.provide(Effect.flatMap(SettlementStore.Service, use), Layer.fresh(layer))))
})

const call = begun("call")

const closing = [
  property("what ended before the store closed is found when it is open again", (open) =>
    Effect.gen(function* () {
      yield* open((store) => Effect.andThen(mustBegin(store, call), store.complete(call.context, settled(call))))
      yield* open((store) => expectFound(store, call, Specimens.ended(call, settled(call))))
      yield* open((store) => Effect.flatMap(store.unfinished, ({ length }) => expect("unfinished", length, 0)))
    })
  ),
  property("what had not ended when its store closed is unfinished, and beginning it says so", (open) =>
    Effect.gen(function* () {
      yield* open((store) => Effect.andThen(mustBegin(store, call), store.advance(call.context)))
      const left = Specimens.unfinished({ ...call, effectPossible: true })
      yield* open((store) => expectFound(store, call, left))
      const again = yield* open((store) => store.begin(call))
      yield* expect("begin", Specimens.told(again), left)
      const found = yield* open((store) => store.unfinished)
      yield* expect("unfinished", found.map(({ begun }) => Specimens.unfinished(begun)).join(), left)
    })
  ),
  property("unfinished calls come oldest first", (open) =>
    Effect.gen(function* () {
      const calls = [3, 1, 2].map((begunAt) => begun(`call-${begunAt}`, { begunAt }))
      yield* open((store) => Effect.forEach(calls, (call) => mustBegin(store, call), { concurrency: "unbounded" }))
      const found = yield* open((store) => store.unfinished)
      yield* expect("unfinished", found.map(({ begun }) => begun.begunAt).join(), "1,2,3")
    })
  ),
  property("an approval stays redeemed", (open) =>
    Effect.gen(function* () {
      yield* open((store) =>
        Effect.andThen(mustBegin(store, call), store.advance(call.context, { approvalID: "approval" }))
      )
      const other = begun("other")
      const late = (store: SettlementStore.Interface) => store.advance(other.context, { approvalID: "approval" })
      yield* open((store) =>
        Effect.andThen(
          mustBegin(store, other),
          expectRefused("advance", late(store), "SettlementStore.ApprovalSpentError")
        )
      )
    })
  )
]

/** Ends every call that is unfinished, and tells which ends stand: none for what has begun again. */
const endAll = (
  store: SettlementStore.Interface,
  left: ReadonlyArray<SettlementStore.Unfinished>,
  ended: SettlementStore.Ended
) =>
  Effect.map(store.finish(left.map((unfinished) => ({ unfinished, ended }))), (stand) =>
    stand.map(Option.match({ onNone: () => "none", onSome: Specimens.end })).join()
  )

const recovering = [
  property("an unfinished call can be ended, once, and not by a store that takes it for its own", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((store) =>
        Effect.gen(function* () {
          yield* expectRefused("advance", store.advance(call.context), "SettlementStore.StorageError")
          const own = store.complete(call.context, settled(call))
          yield* expectRefused("complete", own, "SettlementStore.StorageError")
          const left = yield* store.unfinished
          yield* expect("end", yield* endAll(store, left, Specimens.interrupted), Specimens.end(Specimens.interrupted))
          yield* expect("end", yield* endAll(store, left, settled(call)), Specimens.end(Specimens.interrupted))
          yield* expect("unfinished", (yield* store.unfinished).length, 0)
        })
      )
      yield* open((store) => expectFound(store, call, Specimens.ended(call, Specimens.interrupted)))
    })
  ),
  property("an unfinished call that begins again is not ended by who found it before, here or elsewhere", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((one) =>
        open((two) =>
          Effect.gen(function* () {
            const [inOne, inTwo] = [yield* one.unfinished, yield* two.unfinished]
            yield* mustBegin(two, call, { repeat: true })
            yield* expect("end", yield* endAll(one, inOne, Specimens.interrupted), "none")
            yield* expect("end", yield* endAll(two, inTwo, Specimens.interrupted), "none")
            yield* expectFound(one, call, Specimens.running(call))
            yield* two.complete(call.context, settled(call))
            yield* expect("end", yield* endAll(one, inOne, Specimens.interrupted), "none")
            yield* expect("end", yield* endAll(two, inTwo, Specimens.interrupted), "none")
            yield* expectFound(one, call, Specimens.ended(call, settled(call)))
          })
        )
      )
    })
  ),
  property("of those that end an unfinished call and one that begins it again none ends what the other runs", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((one) => open((two) => race(one, two)))
    })
  ),
  property(
    "thousands of unfinished calls end at once, each in its own way, but for those that went on meanwhile",
    (open) =>
      Effect.gen(function* () {
        yield* open((store) => Effect.forEach(crowd, (one) => mustBegin(store, one), { concurrency: "unbounded" }))
        yield* open((store) => open((other) => finishCrowd(store, other)))
      })
  ),
  property("an unfinished call that is named twice has the first end", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((store) =>
        Effect.gen(function* () {
          const left = yield* store.unfinished
          const stands = yield* endAll(store, [...left, ...left], Specimens.interrupted)
          const end = Specimens.end(Specimens.interrupted)
          yield* expect("finish", stands, `${end},${end}`)
        })
      )
    })
  ),
  property("who did not find a call unfinished cannot end it", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((store) =>
        Effect.gen(function* () {
          const left = yield* store.unfinished
          const copies = left.map(({ begun }) => ({ begun }))
          yield* expectRefused("finish", endAll(store, copies, Specimens.interrupted), "SettlementStore.StorageError")
          yield* expect("unfinished", (yield* store.unfinished).length, 1)
        })
      )
    })
  ),
  property("an unfinished call begins again if asked to, and is then not unfinished", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((store) =>
        Effect.gen(function* () {
          yield* mustBegin(store, call, { repeat: true })
          yield* expectFound(store, call, Specimens.running(call))
          yield* expect("unfinished", (yield* store.unfinished).length, 0)
        })
      )
      const found = yield* open((store) => store.unfinished)
      yield* expect("unfinished", found.length, 1)
    })
  )
]

/** More than any store ends with one statement. */
const crowd = Array.from({ length: 3_000 }, (_, index) => begun(`call-${index}`))

/** One in ten has begun again when they are ended, and one in ten has another end. */
const finishCrowd = Effect.fnUntraced(function* (store: SettlementStore.Interface, other: SettlementStore.Interface) {
  const left = yield* store.unfinished
  yield* expect("unfinished", left.length, crowd.length)
  const [again, faster] = [0, 1].map((rest) => left.filter((_, index) => index % 10 === rest))
  for (const { begun } of again ?? []) yield* mustBegin(other, begun, { repeat: true })
  yield* endAll(store, faster ?? [], Specimens.interrupted)
  const ends = left.map((unfinished) => ({ unfinished, ended: settled(unfinished.begun, unfinished.begun.name) }))
  for (const [index, stands] of (yield* store.finish(ends)).entries()) {
    const own = Specimens.end(ends[index]?.ended ?? Specimens.interrupted)
    const expected = index % 10 === 1 ? Specimens.end(Specimens.interrupted) : index % 10 === 0 ? "none" : own
    yield* expect("finish", Option.match(stands, { onNone: () => "none", onSome: Specimens.end }), expected)
  }
  for (const { begun } of again ?? []) yield* expectFound(store, begun, Specimens.running(begun))
  yield* expect("unfinished", (yield* store.unfinished).length, 0)
})

/** Whoever is first, the call is running afterwards, and nobody ended the attempt that runs. */
const race = Effect.fnUntraced(function* (one: SettlementStore.Interface, two: SettlementStore.Interface) {
  const [inOne, inTwo] = [yield* one.unfinished, yield* two.unfinished]
  const [, , again] = yield* Effect.all(
    [
      endAll(one, inOne, Specimens.interrupted),
      endAll(two, inTwo, Specimens.interrupted),
      two.begin(call, { repeat: true })
    ],
    { concurrency: "unbounded" }
  )
  yield* expect("begin", Specimens.told(again), Specimens.absent)
  yield* expectFound(one, call, Specimens.running(call))
  yield* expect("unfinished", (yield* one.unfinished).length, 0)
})

const sharing = [
  property("two that have the store open at once see each other's calls", (open) =>
    open((one) =>
      open((two) =>
        Effect.gen(function* () {
          yield* mustBegin(one, call)
          yield* expectFound(two, call, Specimens.running(call))
          yield* expect("unfinished", (yield* two.unfinished).length, 0)
          const again = yield* two.begin(call, { repeat: true })
          yield* expect("begin", Specimens.told(again), Specimens.running(call))
          yield* one.complete(call.context, settled(call))
          yield* expectFound(two, call, Specimens.ended(call, settled(call)))
        })
      )
    )
  ),
  property("a call that one runs is not another's to advance or to end", (open) =>
    open((one) =>
      open((two) =>
        Effect.gen(function* () {
          yield* mustBegin(one, call)
          yield* expectRefused("advance", two.advance(call.context), "SettlementStore.StorageError")
          const ended = two.complete(call.context, Specimens.interrupted)
          yield* expectRefused("complete", ended, "SettlementStore.StorageError")
          yield* one.complete(call.context, settled(call))
          yield* expectFound(two, call, Specimens.ended(call, settled(call)))
        })
      )
    )
  ),
  property("what one leaves is unfinished for another that stays open", (open) =>
    open((stays) =>
      Effect.gen(function* () {
        yield* open((leaves) =>
          Effect.andThen(mustBegin(leaves, call), expectFound(stays, call, Specimens.running(call)))
        )
        yield* expectFound(stays, call, Specimens.unfinished(call))
      })
    )
  )
]

/** For every store that is more than memory. */
export const reopenCases: ReadonlyArray<ReopenCase> = [...closing, ...recovering, ...sharing]
