/** What governing adds to a call, on memory stores and without watching: at most 25 µs. */
import { Agent, Session, Tool, ToolCall, Tools } from "@haft/core"
import { Catalog, Gateway } from "@haft/gateway"
import {
  ApplicationTools,
  Observability,
  OutputBounds,
  OutputStores,
  SettlementStores,
  ToolRegistry
} from "@haft/registry"
import { Console, Effect, Layer, Schema } from "effect"
import { type PerCall, perCall } from "./perCall.ts"

const maxAddedMicros = 25

const sum = Tool.make({
  description: "Sum",
  input: Schema.Struct({ a: Schema.Int, b: Schema.String }),
  output: Schema.Struct({ sum: Schema.Int }),
  execute: ({ a, b }) => Effect.succeed({ sum: a + b.length })
})

const registry = ToolRegistry.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory)),
  Layer.provide(OutputStores.layerMemory())
)

const offered = (tool: Tool.Any) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ sum: tool }))
    return yield* Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize())
  })

const message = {
  sessionID: Session.ID.make("session"),
  agent: Agent.ID.make("bench"),
  assistantMessageID: Session.MessageID.make("message")
}

let calls = 0
const nextId = () => ToolCall.ID.make(`call-${calls++}`)

/** With a deadline, as every governed call has one. */
const ungoverned = (tool: Tool.Any) =>
  Effect.map(
    offered(tool),
    (turn) => (index: number) =>
      turn.settle({ ...message, call: { id: nextId(), name: "sum", input: { a: index, b: "x" } }, timeoutMs: 30_000 })
  ).pipe(Effect.provide(Layer.fresh(registry)))

const request = {
  toolName: "sum",
  fn: "invoke",
  scopes: [],
  principalChain: [],
  evidenceRefs: [],
  dryRun: false,
  attempt: 1
}

const governed = (tool: Tool.Any) =>
  Effect.gen(function* () {
    const turn = yield* offered(tool)
    const live = Gateway.layerMemory({ observability: "none" }).pipe(Layer.provide(Catalog.layer(Effect.succeed(turn))))
    const gateway = yield* Effect.provide(Gateway.Service, live)
    return (index: number) =>
      gateway.call({ ...request, callId: nextId(), input: { a: index, b: "x" }, actor: "bench" }, { message })
  }).pipe(Effect.provide(Layer.fresh(registry)))

const line = (name: string, { bytes, micros }: PerCall): string =>
  `${name.padEnd(34)}${micros.toFixed(2).padStart(8)} µs${bytes.toFixed(0).padStart(9)} B`

const compare = Effect.fnUntraced(function* (name: string, annotations: Tool.Annotations) {
  const tool = Tool.annotate(sum, annotations)
  const before = yield* perCall(ungoverned(tool))
  const after = yield* perCall(governed(tool))
  yield* Console.log(line(`${name}, settled`, before))
  yield* Console.log(line(`${name}, governed`, after))
  const added = after.micros - before.micros
  yield* Console.log(`${name}: governing adds ${added.toFixed(2)} µs, of at most ${maxAddedMicros}`)
})

const program = Effect.gen(function* () {
  yield* compare("pure", { determinism: "pure" })
  yield* compare("with a key", { determinism: "side_effectful" })
}).pipe(Effect.scoped, Effect.provideService(Observability.Level, "none"))

await Effect.runPromise(program)
