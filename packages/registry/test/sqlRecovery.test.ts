import { assert, describe, it, layer } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Sql from "@haft/registry/sql"
import { Context, Effect, Exit, Layer, Option, Queue, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"
import { begun, interrupted, settled } from "./support/calls.ts"
import { databaseFile, layerFile } from "./support/settlementStore.ts"
import { type Attempt, StoreModel } from "./support/storeModel.ts"

const Act = Schema.Struct({
  verb: Schema.Literals(["begin", "repeat", "settle", "interrupt", "look", "recover", "find", "restart"]),
  /** Which of the two processes does it. */
  process: Schema.Literals([0, 1])
})
type Act = typeof Act.Type

/** A call is left, and both have found it. */
const prologue: ReadonlyArray<Act> = [
  { process: 1, verb: "find" },
  { process: 0, verb: "begin" },
  { process: 0, verb: "restart" },
  { process: 0, verb: "look" },
  { process: 1, verb: "look" }
]

/** A store of one process, and what it found when it last looked for unfinished calls. */
interface Process {
  owner: number
  store: SettlementStore.Interface
  scope: Scope.Closeable
  found: SettlementStore.Unfinished | undefined
  modelFound: Attempt | undefined
}

interface World {
  readonly call: SettlementStore.Begun
  readonly model: StoreModel
  readonly alive: Set<string>
  readonly processes: ReadonlyArray<Process>
}

let owners = 0

/** A process of which others know at once when it dies. */
const start = Effect.fnUntraced(function* (model: StoreModel, alive: Set<string>) {
  const owner = owners++
  const id = `owner-${owner}`
  const scope = yield* Scope.make()
  const isAlive: Sql.Owners["isAlive"] = (owner) => Effect.sync(() => alive.has(owner))
  const acquire = Effect.acquireRelease(
    Effect.sync(() => void alive.add(id)),
    () => Effect.sync(() => alive.delete(id))
  )
  const layer = Sql.layerSql({ owners: { acquire: Effect.as(acquire, id), isAlive } })
  const context = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  model.open(owner)
  const store = Context.get(context, SettlementStore.Service)
  const process: Process = { owner, store, scope, found: undefined, modelFound: undefined }
  return process
})

const stateOf = (record: SettlementStore.CallRecord): string =>
  record._tag === "Ended" ? record.ended._tag : record._tag

const endOr = (none: string) =>
  Option.match({ onNone: () => none, onSome: (ended: SettlementStore.Ended) => ended._tag })

const begin = (store: SettlementStore.Interface, call: SettlementStore.Begun, repeat: boolean) =>
  Effect.map(store.begin(call, { repeat }), Option.match({ onNone: () => "begun", onSome: stateOf }))

const complete = (store: SettlementStore.Interface, call: SettlementStore.Begun, ended: SettlementStore.Ended) =>
  Effect.match(store.complete(call.context, ended), { onFailure: () => "refused", onSuccess: ({ _tag }) => _tag })

/** What the store says and what the model says. */
const perform = Effect.fnUntraced(function* (world: World, { process: index, verb }: Act) {
  const { alive, call, model, processes } = world
  const process = processes[index]
  assert.isDefined(process)
  const { owner, store } = process
  switch (verb) {
    case "begin":
      return [yield* begin(store, call, false), model.begin(owner, false)]
    case "repeat":
      return [yield* begin(store, call, true), model.begin(owner, true)]
    case "settle":
      return [yield* complete(store, call, settled(call)), model.complete(owner, "Settled")]
    case "interrupt":
      return [yield* complete(store, call, interrupted), model.complete(owner, "Interrupted")]
    case "find":
      return [Option.match(yield* store.find(call.context), { onNone: () => "absent", onSome: stateOf }), model.find()]
    case "look": {
      const unfinished = yield* store.unfinished
      process.found = unfinished.find(({ begun }) => begun.context.toolCallID === call.context.toolCallID)
      process.modelFound = model.unfinished()
      return [process.found === undefined, process.modelFound === undefined]
    }
    case "recover": {
      if (process.found === undefined || process.modelFound === undefined) return []
      const [ended] = yield* store.finish([{ unfinished: process.found, ended: interrupted }])
      assert.isDefined(ended)
      return [endOr("begun again")(ended), model.recover(process.modelFound, "Interrupted")]
    }
    case "restart": {
      yield* Scope.close(process.scope, Exit.void)
      model.close(owner)
      Object.assign(process, yield* start(model, alive))
      return []
    }
  }
})

layer(NodeSqlClient.layer({ filename: ":memory:" }))("processes that begin, end, repeat and recover one call", (it) => {
  const told = new Set<unknown>()

  it.effect.prop(
    "agree with a list of attempts about whose it is and how it ended",
    { acts: Schema.Array(Act) },
    ({ acts }) =>
      Effect.gen(function* () {
        const model = new StoreModel()
        const alive = new Set<string>()
        const processes = [yield* start(model, alive), yield* start(model, alive)]
        const world: World = { call: begun(`call-${owners}`), model, alive, processes }
        for (const act of [...prologue, ...acts]) {
          const [answer, expected] = yield* perform(world, act)
          assert.strictEqual(answer, expected, `${act.process} ${act.verb}`)
          told.add(answer)
        }
        for (const { scope } of processes) yield* Scope.close(scope, Exit.void)
      }),
    { arbitrary: { runs: 500 } }
  )

  it("came across everything that can happen to a call", () => {
    for (const answer of [
      "absent",
      "begun",
      "Running",
      "Unfinished",
      "Settled",
      "Interrupted",
      "refused",
      "begun again"
    ])
      assert.isTrue(told.has(answer), answer)
  })
})

const recovererProgram = fileURLToPath(new URL("fixtures/settlementRecoverer.ts", import.meta.url))

/** A process that opens the store, says so, and recovers when it is told to. Its last line is how many it ended. */
const startRecoverer = Effect.fnUntraced(function* (filename: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [recovererProgram, filename], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = yield* Queue.unbounded<string>()
  Readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  return { line: Queue.take(lines), go: Effect.sync(() => child.stdin.end("go\n")) }
})

describe("a process that recovers while another repeats", () => {
  it.effect("ends attempts that were left and none of those that run", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const calls = Array.from({ length: 300 }, (_, index) => begun(`call-${index}`))
      const leave = Effect.flatMap(SettlementStore.Service, (store) =>
        Effect.forEach(calls, (call) => store.begin(call), { concurrency: "unbounded" })
      )
      yield* Effect.provide(leave, Layer.fresh(layerFile(filename)))
      const recoverer = yield* startRecoverer(filename)
      assert.strictEqual(yield* recoverer.line, "open")
      const repeatAll = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        yield* recoverer.go
        const begun = yield* Effect.forEach(calls, (call) => store.begin(call, { repeat: true }), { concurrency: 8 })
        assert.isTrue(begun.every(Option.isNone), "who repeats is not held up by who recovers")
        const recovered = Number(yield* recoverer.line)
        const records = yield* Effect.forEach(calls, ({ context }) => store.find(context))
        assert.deepStrictEqual([...new Set(records.map((record) => Option.getOrThrow(record)._tag))], ["Running"])
        return recovered
      })
      const recovered = yield* Effect.provide(repeatAll, layerFile(filename))
      const count = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT attempt, count(*) FROM haft_calls WHERE ended_as IS NOT NULL GROUP BY attempt`.values
      )
      const ended = yield* Effect.provide(count, NodeSqlClient.layer({ filename }))
      assert.deepStrictEqual(ended, recovered === 0 ? [] : [[1, recovered]])
    })
  )
})
