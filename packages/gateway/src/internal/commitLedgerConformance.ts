/** What every ledger must do, as data. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommitLedger from "../CommitLedger.ts"
import { expect } from "./expecting.ts"

interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, CommitLedger.Service>
}

const property = (name: string, check: (ledger: CommitLedger.Interface) => Effect.Effect<unknown, unknown>): Case => ({
  name,
  effect: Effect.flatMap(CommitLedger.Service, (ledger) => Effect.asVoid(check(ledger)))
})

const row = (commitToken: string, prepareId: string): CommitLedger.Row => ({
  commitToken,
  prepareId,
  toolId: "book.flight",
  tenantId: null,
  actor: "agent://東京",
  prepared: { reservation: "r-1", seats: [1, null] },
  preparedAt: 1,
  deadline: 1000.5,
  state: "Prepared"
})

export const cases: ReadonlyArray<Case> = [
  property("gives a row back as it was, and none for a token that nobody has", (ledger) =>
    Effect.gen(function* () {
      yield* expect("prepared", yield* ledger.prepare(row("t", "p")), row("t", "p"))
      yield* expect("found", yield* ledger.find("t"), Option.some(row("t", "p")))
      yield* expect("unknown", yield* ledger.find("other"), Option.none())
    })
  ),
  property("has one row for a settlement, however often it is prepared", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.prepare(row("t", "p"))
      yield* expect("again", yield* ledger.prepare(row("u", "p")), row("t", "p"))
      yield* expect("the other token", yield* ledger.find("u"), Option.none())
      yield* expect("another settlement", yield* ledger.prepare(row("u", "q")), row("u", "q"))
    })
  ),
  property("lets one of those through that move a row at once", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.prepare(row("t", "p"))
      const targets = ["Committing", "RollingBack", "Committing", "RollingBack"] as const
      const moved = yield* Effect.forEach(targets, (to) => ledger.move("t", "Prepared", to), {
        concurrency: "unbounded"
      })
      yield* expect("moved", moved.filter((isMoved) => isMoved).length, 1)
    })
  ),
  property("moves nothing that is in another state, or not there", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.prepare(row("t", "p"))
      yield* expect("another state", yield* ledger.move("t", "Committing", "Committed"), false)
      yield* expect("not there", yield* ledger.move("u", "Prepared", "Committing"), false)
      yield* expect("unchanged", yield* ledger.find("t"), Option.some(row("t", "p")))
    })
  ),
  property("tells what is prepared and nothing else", (ledger) =>
    Effect.gen(function* () {
      yield* ledger.prepare(row("t", "p"))
      yield* ledger.prepare(row("u", "q"))
      yield* ledger.move("t", "Prepared", "Committing")
      yield* expect("prepared", yield* ledger.prepared, [row("u", "q")])
      yield* ledger.move("t", "Committing", "Prepared")
      yield* expect("again", yield* ledger.prepared, [row("t", "p"), row("u", "q")])
    })
  )
]
