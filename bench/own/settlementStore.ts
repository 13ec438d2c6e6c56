/** What settling with a store that survives its process costs, and how long it takes to find what a dead one left. */
import { Agent, Session, SettlementStore, SideEffect, Tool, ToolCall, Tools } from "@haft/core"
import { NodeSqlClient } from "@haft/node"
import { ApplicationTools, Observability, OutputBounds, OutputStores, Recovery, ToolRegistry } from "@haft/registry"
import * as Sql from "@haft/registry/sql"
import { Console, Effect, Layer, Schema } from "effect"
import * as Fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loopDelay, percentile, stopwatch } from "../measure.ts"

const concurrency = 64

const sum = Tool.make({
  description: "Sum",
  input: Schema.Struct({ a: Schema.Int, b: Schema.String }),
  output: Schema.Struct({ sum: Schema.Int }),
  execute: ({ a, b }) => Effect.succeed({ sum: a + b.length })
})

const message = {
  sessionID: Session.ID.make("session"),
  agent: Agent.ID.make("bench"),
  assistantMessageID: Session.MessageID.make("message")
}

let calls = 0
const request = () => ({
  ...message,
  call: { id: ToolCall.ID.make(`call-${calls++}`), name: "sum", input: { a: 1, b: "x" } }
})

const store = (filename: string) => Sql.layerSql().pipe(Layer.provide(NodeSqlClient.layer({ filename })))

const registry = (filename: string) =>
  ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), store(filename))),
    Layer.provide(OutputStores.layerMemory())
  )

interface Rate {
  readonly perSecond: number
  readonly latency: number
  readonly delay: number
}

/** Calls each second, the latency that all but one in a hundred keep, and the same for the event loop. */
const rateOf = Effect.fnUntraced(function* <E>(settle: Effect.Effect<unknown, E>, count: number, atOnce: number) {
  const latencies: Array<number> = []
  const delay = loopDelay()
  const elapsed = stopwatch()
  const timed = Effect.suspend(() => {
    const from = performance.now()
    return Effect.map(settle, () => latencies.push(performance.now() - from))
  })
  yield* Effect.forEach(Array.from({ length: count }), () => timed, { concurrency: atOnce, discard: true })
  const millis = elapsed()
  const rate: Rate = {
    perSecond: (count * 1000) / millis,
    latency: percentile(latencies, 0.99),
    delay: delay().p99
  }
  return rate
})

const shown = ({ delay, latency, perSecond }: Rate): string =>
  `${perSecond.toFixed(0)} calls per second, p99 ${latency.toFixed(1)} ms, loop delay p99 ${delay.toFixed(1)} ms`

const rounds = 5

const settling = Effect.gen(function* () {
  yield* (yield* Tools.Service).register({ sum })
  const turn = yield* (yield* ToolRegistry.Service).materialize()
  const settle = Effect.suspend(() => turn.settle(request()))
  // Code that is not compiled yet is no part of the cost.
  yield* rateOf(settle, 5_000, concurrency)
  const single = yield* rateOf(settle, 200, 1)
  yield* Console.log(`one at a time: ${shown(single)}`)
  for (let round = 0; round < rounds; round++) {
    const many = yield* rateOf(settle, 10_000, concurrency)
    const ratio = many.perSecond / single.perSecond
    yield* Console.log(`${concurrency} at a time: ${shown(many)}, ${ratio.toFixed(1)} × the rate of one at a time`)
  }
}).pipe(Effect.scoped)

const begunCall = (): SettlementStore.Begun => ({
  context: { ...message, toolCallID: ToolCall.ID.make(`call-${calls++}`) },
  name: "sum",
  registrationDigest: "digest",
  inputFingerprint: "fingerprint",
  determinism: "pure",
  effectPossible: false,
  begunAt: 0
})

/** A store that begins calls and closes, which leaves those unfinished that have no end. */
const leave = Effect.fnUntraced(function* (count: number, unfinished: number) {
  const { begin } = yield* SettlementStore.Service
  const ended: SettlementStore.Ended = { _tag: "Interrupted", effect: SideEffect.none }
  const begun = Array.from({ length: count }, begunCall)
  yield* Effect.forEach(begun, (one, index) => begin(one, index < unfinished ? {} : { ended }), {
    concurrency: 1024,
    discard: true
  })
})

/** From opening the database to the last end that is durable. */
const recovery = Effect.fnUntraced(function* (root: string, count: number, unfinished: number) {
  const filename = join(root, `${count}-${unfinished}.db`)
  yield* Effect.provide(leave(count, unfinished), store(filename), { local: true })
  const started = performance.now()
  const recovered = yield* Effect.provide(Recovery.recover, store(filename), { local: true })
  const millis = performance.now() - started
  yield* Console.log(`${recovered.length} unfinished calls of ${count} recovered: ${millis.toFixed(0)} ms`)
  return millis
})

/** As a process leaves them that died at work, and the worst that there could be. */
const recoveries = Effect.fnUntraced(function* (root: string) {
  for (const share of [0.01, 1]) {
    const once = yield* recovery(root, 100_000, 100_000 * share)
    const twice = yield* recovery(root, 200_000, 200_000 * share)
    yield* Console.log(`twice as many: ${(twice / once).toFixed(2)} × the time`)
  }
})

const bench = (root: string) =>
  Effect.andThen(Effect.provide(settling, registry(join(root, "settling.db"))), recoveries(root)).pipe(
    Effect.provideService(Observability.Level, "none")
  )

const root = await Fs.mkdtemp(join(tmpdir(), "haft-bench-"))
await Effect.runPromise(bench(root)).finally(() => Fs.rm(root, { recursive: true }))
