/** What settling costs, side by side with the same work done by hand in the same run. `pnpm bench:own settling` prints a table. */
import { Agent, type Materialization, Session, Tool, ToolCall, Tools } from "@haft/core"
import {
  ApplicationTools,
  Observability,
  OutputBounds,
  OutputStores,
  SettlementStores,
  ToolRegistry
} from "@haft/registry"
import { Console, Context, Effect, Layer, Schema, type Scope } from "effect"
import { type PerCall, perCall } from "./perCall.ts"

const Input = Schema.Struct({ a: Schema.Int, b: Schema.String })
const Output = Schema.Struct({ sum: Schema.Int })
const execute = ({ a, b }: typeof Input.Type) => Effect.succeed({ sum: a + b.length })

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(Input), { onExcessProperty: "error" })
const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Output), { onExcessProperty: "error" })

/** Decode, execute and encode, and nothing else. */
const byHand = Effect.fnUntraced(function* (raw: unknown) {
  return yield* encode(yield* execute(yield* decode(raw)))
})

const message = {
  sessionID: Session.ID.make("session"),
  agent: Agent.ID.make("bench"),
  assistantMessageID: Session.MessageID.make("message")
}

let calls = 0
const request = (input: unknown, timeoutMs?: number) => ({
  ...message,
  call: { id: ToolCall.ID.make(`call-${calls++}`), name: "sum", input },
  ...(timeoutMs === undefined ? {} : { timeoutMs })
})

const row = (name: string, measured: PerCall, baseline: PerCall): string =>
  [
    name.padEnd(34),
    `${measured.micros.toFixed(2).padStart(8)} µs`,
    `${measured.bytes.toFixed(0).padStart(8)} B`,
    `${(measured.micros / baseline.micros).toFixed(2).padStart(7)} × time`,
    `${(measured.bytes / baseline.bytes).toFixed(2).padStart(7)} × bytes`
  ].join("")

const sum = Tool.make({ description: "Sum", input: Input, output: Output, execute })

/** A registry of its own, whose store is empty. */
const settling = (timeoutMs?: number) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.fresh(Live))
    yield* Context.get(services, Tools.Service).register({ sum })
    const turn = yield* Context.get(services, ToolRegistry.Service).materialize()
    return (index: number) => turn.settle(request({ a: index, b: "x" }, timeoutMs))
  })

const sequential = Effect.gen(function* () {
  const hand = yield* perCall(Effect.succeed((index) => byHand({ a: index, b: "x" })))
  const settled = yield* perCall(settling())
  const bounded = yield* perCall(settling(60_000))
  yield* Console.log(row("decode + execute + encode by hand", hand, hand))
  yield* Console.log(row("settle", settled, hand))
  yield* Console.log(row("settle with a deadline", bounded, hand))
})

/** The first of them run code that is not compiled yet, and do not count. */
const warmUpRounds = 20
const concurrentRounds = 40

const delayed = (input: typeof Input.Type) => Effect.delay(execute(input), 5)

const slowByHand = Effect.fnUntraced(function* (raw: unknown) {
  return yield* encode(yield* delayed(yield* decode(raw)))
})

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN

/** Round by round beside the same work by hand, so that both meet the same moments of the machine. */
const concurrent = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  yield* tools.register({ sum: Tool.make({ description: "", input: Input, output: Output, execute: delayed }) })
  const turn = yield* registry.materialize()
  const round = <A, E>(call: (request: Materialization.Request) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const requests = Array.from({ length: 1000 }, () => request({ a: 1, b: "x" }))
      const started = performance.now()
      yield* Effect.forEach(requests, call, { concurrency: "unbounded", discard: true })
      return performance.now() - started
    })
  const both = Effect.all([round(({ call }) => slowByHand(call.input)), round(turn.settle)])
  yield* Effect.replicateEffect(both, warmUpRounds)
  const millis = yield* Effect.replicateEffect(both, concurrentRounds)
  const [hand, settled] = [millis.map(([hand]) => hand), millis.map(([, settled]) => settled)]
  yield* Console.log(
    `1,000 calls of a 5 ms tool at once: median ${median(settled).toFixed(1)} ms, least ${Math.min(...settled).toFixed(1)} ms; ` +
      `by hand ${median(hand).toFixed(1)} ms, least ${Math.min(...hand).toFixed(1)} ms`
  )
})

const manyTools = Effect.gen(function* () {
  const tools = yield* Tools.Service
  const registry = yield* ToolRegistry.Service
  const started = performance.now()
  const made = Array.from({ length: 1000 }, (_, index): [string, Tool.Any] => [
    `tool_${index}`,
    Tool.make({
      description: "Search",
      input: Schema.Struct({ query: Schema.String, limit: Schema.optionalKey(Schema.Int) }),
      output: Output,
      execute: () => Effect.succeed({ sum: 1 })
    })
  ])
  yield* tools.register(Object.fromEntries(made))
  yield* registry.materialize()
  const cold = performance.now() - started
  const again = performance.now()
  yield* registry.materialize()
  yield* Console.log(
    `1,000 tools made and materialized: ${cold.toFixed(1)} ms cold, ${(performance.now() - again).toFixed(3)} ms again`
  )
})

const Live = Layer.fresh(
  ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory)),
    Layer.provide(OutputStores.layerMemory())
  )
)

const fresh = <E>(bench: Effect.Effect<void, E, Layer.Success<typeof Live> | Scope.Scope>) =>
  bench.pipe(Effect.scoped, Effect.provide(Live, { local: true }), Effect.provideService(Observability.Level, "none"))

await Effect.runPromise(Effect.andThen(fresh(manyTools), Effect.andThen(fresh(sequential), fresh(concurrent))))
