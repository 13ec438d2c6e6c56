import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, Invocation, Progress, Session, SideEffect, Tool, ToolFailure, ToolName } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Exit, Option, Result, Schema } from "effect"

const full = ToolFailure.unavailable({ message: "The disk is full" })

const Copy = Tool.make({
  description: "Copy a file",
  input: Schema.Struct({ to: Schema.String }),
  output: Schema.Struct({ session: Schema.String, registered: Schema.Boolean }),
  execute: Effect.fnUntraced(function* ({ to }, { sessionID }) {
    const progress = yield* Progress.Service
    const signal = yield* EffectSignal.Service
    yield* progress.report({ message: "copying", completed: 1, total: 2 })
    yield* signal.starting
    if (to === "full") return yield* full
    yield* signal.committed([{ kind: "write", target: to }])
    const invocation = yield* Invocation.Service
    return { session: sessionID, registered: Option.isSome(invocation) }
  })
})

describe("calling a tool in a unit test", () => {
  it.effect("gives what each stage gave", () =>
    Effect.gen(function* () {
      const called = yield* Testing.call(Copy, { to: "b" })
      assert.deepStrictEqual(called.input, { to: "b" })
      assert.deepStrictEqual(called.returned, { session: "session", registered: false })
      assert.deepStrictEqual(called.output.structured, called.returned)
    })
  )

  it.effect("shows what the executor reported and signalled, also when it failed or died", () =>
    Effect.gen(function* () {
      const observed = yield* Testing.observe(Copy, { to: "b" })
      assert.isTrue(Exit.isSuccess(observed.exit))
      assert.deepStrictEqual(observed.progress, [{ message: "copying", completed: 1, total: 2 }])
      assert.deepStrictEqual(observed.effect, SideEffect.committed([{ kind: "write", target: "b" }]))
      const failed = yield* Testing.observe(Copy, { to: "full" })
      assert.deepStrictEqual(
        Exit.map(failed.exit, ({ input }) => input),
        Exit.fail(full)
      )
      assert.deepStrictEqual(failed.effect, SideEffect.unknown)
      assert.deepStrictEqual((yield* Testing.observe(Copy, {})).effect, SideEffect.none)
    })
  )

  it.effect("takes another context and another name", () =>
    Effect.gen(function* () {
      const context = { ...Testing.context, sessionID: Session.ID.make("mine") }
      const called = yield* Testing.call(Copy, { to: "b" }, { context, name: "copy" })
      assert.deepStrictEqual([called.returned.session, called.definition.name], ["mine", "copy"])
    })
  )

  it.effect("fails with a registration error where a registration would", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Testing.call(Copy, { to: "b" }, { name: "no name" }))
      assert.deepInclude(error, { _tag: "Tool.RegistrationError", reason: "InvalidName" })
    })
  )

  it.effect("and without a listener progress and signals go nowhere", () =>
    Effect.gen(function* () {
      const progress = yield* Progress.Service
      const signal = yield* EffectSignal.Service
      yield* progress.report({ message: "to nobody" })
      yield* signal.starting
      yield* signal.committed([])
      assert.deepStrictEqual(yield* Invocation.Service, Option.none())
    })
  )
})

describe("defining a tool in a unit test", () => {
  it("gives what a model would be told, or why it cannot be registered", () => {
    const defined = Result.getOrThrow(Testing.define("copy", Copy))
    assert.deepInclude(defined, { name: ToolName.ToolName.make("copy"), description: "Copy a file" })
    assert.deepNestedInclude(Testing.define("not a name", Copy), { _tag: "Failure", "failure.reason": "InvalidName" })
  })
})
