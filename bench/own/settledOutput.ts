/**
 * What it costs to settle a call whose tool returns a large text, from the call to a preview for the model and a complete
 * output that survives its process, beside a bare hash, write, sync and rename of the same bytes. In a process of its own:
 * memory is measured from outside.
 */
import { OutputStore, type Settlement, Tool, Tools } from "@haft/core"
import { ApplicationTools, Observability, OutputBounds, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Sql from "@haft/registry/sql"
import * as Testing from "@haft/registry/testing"
import { Console, Effect, Layer, Schema } from "effect"
import { besideBare, ratios } from "../durably.ts"
import { growth, median } from "../measure.ts"
import { Database, directory, Outputs } from "./directoryStore.ts"

const mebibyte = 1024 * 1024
const rounds = 80
const line = "the quick brown fox jumps over the lazy dog and goes on for a while\n"

/** New in each round, so that nothing is there already. Flat, as the text of a tool that has read it from somewhere. */
const textOf = (length: number, round: number): string => Buffer.alloc(length, `${round} ${line}`).toString("latin1")

/** The most mebibytes that the process grew by while `effect` ran. */
const grown = Effect.fnUntraced(function* <E>(effect: Effect.Effect<unknown, E>) {
  const bytes = growth()
  yield* effect
  return bytes() / mebibyte
})

const request = Testing.numbered()
let returned = ""
const print = Tool.make({
  description: "Print",
  input: Schema.Struct({}),
  output: Schema.String,
  execute: () => Effect.sync(() => returned)
})

const opened = Effect.gen(function* () {
  yield* (yield* Tools.Service).register({ print })
  const turns = yield* ToolRegistry.Service
  // A turn for each call: the budget of a turn is not what is measured.
  return Effect.gen(function* () {
    const { settle } = yield* turns.materialize()
    const settlement = yield* settle(request("print", {}))
    if (settlement.managed.length !== 1) return yield* Effect.die("nothing was kept")
    return settlement
  })
})

const compare = Effect.fnUntraced(function* (name: string) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const settle = yield* opened
  const prepare = () => Buffer.from((returned = textOf(5 * mebibyte, performance.now())))
  const store = yield* OutputStore.Service
  const keep = () => run(settle)
  const forget = ({ context, managed }: Settlement.Settlement) => run(store.release(context.sessionID, managed))
  const measured = yield* Effect.promise(() => besideBare({ directory, rounds, prepare, keep, forget }))
  // On a busy machine the two of a round have had the same noise, and the least of each has had none.
  const [by, ours] = [Math.min(...measured.bare), Math.min(...measured.kept)]
  yield* Console.log(
    `5 MiB, ${name}: ${median(measured.bare).toFixed(1)} ms by hand, ${median(measured.kept).toFixed(1)} ms settled, ` +
      `${(median(measured.kept) / median(measured.bare)).toFixed(2)} × (in pairs ${median(ratios(measured)).toFixed(2)} ×; ` +
      `at best ${by.toFixed(1)}, ${ours.toFixed(1)}, ${(ours / by).toFixed(2)} ×)`
  )
})

/** Repeated: such a text takes its room in memory when it is first looked into, so that it counts here. */
const memory = Effect.fnUntraced(function* (part: string, mebibytes: number) {
  const settle = yield* opened
  returned = textOf(mebibyte, 0)
  yield* settle
  returned = part.repeat((mebibytes * mebibyte) / part.length)
  const growth = yield* grown(settle)
  yield* Console.log(
    `${mebibytes} MiB once: ${growth.toFixed(1)} MiB more memory with the text itself, ${(growth / mebibytes).toFixed(2)} × the text`
  )
})

const registry = <E, R>(store: Layer.Layer<Layer.Success<typeof SettlementStores.layerMemory>, E, R>) =>
  Layer.fresh(
    ToolRegistry.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), store)),
      Layer.provideMerge(Outputs)
    )
  )

const inMemory = registry(SettlementStores.layerMemory)
const inDatabase = registry(Sql.layerSql().pipe(Layer.provide(Database)))

/** Memory comes first: a process that was once large has room that nobody sees being used again. */
const program = Effect.gen(function* () {
  yield* Effect.provide(Effect.scoped(memory(line, 5)), inMemory)
  yield* Effect.provide(Effect.scoped(memory("x", 200)), inMemory)
  yield* Effect.provide(Effect.scoped(compare("bounded and stored")), inMemory)
  yield* Effect.provide(Effect.scoped(compare("and its call recorded in a database")), inDatabase)
}).pipe(Effect.provideService(Observability.Level, "none"))

await Effect.runPromise(program)
