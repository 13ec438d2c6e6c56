import { assert, describe, it } from "@effect/vitest"
import { Tool, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Ref, Schema } from "effect"

const echo = Tool.make({
  description: "Echo",
  input: Schema.Struct({ text: Schema.String }),
  output: Schema.String,
  execute: ({ text }) => Effect.succeed(text)
})

const offering = Effect.gen(function* () {
  const tools = yield* Tools.Service
  yield* tools.register({ echo })
  const registry = yield* ToolRegistry.Service
  return yield* registry.materialize()
})

describe("the registry for tests", () => {
  it.effect("needs nothing, and numbers calls the same way in every run", () =>
    Effect.gen(function* () {
      const turn = yield* offering
      const request = Testing.numbered()
      const settlements = [
        yield* turn.settle(request("echo", { text: "a" })),
        yield* turn.settle(request("echo", { text: "b" })),
        yield* turn.settle(request("echo", { text: "c" }, { id: "mine" }))
      ]
      assert.deepStrictEqual(
        settlements.map(({ context }) => String(context.toolCallID)),
        ["call-1", "call-2", "mine"]
      )
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("has a probe that tells what the store did, and breaks it on command", () =>
    Effect.gen(function* () {
      const { before, journal } = yield* Testing.Probe
      const turn = yield* offering
      const request = Testing.numbered()
      yield* Ref.set(before, Testing.failing("complete"))
      const error = yield* Effect.flip(turn.settle(request("echo", { text: "a" })))
      assert.deepInclude(error, { _tag: "SettlementStore.StorageError", operation: "complete" })
      assert.deepStrictEqual(yield* Ref.get(journal), ["find", "begin"])
      yield* Ref.set(before, Testing.healthy)
      yield* turn.settle(request("echo", { text: "b" }))
      assert.deepStrictEqual(yield* Ref.get(journal), ["find", "begin", "find", "begin", "complete"])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})
