import { assert, describe, it } from "@effect/vitest"
import { Approval, Approvals, Permissions, PolicyStore } from "@haft/policy"
import { Context, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Asking from "./support/asking.ts"
import { asked, reply } from "./support/asking.ts"
import { databaseFile, layerFile } from "./support/policyStore.ts"

/** As two processes that have the same project open: each has its own board, and both have one database. */
const openTwice = Effect.gen(function* () {
  const filename = yield* databaseFile
  const open = Layer.build(
    Layer.fresh(
      Permissions.layer({ location: Asking.location }).pipe(Layer.provideMerge(Layer.fresh(layerFile(filename))))
    )
  )
  return { first: yield* open, open }
})

/** A call of the first process waits, and then the second process starts and sees the request. */
const waitingWhileAnotherStarts = Effect.gen(function* () {
  const { first, open } = yield* openTwice
  const { fiber, pending } = yield* Effect.provideContext(Effect.flatMap(Asking.listen, asked), first)
  const second = yield* open
  const heard = yield* Effect.provideContext(Asking.listen, second)
  return { first, second, fiber, pending, heard, shown: yield* Asking.nextAsked(heard) }
})

const decide = (context: Context.Context<Approvals.Service>, ref: Approvals.Ref, answer: Approvals.Reply) =>
  Effect.provideContext(reply(ref, answer), context)

describe("two processes with one project", () => {
  it.effect("show each other's requests, and an answer in one reaches the call that waits in the other", () =>
    Effect.gen(function* () {
      const { fiber, pending, second, shown } = yield* waitingWhileAnotherStarts
      assert.deepStrictEqual({ ...shown, isWaiting: true }, pending)
      assert.isFalse(shown.isWaiting)
      yield* decide(second, shown, Approvals.reject("Use b.ts"))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(fiber), { by: "user", feedback: "Use b.ts" })
    })
  )

  it.effect("an answer to always in one covers what waits in the other", () =>
    Effect.gen(function* () {
      const { fiber, second } = yield* waitingWhileAnotherStarts
      const other = yield* Effect.provideContext(
        Effect.flatMap(Asking.listen, (heard) =>
          Effect.andThen(Queue.take(heard), asked(heard, { resources: ["src/b.ts"] }, Asking.context("other")))
        ),
        second
      )
      yield* decide(second, other.pending, Approvals.always)
      assert.strictEqual(yield* Fiber.join(other.fiber), "granted")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
    })
  )

  it.effect("an answer in the process that asked ends the request in the other one, too", () =>
    Effect.gen(function* () {
      const { fiber, first, heard, pending, second, shown } = yield* waitingWhileAnotherStarts
      yield* decide(first, pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Asking.nextEnded(heard), "withdrawn")
      const late = yield* Effect.flip(decide(second, shown, Approvals.once))
      assert.deepStrictEqual(late, new Approvals.EndedError({ id: shown.id, as: "withdrawn" }))
    })
  )

  it.effect("the end of one declines nothing that waits in the other", () =>
    Effect.gen(function* () {
      const { first, open } = yield* openTwice
      const { fiber, pending } = yield* Effect.provideContext(Effect.flatMap(Asking.listen, asked), first)
      yield* Effect.scoped(Effect.flatMap(open, (second) => Effect.provideContext(Asking.listen, second)))
      yield* decide(first, pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
    })
  )

  it.effect("a request that is over stays for the process that asked to take, and is gone a minute later", () =>
    Effect.gen(function* () {
      const { first, open } = yield* openTwice
      const store = Context.get(first, PolicyStore.Service)
      const approval: Approval.Approval = {
        id: Approval.ID.make("apr_00000000-0000-4000-8000-000000000000"),
        location: Asking.location,
        binding: "",
        context: Asking.context(),
        request: Asking.request(),
        protectedPaths: [],
        askedAt: 0,
        expiresAt: 600_000
      }
      yield* store.add(approval)
      yield* store.decide(approval, { _tag: "Granted" }, [])
      yield* open
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf((yield* store.read(Asking.location)).approvals, 1)
      yield* TestClock.adjust("1 minute")
      // The database answers in its own time.
      const isEmpty = Effect.map(store.read(Asking.location), ({ approvals }) => approvals.length === 0)
      assert.isTrue(yield* Effect.repeat(isEmpty, { until: (is) => is, times: 1000 }))
    })
  )
})
