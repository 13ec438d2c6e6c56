import { assert, describe, it } from "@effect/vitest"
import { Permission, ToolFailure } from "@haft/core"
import { Approvals, type Rule } from "@haft/policy"
import { Effect, Fiber, Layer, Queue } from "effect"
import * as Asking from "./support/asking.ts"
import { asked, denied, kept, reply, saved } from "./support/asking.ts"

const allowSource: Rule.Rule = { action: "edit", resource: "src/*", effect: "allow" }
const denySecret: Rule.Rule = { action: "edit", resource: "src/secret/*", effect: "deny" }

describe("a request that the rules decide", () => {
  it.effect("is granted or refused at once, and nobody is asked", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const signals = yield* Asking.recordingSignals
      assert.strictEqual(yield* signals.provide(Asking.outcome()), "granted")
      assert.deepStrictEqual(
        yield* signals.provide(Asking.outcome({ resources: ["src/a.ts", "src/secret/b.ts"] })),
        denied(
          { by: "policy", permission: "edit", rule: "deny edit src/secret/*" },
          'The permission rule "deny edit src/secret/*" of this project forbids this. Do not look for a way around it: go on without it, or tell the user.'
        )
      )
      assert.deepStrictEqual(yield* signals.told, ["granted"])
      assert.strictEqual(yield* Queue.size(heard), 0)
    }).pipe(Effect.provide(Asking.layer({ rules: [allowSource, denySecret] })))
  )

  it.effect("is refused with a sentence of its own where no tool may go", () =>
    Effect.gen(function* () {
      const error = yield* Asking.outcome({ action: "read", resources: ["var/haft/calls.db"] })
      assert.deepStrictEqual(
        error,
        denied({ by: "policy", permission: "read" }, "This path is closed to every tool. Go on without it.")
      )
    }).pipe(
      Effect.provide(
        Asking.layer({ rules: [{ action: "*", resource: "*", effect: "allow" }], protect: { never: ["var/haft/**"] } })
      )
    )
  )

  it.effect("cannot be decided by rules that are wrong: the layer says which, and is not built", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(Asking.layer({ rules: [{ ...allowSource, resource: "^src/.*$" }] })))
      )
      assert.strictEqual(error._tag, "Rule.InvalidRulesError")
    })
  )
})

describe("a request that a person decides", () => {
  it.effect("waits until it is approved once, and the next asks again", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const signals = yield* Asking.recordingSignals
      const { fiber, pending } = yield* signals.provide(
        asked(heard, { metadata: { diff: "+a" } }).pipe(Asking.executing())
      )
      assert.deepInclude(pending, { tool: "write", context: Asking.context(), isWaiting: true })
      assert.deepStrictEqual(pending.request, Asking.request({ metadata: { diff: "+a" } }))
      assert.deepStrictEqual(yield* signals.told, ["asking"])
      yield* reply(pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
      assert.deepStrictEqual(yield* signals.told, ["asking", `granted ${pending.id}`])
      assert.strictEqual(yield* Asking.nextEnded(heard), "answered")
      const again = yield* asked(heard)
      assert.notStrictEqual(again.pending.id, pending.id)
      assert.deepStrictEqual((yield* kept).saved, [])
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("carries what the person says back to the model when it is rejected", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { fiber, pending } = yield* asked(heard)
      yield* reply(pending, Approvals.reject("Edit b.ts instead"))
      const error = yield* Fiber.join(fiber)
      assert(error !== "granted")
      const failure = ToolFailure.denied(error)
      assert.deepStrictEqual(failure.reason, {
        _tag: "Denied",
        by: "user",
        feedback: "Edit b.ts instead",
        permission: "edit"
      })
      assert.strictEqual(failure.message, "The user refused this. Do not try it again in another way.")
      const permission = yield* Permission.Service
      assert.isFalse(yield* permission.stops(Asking.context()))
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("names the paths among its resources that no broad rule opens", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { pending } = yield* asked(heard, { resources: ["src/a.ts", ".npmrc"] })
      assert.deepStrictEqual(pending.protectedPaths, [".npmrc"])
    }).pipe(Effect.provide(Asking.layer({ rules: [{ action: "*", resource: "*", effect: "allow" }] })))
  )

  it.effect("is one of two where two calls ask for the same", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const one = yield* asked(heard, {}, Asking.context("one"))
      const two = yield* asked(heard, {}, Asking.context("two"))
      yield* reply(one.pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(one.fiber), "granted")
      assert.strictEqual(two.fiber.pollUnsafe(), undefined)
      yield* reply(two.pending, Approvals.reject())
      assert.deepInclude(yield* Fiber.join(two.fiber), { by: "user" })
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("is a request of its own even if one call asks the same thing twice at once", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const [one, two] = [yield* asked(heard), yield* asked(heard)]
      assert.notStrictEqual(one.pending.id, two.pending.id)
      yield* reply(one.pending, Approvals.once)
      assert.strictEqual(yield* Fiber.join(one.fiber), "granted")
      assert.strictEqual(two.fiber.pollUnsafe(), undefined)
    }).pipe(Effect.provide(Asking.layer()))
  )
})

describe("always", () => {
  it.effect("saves exactly the patterns of the request, for its action and its Location", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { fiber, pending } = yield* asked(heard, { save: ["src/*", Permission.literal("a*b")] })
      yield* reply(pending, Approvals.always)
      assert.strictEqual(yield* Fiber.join(fiber), "granted")
      assert.deepStrictEqual(yield* saved, [
        { action: "edit", resource: "src/*" },
        { action: "edit", resource: String.raw`a\*b` }
      ])
      const signals = yield* Asking.recordingSignals
      assert.strictEqual(yield* signals.provide(Asking.outcome({ resources: ["src/other.ts", "a*b"] })), "granted")
      assert.deepStrictEqual(yield* signals.told, ["asking", "granted"])
      const foreign = yield* asked(heard, { resources: ["axb"] })
      const otherAction = yield* asked(heard, { action: "shell" })
      assert.strictEqual(foreign.pending.request.resources[0], "axb")
      assert.strictEqual(otherAction.pending.request.action, "shell")
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("also answers the requests that wait and are covered now, in whatever session, and no others", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const first = yield* asked(heard)
      const covered = yield* asked(heard, { resources: ["src/b.ts", "src/c.ts"] }, Asking.context("b", "another"))
      const partly = yield* asked(heard, { resources: ["src/b.ts", "lib/c.ts"] }, Asking.context("c"))
      const guarded = yield* asked(heard, { resources: ["src/.npmrc"] }, Asking.context("d"))
      yield* reply(first.pending, Approvals.always)
      assert.strictEqual(yield* Fiber.join(first.fiber), "granted")
      assert.strictEqual(yield* Fiber.join(covered.fiber), "granted")
      assert.deepStrictEqual([yield* Asking.nextEnded(heard), yield* Asking.nextEnded(heard)], ["answered", "covered"])
      assert.strictEqual(partly.fiber.pollUnsafe(), undefined)
      assert.strictEqual(guarded.fiber.pollUnsafe(), undefined)
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("never opens what the host denies", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { pending } = yield* asked(heard, { resources: ["src/a.ts"], save: ["*"] })
      yield* reply(pending, Approvals.always)
      assert.strictEqual(yield* Asking.outcome({ resources: ["lib/a.ts"] }), "granted")
      assert.deepInclude(yield* Asking.outcome({ resources: ["src/secret/a"] }), { rule: "deny edit src/secret/*" })
    }).pipe(Effect.provide(Asking.layer({ rules: [denySecret] })))
  )

  it.effect("can be taken back", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { pending } = yield* asked(heard)
      yield* reply(pending, Approvals.always)
      assert.strictEqual(yield* Asking.outcome(), "granted")
      const approvals = yield* Approvals.Service
      yield* approvals.forget({ action: "edit", resource: "src/*" })
      assert.deepStrictEqual(yield* saved, [])
      assert.deepStrictEqual((yield* asked(heard)).pending.request, Asking.request())
    }).pipe(Effect.provide(Asking.layer()))
  )
})

describe("reject and stop", () => {
  it.effect("refuses, ends the turn, and refuses whatever else waits in the session, but not elsewhere", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const permission = yield* Permission.Service
      const rejected = yield* asked(heard)
      const sibling = yield* asked(heard, { resources: ["b"] }, Asking.context("b"))
      const elsewhere = yield* asked(heard, { resources: ["c"] }, Asking.context("c", "another"))
      assert.isFalse(yield* permission.stops(Asking.context()))
      yield* reply(rejected.pending, Approvals.rejectAndStop("Enough"))
      const message = "The user refused this and ended the turn."
      assert.deepStrictEqual(
        yield* Fiber.join(rejected.fiber),
        denied({ by: "user", permission: "edit", feedback: "Enough" }, message)
      )
      assert.deepStrictEqual(yield* Fiber.join(sibling.fiber), denied({ by: "user", permission: "edit" }, message))
      assert.strictEqual(elsewhere.fiber.pollUnsafe(), undefined)
      assert.isTrue(yield* permission.stops(Asking.context()))
      assert.isFalse(yield* permission.stops(Asking.context("call", "another")))
      assert.isFalse(yield* permission.stops(Asking.context("call", "session", "next")))
    }).pipe(Effect.provide(Asking.layer()))
  )

  it.effect("asks nothing more in that turn, and asks again in the next", () =>
    Effect.gen(function* () {
      const heard = yield* Asking.listen
      const { pending } = yield* asked(heard)
      yield* reply(pending, Approvals.rejectAndStop())
      assert.deepInclude(yield* Asking.outcome({}, Asking.context("later")), { by: "user" })
      const next = yield* asked(heard, {}, Asking.context("call", "session", "next"))
      assert.strictEqual(next.pending.context.assistantMessageID, "next")
    }).pipe(Effect.provide(Asking.layer()))
  )
})
