/** What every idempotency store must do, as data. */
import * as SideEffect from "@haft/core/SideEffect"
import * as Leaf from "@haft/wire/Leaf"
import * as Outcome from "@haft/wire/Outcome"
import * as Effect from "effect/Effect"
import * as IdempotencyStore from "../IdempotencyStore.ts"
import { expect } from "./expecting.ts"

interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, IdempotencyStore.Service>
}

const property = (
  name: string,
  check: (store: IdempotencyStore.Interface) => Effect.Effect<unknown, unknown>
): Case => ({
  name,
  effect: Effect.flatMap(IdempotencyStore.Service, (store) => Effect.asVoid(check(store)))
})

const claim = (owner: string, more: Partial<IdempotencyStore.Claim> = {}): IdempotencyStore.Claim => ({
  storeKey: "key",
  owner,
  inputDigest: "digest",
  now: 1000,
  leaseUntil: 2000,
  takeOver: false,
  ...more
})

const holder = (owner: string, storeKey = "key"): IdempotencyStore.Holder => ({ storeKey, owner })

/** With everything in it that an encoding could lose. */
const outcome = Outcome.make({
  leaf: Leaf.make("Success.Effect", { output: { text: "Zürich 東京 🛠 ' \" \\ \n", list: [1.5, null, true] } }),
  effect: SideEffect.committed([{ kind: "file", target: "a b", bytes: 3 }]),
  call: { callId: "call", toolName: "tool", toolId: "tool", version: "1.2.3" },
  attempts: [{ n: 1, startedAt: 1, endedAt: 2, tag: "Success.Effect", waitedMs: 0.5 }],
  warnings: ["w"],
  idempotency: { key: "k" }
})

const mine: IdempotencyStore.Claimed = { _tag: "Mine" }
const running: IdempotencyStore.Claimed = { _tag: "Running", inputDigest: "digest" }
const settled: IdempotencyStore.Claimed = { _tag: "Settled", inputDigest: "digest", outcome }
const kept = { outcome, expiresAt: 5000 }

export const cases: ReadonlyArray<Case> = [
  property("gives a key to one of those who claim it at once", (store) =>
    Effect.gen(function* () {
      const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`)
      const claims = yield* Effect.forEach(owners, (owner) => store.claim(claim(owner)), { concurrency: "unbounded" })
      yield* expect("mine", claims.filter(({ _tag }) => _tag === "Mine").length, 1)
      yield* expect("the others", claims.filter(({ _tag }) => _tag === "Running").length, 19)
    })
  ),
  property("gives a settled outcome back as it was, with the digest of its input", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.settle(holder("a"), kept)
      yield* expect("claim", yield* store.claim(claim("b", { inputDigest: "other" })), settled)
    })
  ),
  property("gives the key again when the outcome has expired", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.settle(holder("a"), kept)
      yield* expect("before", yield* store.claim(claim("b", { now: 4999 })), settled)
      yield* expect("then", yield* store.claim(claim("b", { now: 5000, leaseUntil: 6000 })), mine)
      yield* expect("after", yield* store.claim(claim("c", { now: 5001 })), running)
    })
  ),
  property("gives a released key to the next", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.release(holder("a"))
      yield* expect("claim", yield* store.claim(claim("b")), mine)
    })
  ),
  property("lets nobody but its owner settle or release a key", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.release(holder("b"))
      yield* store.settle(holder("b"), kept)
      yield* expect("claim", yield* store.claim(claim("c")), running)
    })
  ),
  property("keeps an outcome against its owner, too", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.settle(holder("a"), kept)
      yield* store.release(holder("a"))
      yield* store.settle(holder("a"), { ...kept, expiresAt: 1 })
      yield* expect("claim", yield* store.claim(claim("b")), settled)
    })
  ),
  property("tells whose a key is that nobody will settle, or gives it to whoever takes over", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      const abandoned = { _tag: "Abandoned", inputDigest: "digest", owner: "a" }
      yield* expect("abandoned", yield* store.claim(claim("b", { now: 2000, leaseUntil: 3000 })), abandoned)
      const takeOver = { now: 2000, leaseUntil: 3000, takeOver: true }
      yield* expect("taken over", yield* store.claim(claim("b", takeOver)), mine)
      yield* store.settle(holder("a"), kept)
      yield* expect("its own again", yield* store.claim(claim("c", { now: 2001 })), running)
    })
  ),
  property("keeps keys apart", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* expect("another", yield* store.claim(claim("b", { storeKey: "other" })), mine)
    })
  ),
  property("sweeps what has expired and nothing else", (store) =>
    Effect.gen(function* () {
      yield* store.claim(claim("a"))
      yield* store.settle(holder("a"), kept)
      yield* store.claim(claim("b", { storeKey: "other" }))
      yield* expect("too early", yield* store.sweep(4999), 0)
      yield* expect("in time", yield* store.sweep(5000), 1)
      yield* expect("the one that runs", yield* store.claim(claim("c", { storeKey: "other" })), running)
    })
  )
]
