/** Tools without arguments, for tests that look at what happens around an executor. */
import { assert } from "@effect/vitest"
import { SettlementStore, Tool, type ToolFailure, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Option, Schema } from "effect"

export const executing = (
  effect: Effect.Effect<string, ToolFailure.ToolFailure>,
  annotations: Tool.Annotations = {}
): Tool.Any =>
  Tool.annotate(
    Tool.make({ description: "Test", input: Schema.Struct({}), output: Schema.String, execute: () => effect }),
    annotations
  )

/** A turn that offers these among others. They stay until the Scope closes. */
export const offering = Effect.fnUntraced(function* (
  record: Readonly<Record<string, Tool.Any>>,
  options?: ToolRegistry.TurnOptions
) {
  const tools = yield* Tools.Service
  yield* tools.register(record)
  const registry = yield* ToolRegistry.Service
  return yield* registry.materialize(options)
})

/** What is recorded about the call with this id, if anything. */
export const recordOf = Effect.fnUntraced(function* (id: string) {
  const store = yield* SettlementStore.Service
  const { assistantMessageID, call, sessionID } = Testing.request("", {}, { id })
  return yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id })
})

/** How the call with this id ended. It has. */
export const endOf = Effect.fnUntraced(function* (id: string) {
  const record = Option.getOrThrow(yield* recordOf(id))
  assert(record._tag === "Ended")
  return record.ended
})
