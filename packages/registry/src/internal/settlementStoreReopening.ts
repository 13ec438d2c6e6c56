/** What a settlement store that outlives its process must do besides, told by closing and opening it. */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
      yield* open((store) => mustBegin(store, call))
      yield* open((store) => store.complete(call.context, settled(call)))
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
      yield* expect("unfinished", found.map(Specimens.unfinished).join(), left)
    })
  ),
  property("unfinished calls come oldest first", (open) =>
    Effect.gen(function* () {
      const calls = [3, 1, 2].map((begunAt) => begun(`call-${begunAt}`, { begunAt }))
      yield* open((store) => Effect.forEach(calls, (call) => mustBegin(store, call), { concurrency: "unbounded" }))
      const found = yield* open((store) => store.unfinished)
      yield* expect("unfinished", found.map(({ begunAt }) => begunAt).join(), "1,2,3")
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

const recovering = [
  property("an unfinished call can be ended, once, and cannot advance", (open) =>
    Effect.gen(function* () {
      yield* open((store) => mustBegin(store, call))
      yield* open((store) => expectRefused("advance", store.advance(call.context), "SettlementStore.StorageError"))
      yield* open((store) => store.complete(call.context, Specimens.interrupted))
      yield* open((store) => store.complete(call.context, settled(call)))
      yield* open((store) => expectFound(store, call, Specimens.ended(call, Specimens.interrupted)))
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
