import { assert, describe, it } from "@effect/vitest"
import { Agent, EffectSignal, type Invocation, type Permission, SettlementStore, type Tool, ToolName } from "@haft/core"
import { Approval, Approvals, Permissions, PolicyStore } from "@haft/policy"
import { Effect, Fiber, Layer, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Asking from "./support/asking.ts"
import { asked, denied, kept, reply } from "./support/asking.ts"

const unchanged = { request: { target: "absent" }, context: Asking.context(), invocation: {} }

interface Question {
  readonly request: Partial<Permission.Request>
  readonly context: Tool.Context
  readonly invocation: Partial<Invocation.Interface>
}

/** Asks, and leaves the request behind as a process does that dies. */
const leave = ({ context, invocation, request }: Question, by?: Queue.Dequeue<Approvals.Change>) =>
  Effect.flatMap(by === undefined ? Asking.listen : Effect.succeed(by), (heard) =>
    asked(heard, request, context).pipe(Asking.executing(invocation))
  )

/** What a process finds that comes after another one on the same store. */
const later = <A, E>(effect: Effect.Effect<A, E, Approvals.Service | Permission.Service | PolicyStore.Service>) =>
  Effect.provide(effect, Layer.fresh(Permissions.layer({ location: Asking.location })))

const again = ({ context, invocation, request }: Question) =>
  Asking.outcome(request, context).pipe(Asking.executing(invocation))

const nobody =
  "This needs a permission, and nobody is there to be asked. Go on without it, or tell the user which rule to add."
const asksAnew = denied({ by: "policy", permission: "edit" }, nobody)

const changes: Readonly<Record<string, Partial<Question>>> = {
  "another call": { context: Asking.context("another") },
  "the same id in another message": { context: Asking.context("call", "session", "another") },
  "another session": { context: Asking.context("call", "another") },
  "another agent": { context: { ...Asking.context(), agent: Agent.ID.make("another") } },
  "another tool": { invocation: { name: ToolName.ToolName.make("another") } },
  "a tool whose definition has changed": { invocation: { registrationDigest: "another" } },
  "other arguments": { invocation: { inputFingerprint: "another" } },
  "a target that has changed": { request: { target: "sha256:another" } },
  "a target that is not known": { request: {} },
  "one more resource": { request: { target: "absent", resources: ["src/a.ts", "src/b.ts"] } },
  "other details than were shown": { request: { target: "absent", metadata: { diff: "+another" } } }
}

describe("an approval that was given after the process which asked had died", () => {
  it.effect("is used by the same call, once", () =>
    Effect.gen(function* () {
      const { pending } = yield* leave(unchanged)
      const signals = yield* Asking.recordingSignals
      yield* later(
        Effect.gen(function* () {
          const heard = yield* Asking.listen
          assert.deepStrictEqual(yield* Asking.nextAsked(heard), { ...pending, isWaiting: false })
          yield* reply(pending, Approvals.once)
          assert.strictEqual(yield* Asking.nextEnded(heard), "answered")
          const second = new Approvals.EndedError({ id: pending.id, as: "answered" })
          assert.deepStrictEqual(yield* Effect.flip(reply(pending, Approvals.reject())), second)
        }).pipe(Effect.scoped)
      )
      yield* later(
        Effect.gen(function* () {
          assert.strictEqual(yield* signals.provide(again(unchanged)), "granted")
          assert.deepStrictEqual(yield* signals.told, ["asking", `granted ${pending.id}`])
          assert.deepStrictEqual((yield* kept).approvals, [])
          assert.deepStrictEqual(yield* again(unchanged), asksAnew)
        })
      )
    }).pipe(Effect.provide(Asking.layer()))
  )

  for (const [what, change] of Object.entries(changes)) {
    it.effect(`is not used for ${what}, and then still for the call that asked`, () =>
      Effect.gen(function* () {
        const { pending } = yield* leave(unchanged)
        yield* later(reply(pending, Approvals.once))
        assert.deepStrictEqual(yield* later(again({ ...unchanged, ...change })), asksAnew)
        assert.strictEqual(yield* later(again(unchanged)), "granted")
      }).pipe(Effect.provide(Asking.layer()))
    )
  }

  it.effect("is refused if the record of another call says that it is spent", () =>
    Effect.gen(function* () {
      const { pending } = yield* leave(unchanged)
      yield* later(reply(pending, Approvals.once))
      const spent = Effect.provideService(EffectSignal.Service, {
        asking: Effect.void,
        granted: (approvalID = "") => Effect.fail(new SettlementStore.ApprovalSpentError({ approvalID })),
        starting: Effect.void,
        committed: () => Effect.void
      })
      assert.deepStrictEqual(
        yield* later(spent(again(unchanged))),
        denied(
          { by: "policy", permission: "edit" },
          "The approval for this has been used already. Call the tool again to ask for another."
        )
      )
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("may also be a rejection with feedback, which ends the turn if it says so", () =>
    Effect.gen(function* () {
      const { pending } = yield* leave(unchanged)
      yield* later(reply(pending, Approvals.rejectAndStop("Not today")))
      yield* later(
        Effect.gen(function* () {
          const error = yield* again(unchanged)
          assert.deepInclude(error, { by: "user", feedback: "Not today" })
          assert.deepInclude(yield* again({ ...unchanged, context: Asking.context("another") }), { by: "user" })
        })
      )
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is covered like any other when somebody answers always meanwhile", () =>
    Effect.gen(function* () {
      const left = yield* leave(unchanged)
      yield* later(
        Effect.gen(function* () {
          const heard = yield* Asking.listen
          yield* Asking.nextAsked(heard)
          const { pending } = yield* asked(heard, {}, Asking.context("another"))
          yield* reply(pending, Approvals.always)
          assert.deepStrictEqual(
            [yield* Asking.nextEnded(heard), yield* Asking.nextEnded(heard)],
            ["answered", "covered"]
          )
          const late = yield* Effect.flip(reply(left.pending, Approvals.reject()))
          assert.deepStrictEqual(late, new Approvals.EndedError({ id: left.pending.id, as: "covered" }))
          assert.strictEqual(yield* again(unchanged), "granted")
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.provide(Asking.layer()))
  )
})

describe("a request whose process died", () => {
  it.effect("is the same request when the call is made again, for what is left of its time", () =>
    Effect.gen(function* () {
      const { pending } = yield* leave(unchanged)
      yield* TestClock.adjust("9 minutes")
      yield* later(
        Effect.gen(function* () {
          const heard = yield* Asking.listen
          assert.isFalse((yield* Asking.nextAsked(heard)).isWaiting)
          const repeated = yield* leave(unchanged, heard)
          assert.deepStrictEqual(repeated.pending, pending)
          yield* TestClock.adjust("1 minute")
          assert.deepInclude(yield* Fiber.join(repeated.fiber), { by: "policy" })
          assert.strictEqual(yield* Asking.nextEnded(heard), "expired")
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("expires with or without an answer, and those who listen hear of it", () =>
    Effect.gen(function* () {
      const store = yield* PolicyStore.Service
      const heard = yield* Asking.listen
      const asking = yield* leave(unchanged, heard)
      const answered = yield* leave({ ...unchanged, context: Asking.context("answered") }, heard)
      yield* store.decide(answered.pending, { _tag: "Granted" }, [])
      yield* later(
        Effect.gen(function* () {
          const heard = yield* Asking.listen
          assert.strictEqual((yield* Asking.nextAsked(heard)).id, asking.pending.id)
          assert.strictEqual(yield* Queue.size(heard), 0)
          yield* TestClock.adjust("10 minutes")
          assert.strictEqual(yield* Asking.nextEnded(heard), "expired")
          yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual((yield* kept).approvals, [])
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is not shown once its time is over, nor if the clock has been set back behind it", () =>
    Effect.gen(function* () {
      const store = yield* PolicyStore.Service
      const left = (id: string, askedAt: number): Approval.Approval => ({
        id: Approval.ID.make(`apr_00000000-0000-4000-8000-00000000000${id}`),
        location: Asking.location,
        binding: "",
        context: Asking.context(),
        request: Asking.request(),
        protectedPaths: [],
        askedAt,
        expiresAt: askedAt + 600_000
      })
      yield* TestClock.setTime(1_000_000)
      const [old, open, future] = [left("1", 400_000), left("2", 400_001), left("3", 1_000_001)]
      yield* Effect.forEach([old, open, future], store.add)
      const check = Effect.gen(function* () {
        const heard = yield* Asking.listen
        assert.deepStrictEqual(yield* Asking.nextAsked(heard), { ...open, isWaiting: false })
        assert.strictEqual(yield* Queue.size(heard), 0)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual((yield* kept).approvals, [open])
      })
      yield* later(Effect.scoped(check))
    }).pipe(Effect.provide(PolicyStore.layerMemory))
  )

  it.effect("gets its answer in the process that waits, soon", () =>
    Effect.gen(function* () {
      const { fiber, pending } = yield* leave(unchanged)
      yield* later(reply(pending, Approvals.once))
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      const second = new Approvals.EndedError({ id: pending.id, as: "answered" })
      assert.deepStrictEqual(yield* Effect.flip(reply(pending, Approvals.reject())), second)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
      const silent = yield* leave({ ...unchanged, context: Asking.context("silent") })
      yield* later(reply(silent.pending, Approvals.once))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(silent.fiber), "granted")
      assert.isTrue(Option.isNone(yield* Effect.flatMap(PolicyStore.Service, (store) => store.take(silent.pending))))
    }).pipe(Effect.provide(Asking.layer()))
  )
})
