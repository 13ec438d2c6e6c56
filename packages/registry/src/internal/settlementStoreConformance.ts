/**
 * What every layer of the settlement store must do, as data: each case dies with the reason when the store is wrong. Any
 * test runner can run them; each wants an empty store.
 */
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Specimens from "./settlementStoreSpecimens.ts"
import { begun, countOf, expect, expectFound, expectRefused, mustBegin, settled } from "./settlementStoreSpecimens.ts"

/** One property of a store, in a sentence. */
export interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, SettlementStore.Service>
}

const property = (
  name: string,
  check: (store: SettlementStore.Interface) => Effect.Effect<unknown, unknown>
): Case => ({ name, effect: Effect.flatMap(SettlementStore.Service, (store) => Effect.asVoid(check(store))) })

const unbounded = { concurrency: "unbounded" } as const

/** Enough at once for a store that looks first and writes later to be caught. */
const crowd = Array.from({ length: 100 }, (_, index) => index)

const possible = (call: SettlementStore.Begun): SettlementStore.Begun => ({ ...call, effectPossible: true })

const beginning = [
  property("a call that never began is not found", (store) => expectFound(store, begun("call"), Specimens.absent)),
  property("a call runs as soon as begin returns", (store) =>
    Effect.gen(function* () {
      yield* mustBegin(store, begun("call"))
      yield* expectFound(store, begun("call"), Specimens.running(begun("call")))
    })
  ),
  property("a call whose fields are computed when they are read is recorded whole", (store) =>
    Effect.gen(function* () {
      yield* mustBegin(store, Specimens.computed(begun("call")))
      yield* expectFound(store, begun("call"), Specimens.running(begun("call")))
      yield* store.advance(begun("call").context)
      yield* expectFound(store, begun("call"), Specimens.running(possible(begun("call"))))
    })
  ),
  property("who begins a call that runs is told of it and changes nothing", (store) =>
    Effect.gen(function* () {
      yield* mustBegin(store, begun("call"))
      const again = yield* store.begin(begun("call", { name: "other" }), { ended: Specimens.interrupted, repeat: true })
      yield* expect("begin", Specimens.told(again), Specimens.running(begun("call")))
      yield* expectFound(store, begun("call"), Specimens.running(begun("call")))
    })
  ),
  property("of many that begin one call at once exactly one begins it", (store) =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach(crowd, () => store.begin(begun("call")), unbounded)
      yield* expect("begun", countOf(results, Option.isNone), 1)
      yield* expectFound(store, begun("call"), Specimens.running(begun("call")))
    })
  )
]

const ending = [
  property("a call that ended gives its end to whoever asks or begins it again", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call)
      yield* store.complete(call.context, settled(call))
      yield* expectFound(store, call, Specimens.ended(call, settled(call)))
      const again = yield* store.begin(call)
      yield* expect("begin", Specimens.told(again), Specimens.ended(call, settled(call)))
    })
  ),
  property("every kind of end comes back as it was", (store) =>
    Effect.forEach(Specimens.ends(begun("call")), (end, index) =>
      Effect.gen(function* () {
        const call = begun(`call-${index}`)
        yield* mustBegin(store, call)
        yield* store.complete(call.context, end)
        yield* expectFound(store, call, Specimens.ended(call, end))
      })
    )
  ),
  property("the first end of a call stands, and whoever ends it again is given it", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call)
      const first = yield* store.complete(call.context, settled(call, "first"))
      const second = yield* store.complete(call.context, settled(call, "second"))
      yield* expect("complete", Specimens.end(first), Specimens.end(settled(call, "first")))
      yield* expect("complete", Specimens.end(second), Specimens.end(first))
      yield* expectFound(store, call, Specimens.ended(call, settled(call, "first")))
    })
  ),
  property("of many ends at once one stands for ever, and all are given it", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call)
      const ends = yield* Effect.forEach(crowd, (n) => store.complete(call.context, settled(call, `${n}`)), unbounded)
      yield* expect("ends", new Set(ends.map(Specimens.end)).size, 1)
      const stands = yield* store.complete(call.context, settled(call, "later"))
      yield* expectFound(store, call, Specimens.ended(call, stands))
    })
  ),
  property("a call begins and ends in one step when both are given", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call, { ended: settled(call) })
      yield* expectFound(store, call, Specimens.ended(call, settled(call)))
    })
  ),
  property("a call that never began cannot end", (store) =>
    Effect.gen(function* () {
      const end = store.complete(begun("call").context, Specimens.interrupted)
      yield* expectRefused("complete", end, "SettlementStore.StorageError")
      yield* expectFound(store, begun("call"), Specimens.absent)
    })
  ),
  property("what runs or ended is not unfinished", (store) =>
    Effect.gen(function* () {
      yield* mustBegin(store, begun("running"))
      yield* mustBegin(store, begun("ended"), { ended: Specimens.interrupted })
      yield* expect("unfinished", (yield* store.unfinished).length, 0)
    })
  )
]

const advancing = [
  property("an effect is possible as soon as advance returns", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call)
      yield* store.advance(call.context)
      yield* expectFound(store, call, Specimens.running(possible(call)))
      yield* store.complete(call.context, settled(call))
      yield* expectFound(store, call, Specimens.ended(possible(call), settled(call)))
    })
  ),
  property("a call that never began or is over cannot advance", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* expectRefused("advance", store.advance(call.context), "SettlementStore.StorageError")
      yield* mustBegin(store, call, { ended: settled(call) })
      yield* expectRefused("advance", store.advance(call.context), "SettlementStore.StorageError")
      yield* expectFound(store, call, Specimens.ended(call, settled(call)))
    })
  ),
  property("an approval that another call redeemed is spent, and what names it does not advance", (store) =>
    Effect.gen(function* () {
      const [one, two] = [begun("one"), begun("two")]
      yield* Effect.forEach([one, two], (call) => mustBegin(store, call))
      yield* store.advance(one.context, { approvalID: "approval" })
      yield* store.advance(one.context, { approvalID: "approval" })
      const late = store.advance(two.context, { approvalID: "approval" })
      yield* expectRefused("advance", late, "SettlementStore.ApprovalSpentError")
      yield* expectFound(store, two, Specimens.running(two))
      yield* store.advance(two.context, { approvalID: "another approval" })
      yield* expectFound(store, two, Specimens.running(possible(two)))
    })
  ),
  property("of many calls that redeem one approval at once exactly one does", (store) =>
    Effect.gen(function* () {
      const calls = crowd.map((n) => begun(`call-${n}`))
      yield* Effect.forEach(calls, (call) => mustBegin(store, call), unbounded)
      const redeem = (call: SettlementStore.Begun) =>
        Effect.match(store.advance(call.context, { approvalID: "approval" }), {
          onFailure: (error) => error._tag,
          onSuccess: () => "redeemed"
        })
      const results = yield* Effect.forEach(calls, redeem, unbounded)
      yield* expect(
        "redeemed",
        countOf(results, (result) => result === "redeemed"),
        1
      )
      yield* expect(
        "spent",
        countOf(results, (result) => result === "SettlementStore.ApprovalSpentError"),
        crowd.length - 1
      )
    })
  )
]

const repeating = [
  property("a call that ended without a settlement begins again if asked to, and only then", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call, { ended: Specimens.interrupted })
      const unasked = yield* store.begin(call)
      yield* expect("begin", Specimens.told(unasked), Specimens.ended(call, Specimens.interrupted))
      yield* mustBegin(store, begun("call", { name: "again" }), { repeat: true })
      yield* expectFound(store, call, Specimens.running(begun("call", { name: "again" })))
      yield* store.complete(call.context, settled(call))
      yield* expectFound(store, call, Specimens.ended(begun("call", { name: "again" }), settled(call)))
    })
  ),
  property("a call that was settled does not begin again", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call, { ended: settled(call) })
      const again = yield* store.begin(call, { repeat: true })
      yield* expect("begin", Specimens.told(again), Specimens.ended(call, settled(call)))
    })
  ),
  property("of many that repeat one call at once exactly one does", (store) =>
    Effect.gen(function* () {
      yield* mustBegin(store, begun("call"), { ended: Specimens.interrupted })
      const results = yield* Effect.forEach(crowd, () => store.begin(begun("call"), { repeat: true }), unbounded)
      yield* expect("begun", countOf(results, Option.isNone), 1)
    })
  ),
  property("an approval that the earlier attempt redeemed is spent for the next", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      yield* mustBegin(store, call)
      yield* store.advance(call.context, { approvalID: "approval" })
      yield* store.complete(call.context, Specimens.interrupted)
      yield* mustBegin(store, call, { repeat: true })
      const again = store.advance(call.context, { approvalID: "approval" })
      yield* expectRefused("advance", again, "SettlementStore.ApprovalSpentError")
    })
  )
]

/** The longest that an id may be. */
const longest = 256

const alike: ReadonlyArray<SettlementStore.Begun> = [
  begun("d", { session: "a", message: "bc" }),
  begun("d", { session: "ab", message: "c" }),
  begun("bc", { session: "a", message: "d" }),
  begun("D", { session: "a", message: "bc" }),
  begun("café"),
  begun("cafe\u0301"),
  begun("__proto__"),
  begun("constructor"),
  begun("%"),
  begun("_"),
  begun("'--"),
  begun('";'),
  begun("🛠".repeat(longest / 2)),
  begun("東".repeat(longest), { session: "東".repeat(longest), message: "東".repeat(longest) }),
  begun("東".repeat(longest - 1), { session: "東".repeat(longest), message: "東".repeat(longest) })
]

const apart = [
  property("calls with ids that look alike, are long or are in any script are different calls", (store) =>
    Effect.gen(function* () {
      for (const [index, call] of alike.entries()) {
        yield* mustBegin(store, call)
        yield* store.complete(call.context, settled(call, `${index}`))
      }
      for (const [index, call] of alike.entries()) {
        yield* expectFound(store, call, Specimens.ended(call, settled(call, `${index}`)))
      }
    })
  ),
  property("a settlement of a megabyte comes back whole", (store) =>
    Effect.gen(function* () {
      const call = begun("call")
      const end = settled(call, "0123456789abcdef".repeat(65_536))
      yield* mustBegin(store, call)
      yield* store.complete(call.context, end)
      yield* expectFound(store, call, Specimens.ended(call, end))
    })
  ),
  property("a thousand calls at once are each recorded, whatever happens to the others", (store) =>
    Effect.forEach(
      Array.from({ length: 1000 }, (_, index) => index),
      (index) => life(store, index),
      unbounded
    )
  )
]

/** One of four lives of a call; two of them have a mistake that must hurt nobody else. */
const life = Effect.fnUntraced(function* (store: SettlementStore.Interface, index: number) {
  const call = begun(`call-${index}`)
  yield* mustBegin(store, call)
  if (index % 4 === 0) return yield* expectFound(store, call, Specimens.running(call))
  if (index % 4 === 1) {
    const unknown = store.complete(begun(`unknown-${index}`).context, Specimens.interrupted)
    yield* expectRefused("complete", unknown, "SettlementStore.StorageError")
  }
  if (index % 4 === 2) {
    yield* store.advance(call.context, { approvalID: `approval-${index}` })
    const again = yield* store.begin(call)
    yield* expect("begin", Specimens.told(again), Specimens.running(possible(call)))
  }
  yield* store.complete(call.context, settled(call, `${index}`))
  const recorded = index % 4 === 2 ? possible(call) : call
  return yield* expectFound(store, call, Specimens.ended(recorded, settled(call, `${index}`)))
})

/** For every store, those in memory included. */
export const cases: ReadonlyArray<Case> = [...beginning, ...ending, ...advancing, ...repeating, ...apart]
