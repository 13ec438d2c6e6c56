/** What every account of calls must do, as data. */
import * as Effect from "effect/Effect"
import * as Audit from "../Audit.ts"
import { expect } from "./expecting.ts"
import { escalated } from "./records.ts"

interface Case {
  readonly name: string
  readonly effect: Effect.Effect<void, unknown, Audit.Service>
}

const property = (name: string, check: (audit: Audit.Interface) => Effect.Effect<unknown, unknown>): Case => ({
  name,
  effect: Effect.flatMap(Audit.Service, (audit) => Effect.asVoid(check(audit)))
})

const requested = (recordId: string, at = 0): Audit.Requested => ({
  recordId,
  callId: "call",
  toolId: "search.web",
  fn: "invoke",
  actor: "agent://東京",
  runId: "run",
  at,
  leaseUntil: at + 1000
})

const skipped = (record_id: string): Audit.Skipped => ({
  record_id,
  kind: "SKIPPED",
  call_id: "call",
  tool_id: "search.web",
  fn: "invoke",
  reason_code: "confidence",
  reason: "not sure ' \" \\",
  confidence: 0.25,
  actor_id: "agent",
  at: "2026-01-01T00:00:00.000Z"
})

export const cases: ReadonlyArray<Case> = [
  property("finds the requests of a call in their order, with what closed them", (audit) =>
    Effect.gen(function* () {
      const [first, second, third] = [requested("a", 1), requested("b", 2), requested("c", 3)]
      for (const each of [second, first, third]) yield* audit.request(each)
      const record = escalated(second, 5)
      yield* audit.close(record)
      yield* audit.close(skipped("c"))
      const expected = [
        { requested: first },
        { requested: second, closing: record },
        { requested: third, closing: skipped("c") }
      ]
      yield* expect("entries", yield* audit.find("call"), expected)
      yield* expect("of another call", yield* audit.find("other"), [])
    })
  ),
  property("counts what was requested, settled and skipped", (audit) =>
    Effect.gen(function* () {
      yield* expect("nothing", yield* audit.counts, { requested: 0, settled: 0, skipped: 0 })
      for (const id of ["a", "b", "c"]) yield* audit.request(requested(id))
      yield* audit.close(escalated(requested("a"), 1))
      yield* audit.close(skipped("b"))
      yield* expect("all", yield* audit.counts, { requested: 3, settled: 1, skipped: 1 })
    })
  ),
  property("lets the first closing stand", (audit) =>
    Effect.gen(function* () {
      yield* audit.request(requested("a"))
      const record = escalated(requested("a"), 1)
      yield* audit.close(record)
      yield* audit.close(skipped("a"))
      yield* expect("entries", yield* audit.find("call"), [{ requested: requested("a"), closing: record }])
      yield* expect("counts", yield* audit.counts, { requested: 1, settled: 1, skipped: 0 })
    })
  ),
  property("tells which requests nobody will close any more", (audit) =>
    Effect.gen(function* () {
      yield* audit.request(requested("a", 0))
      yield* audit.request(requested("b", 500))
      yield* audit.request(requested("c", 0))
      yield* audit.close(skipped("c"))
      yield* expect("too early", yield* audit.unclosed(999), [])
      yield* expect("one", yield* audit.unclosed(1000), [requested("a", 0)])
      yield* expect("two", yield* audit.unclosed(1500), [requested("a", 0), requested("b", 500)])
    })
  )
]
