import { assert, describe, it } from "@effect/vitest"
import { EffectSignal, Invocation, Progress, Session, SideEffect, Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Option, Schema } from "effect"

const Copy = Tool.make({
  description: "Copy a file",
  input: Schema.Struct({ to: Schema.String }),
  output: Schema.Struct({ session: Schema.String, registered: Schema.Boolean }),
  execute: Effect.fnUntraced(function* ({ to }, { sessionID }) {
    const progress = yield* Progress.Service
    const signal = yield* EffectSignal.Service
    yield* progress.report({ message: "copying", completed: 1, total: 2 })
    yield* signal.starting
    yield* signal.committed([{ kind: "write", target: to }])
    const invocation = yield* Invocation.Service
    return { session: sessionID, registered: Option.isSome(invocation) }
  })
})

describe("calling a tool in a unit test", () => {
  it.effect("gives what each stage gave, and what the executor reported and signalled", () =>
    Effect.gen(function* () {
      const called = yield* Testing.call(Copy, { to: "b" })
      assert.deepStrictEqual(called.input, { to: "b" })
      assert.deepStrictEqual(called.returned, { session: "session", registered: false })
      assert.deepStrictEqual(called.progress, [{ message: "copying", completed: 1, total: 2 }])
      assert.deepStrictEqual(called.effect, SideEffect.committed([{ kind: "write", target: "b" }]))
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
