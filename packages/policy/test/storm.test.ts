import { assert, describe, it } from "@effect/vitest"
import { Approvals } from "@haft/policy"
import { Effect, Exit, Fiber, Queue, Schema } from "effect"
import * as Asking from "./support/asking.ts"
import { asked, kept, reply } from "./support/asking.ts"

/** What happens to a waiting call, each after so many steps of others. */
const Event = Schema.Struct({
  what: Schema.Literals(["once", "always", "reject", "interrupt"]),
  after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))
})
const Fate = Schema.Array(Event).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const Fates = Schema.Array(Fate).check(Schema.isMinLength(1), Schema.isMaxLength(6))

const answers = { once: Approvals.once, always: Approvals.always, reject: Approvals.reject() }

/** What a call and those around it saw. */
const life = Effect.fnUntraced(function* (
  heard: Queue.Dequeue<Approvals.Change>,
  fate: typeof Fate.Type,
  index: number
) {
  const change = { resources: [`${index}/file`], save: [`${index}/*`] }
  const { fiber, pending } = yield* asked(heard, change, Asking.context(`call-${index}`))
  const happening = ({ after, what }: typeof Event.Type) =>
    Effect.repeat(Effect.yieldNow, { times: after }).pipe(
      Effect.andThen(
        what === "interrupt"
          ? Effect.as(Fiber.interrupt(fiber), "interrupted" as const)
          : Effect.match(reply(pending, answers[what]), { onSuccess: () => what, onFailure: ({ _tag }) => _tag })
      )
    )
  return { fiber, happen: Effect.forEach(fate, happening, { concurrency: "unbounded" }) }
})

/** The ids of all that ended, each as often as it was told. The last request is heard after everything before it. */
const endedUntilNow = Effect.fnUntraced(function* (heard: Queue.Dequeue<Approvals.Change>) {
  const ended: Array<string> = []
  yield* Effect.forkChild(Asking.outcome({ action: "last" }), { startImmediately: true })
  for (;;) {
    const change = yield* Queue.take(heard)
    if (change._tag === "Ended") ended.push(change.id)
    if (change._tag === "Asked" && change.pending.request.action === "last") return ended
  }
})

describe("whatever happens to requests at the same time", () => {
  it.effect.prop(
    "each is granted exactly if the one answer that counted says so and its call was still there, and nothing is left",
    [Fates],
    ([fates]) =>
      Effect.gen(function* () {
        const heard = yield* Asking.listen
        const lives = yield* Effect.forEach(fates, (fate, index) => life(heard, fate, index))
        const seen = yield* Effect.forEach(lives, ({ happen }) => happen, { concurrency: "unbounded" })
        for (const [index, { fiber }] of lives.entries()) {
          const events = seen[index] ?? []
          const counted = events.filter((event) => event in answers)
          const exit = yield* Fiber.await(fiber)
          assert.isAtMost(counted.length, 1)
          if (Exit.isFailure(exit)) assert.include(events, "interrupted")
          else
            assert.deepStrictEqual(
              [exit.value === "granted"],
              counted.map((event) => event !== "reject")
            )
        }
        assert.deepStrictEqual((yield* kept).approvals, [])
        const ended = yield* endedUntilNow(heard)
        assert.deepStrictEqual([ended.length, new Set(ended).size], [fates.length, fates.length])
      }).pipe(Effect.scoped, Effect.provide(Asking.layer()), Effect.asVoid),
    { arbitrary: { runs: 300 } }
  )
})
