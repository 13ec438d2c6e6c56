import { assert, describe, it } from "@effect/vitest"
import { Permission, type Settlement, SettlementStore, SideEffect } from "@haft/core"
import { Approvals, type Rule } from "@haft/policy"
import * as Testing from "@haft/registry/testing"
import { Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import { join } from "node:path"
import * as Asking from "./support/asking.ts"
import { reply } from "./support/asking.ts"
import { directory } from "./support/policyStore.ts"
import * as Project from "./support/project.ts"

const input = { path: "a.txt", find: "old", replace: "new" }

/** A project with one file. */
const project = Effect.map(directory, (path) => {
  const file = join(path, "root", "a.txt")
  Fs.mkdirSync(join(path, "root"))
  Fs.writeFileSync(file, "old text")
  return { path, text: () => Fs.readFileSync(file, "utf8") }
})

/** A call that waits, and what a person sees of it. */
const waiting = Effect.fnUntraced(function* (options?: Testing.RequestOptions) {
  const heard = yield* Asking.listen
  const fiber = yield* Effect.forkChild(Project.settle(input, options), { startImmediately: true })
  return { fiber, heard, pending: yield* Asking.nextAsked(heard) }
})

const recordOf = Effect.fnUntraced(function* (
  { assistantMessageID, call, sessionID } = Testing.request("edit", input)
) {
  const store = yield* SettlementStore.Service
  return Option.getOrThrow(yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id }))
})

const permanent = (settlement: Settlement.Settlement) => ({ ...settlement, timing: undefined, context: undefined })

const rule = (effect: Rule.Rule["effect"]): Rule.Rule => ({ action: "edit", resource: "*", effect })

describe("a call whose tool asks for permission", () => {
  it.effect("cannot have changed anything while it waits, and can from the moment it is approved", () =>
    Effect.gen(function* () {
      const { path, text } = yield* project
      const check = Effect.gen(function* () {
        const { fiber, pending } = yield* waiting()
        assert.isFalse((yield* recordOf()).begun.effectPossible)
        assert.strictEqual(text(), "old text")
        yield* reply(pending, Approvals.once)
        const settlement = yield* Fiber.join(fiber)
        assert.deepInclude(settlement, { _tag: "Succeeded", effect: SideEffect.committed([]) })
        assert.isTrue((yield* recordOf()).begun.effectPossible)
        assert.strictEqual(text(), "new text")
        const store = yield* SettlementStore.Service
        yield* store.begin({ ...(yield* recordOf()).begun, context: Asking.context("another") })
        const spent = yield* Effect.flip(store.advance(Asking.context("another"), { approvalID: pending.id }))
        assert.strictEqual(spent._tag, "SettlementStore.ApprovalSpentError")
      })
      yield* Effect.provide(check, Project.layer(path))
    })
  )

  it.effect("is settled as denied by the user with the feedback, and the runner learns whether to stop", () =>
    Effect.gen(function* () {
      const { path, text } = yield* project
      const check = Effect.gen(function* () {
        const permission = yield* Permission.Service
        const turn = Testing.request("edit", input)
        const first = yield* waiting({ id: "first" })
        yield* reply(first.pending, Approvals.reject("Use b.txt"))
        assert.deepNestedInclude(yield* Fiber.join(first.fiber), {
          _tag: "Failed",
          effect: SideEffect.none,
          "failure.reason": { _tag: "Denied", by: "user", feedback: "Use b.txt", permission: "edit" }
        })
        assert.isFalse(yield* permission.stops(turn))
        const second = yield* waiting({ id: "second" })
        yield* reply(second.pending, Approvals.rejectAndStop())
        assert.deepNestedInclude(yield* Fiber.join(second.fiber), {
          "failure.reason.by": "user",
          effect: SideEffect.none
        })
        assert.isTrue(yield* permission.stops(turn))
        assert.strictEqual(text(), "old text")
      })
      yield* Effect.provide(check, Project.layer(path))
    })
  )

  it.effect("withdraws its request when it is interrupted or runs out of time, and nothing has happened", () =>
    Effect.gen(function* () {
      const { path, text } = yield* project
      const check = Effect.gen(function* () {
        const { fiber, heard } = yield* waiting({ id: "interrupted" })
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.strictEqual(yield* Asking.nextEnded(heard), "withdrawn")
        const record = yield* recordOf(Testing.request("edit", input, { id: "interrupted" }))
        assert.deepNestedInclude(record, { _tag: "Ended", ended: { _tag: "Interrupted", effect: SideEffect.none } })
        const late = yield* waiting({ id: "late", timeoutMs: 1000 })
        yield* TestClock.adjust("1 second")
        assert.deepNestedInclude(yield* Fiber.join(late.fiber), {
          "failure.reason._tag": "TimedOut",
          effect: SideEffect.none
        })
        assert.strictEqual(yield* Asking.nextEnded(late.heard), "withdrawn")
        assert.strictEqual(text(), "old text")
      })
      yield* Effect.provide(check, Project.layer(path))
    })
  )

  it.effect("tells nothing about the file when it is denied, and the truth when it is allowed", () =>
    Effect.gen(function* () {
      const { path, text } = yield* project
      const attempts = Effect.forEach(
        [input, { ...input, find: "not in the file" }, { ...input, path: "no-such-file.txt" }],
        (attempt, index) => Effect.exit(Project.settle(attempt, { id: `${index}` }))
      )
      const denied = yield* Effect.provide(attempts, Project.layer(path, { rules: [rule("deny")] }))
      const settlements = denied.map((exit) => (Exit.isSuccess(exit) ? permanent(exit.value) : exit))
      assert.deepNestedInclude(settlements[0], {
        "failure.reason": { _tag: "Denied", by: "policy", permission: "edit", rule: "deny edit *" },
        effect: SideEffect.none
      })
      assert.deepStrictEqual(settlements[1], settlements[0])
      assert.deepStrictEqual(settlements[2], settlements[0])
      assert.strictEqual(text(), "old text")
      const other = yield* project
      const allowed = Project.settle({ ...input, find: "not in the file" })
      assert.deepNestedInclude(yield* Effect.provide(allowed, Project.layer(other.path, { rules: [rule("allow")] })), {
        "failure.reason._tag": "NotFound"
      })
    })
  )
})
