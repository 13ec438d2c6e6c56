/** A host in a test: every store is another layer, the clock is the test's, and a failing disk is one more layer. */
import { OutputStore, Tool, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Console, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"

const tools = {
  sleep: Tool.make({
    description: "Sleep for a day",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () => Effect.as(Effect.sleep("1 day"), "awake")
  }),
  flood: Tool.make({
    description: "Return more than a model reads",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () => Effect.succeed("line\n".repeat(10_000))
  })
}

/** The host as it is, for whatever store keeps its outputs. */
const hostOn = (outputs: Layer.Layer<OutputStore.Service>) =>
  ToolRegistry.layer.pipe(
    Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
    Layer.provide(outputs)
  )

/** The store of a host whose disk is full. */
const Full = Layer.effect(
  OutputStore.Service,
  Effect.map(OutputStore.Service, (store) => ({
    ...store,
    retain: () => Effect.fail(new OutputStore.StorageError({ operation: "retain", limit: "store" }))
  }))
).pipe(Layer.provide(OutputStores.layerMemory()))

const settle = Effect.fnUntraced(function* (name: keyof typeof tools, timeoutMs: number) {
  const registered = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* registered.register(tools)
  const turn = yield* registry.materialize({ timeoutMs })
  return yield* turn.settle(Testing.request(name, {}))
}, Effect.scoped)

const hour = 3_600_000

const program = Effect.gen(function* () {
  const sleeping = yield* Effect.forkChild(Effect.provide(settle("sleep", hour), hostOn(OutputStores.layerMemory())))
  yield* TestClock.adjust("1 hour")
  const slept = yield* Fiber.join(sleeping)
  yield* Console.log(slept._tag === "Failed" ? slept.failure.message : slept._tag)

  const flooded = yield* Effect.provide(settle("flood", hour), hostOn(OutputStores.layerMemory()))
  yield* Console.log(flooded._tag, "with", flooded.managed.length, "reference to the rest")

  const failed = yield* Effect.flip(Effect.provide(settle("flood", hour), hostOn(Full)))
  yield* Console.log("without a disk:", failed._tag)
})

await Effect.runPromise(Effect.provide(program, [TestClock.layer(), Logger.layer([])]))
