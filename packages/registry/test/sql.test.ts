import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, SideEffect } from "@haft/core"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Recovery from "@haft/registry/Recovery"
import * as Sql from "@haft/registry/sql"
import { Context, Deferred, Effect, Fiber, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as DiagnosticsChannel from "node:diagnostics_channel"
import * as Fs from "node:fs"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { begun, settled } from "./support/calls.ts"
import { conformance, databaseFile, layerFile, reopening } from "./support/settlementStore.ts"

const layerUnlocked = (filename: string) => Sql.layerSql().pipe(Layer.provide(NodeSqlClient.layer({ filename })))

conformance("layerSql on a SQLite file", Effect.map(databaseFile, layerFile))
reopening("layerSql on a SQLite file", Effect.map(databaseFile, layerFile))
reopening("layerSql that keeps its owners in a table", Effect.map(databaseFile, layerUnlocked))

const tagOf = (record: Option.Option<SettlementStore.CallRecord>) => Option.getOrUndefined(record)?._tag

/** Uses the database itself. */
const withSql = <A, E>(filename: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), NodeSqlClient.layer({ filename }))

/** Opens a store that must fail to open. */
const openingError = (filename: string) => Effect.flip(Effect.scoped(Layer.build(layerFile(filename))))

const beginOne = (filename: string, id = "call") =>
  Effect.provide(
    Effect.flatMap(SettlementStore.Service, (store) => store.begin(begun(id))),
    layerFile(filename)
  )

describe("a database of settlements", () => {
  it.effect("of a later release is refused and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* beginOne(filename)
      const later = { migration_id: 99, name: "later" }
      yield* withSql(filename, (sql) => sql`INSERT INTO haft_settlement_migrations ${sql.insert(later)}`)
      assert.deepStrictEqual(yield* openingError(filename), new Sql.VersionError({ found: 99, supported: 1 }))
      const rows = yield* withSql(filename, (sql) => sql`SELECT attempt FROM haft_calls`)
      assert.deepStrictEqual(rows, [{ attempt: 1 }])
    })
  )

  it.effect("of the first release is opened with everything in it", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      // Two calls that were settled, one of them at the second attempt, and one that was left after it had advanced.
      Fs.copyFileSync(new URL("fixtures/settlements-1.db", import.meta.url), filename)
      Fs.chmodSync(filename, 0o600)
      const check = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        const find = (call: SettlementStore.Begun) => Effect.map(store.find(call.context), Option.getOrThrow)
        const ended = (call: SettlementStore.Begun, text?: string): SettlementStore.CallRecord => ({
          _tag: "Ended",
          begun: call,
          ended: settled(call, text)
        })
        assert.deepStrictEqual(yield* find(begun("settled")), ended(begun("settled")))
        assert.deepStrictEqual(yield* find(begun("again")), ended(begun("again"), "second"))
        assert.deepStrictEqual(yield* Recovery.recover, [
          {
            begun: { ...begun("left"), effectPossible: true },
            ended: { _tag: "Operational", effect: SideEffect.unknown, code: "Unfinished" }
          }
        ])
        yield* store.begin(begun("new"))
        const spent = yield* Effect.flip(store.advance(begun("new").context, { approvalID: "approval" }))
        assert.strictEqual(spent._tag, "SettlementStore.ApprovalSpentError")
        yield* store.complete(begun("new").context, settled(begun("new")))
      })
      yield* Effect.provide(check, layerFile(filename))
    })
  )

  it.effect("is made once by stores that open it at the same time", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const all = Effect.all(
        Array.from({ length: 4 }, () => Effect.scoped(Layer.build(Layer.fresh(layerFile(filename))))),
        {
          concurrency: "unbounded"
        }
      )
      yield* all
      assert.strictEqual(tagOf(yield* beginOne(filename)), undefined)
    })
  )

  it.effect("with tables of somebody else's in place of ours is a StorageError", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* withSql(filename, (sql) => sql`CREATE TABLE haft_calls (something TEXT)`)
      const error = yield* openingError(filename)
      assert.instanceOf(error, SettlementStore.StorageError)
      assert.strictEqual(error.operation, "open")
    })
  )

  it.effect("whose pages are overwritten is a StorageError, never an empty store", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* beginOne(filename)
      const bytes = Fs.readFileSync(filename)
      const firstPage = 4096
      Fs.writeFileSync(filename, bytes.fill(0xa5, firstPage))
      assert.instanceOf(yield* openingError(filename), SettlementStore.StorageError)
      assert.deepStrictEqual(Fs.readFileSync(filename).subarray(firstPage), bytes.subarray(firstPage))
    })
  )

  it.effect("with a record that cannot be read fails for that call alone", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* beginOne(filename, "left")
      yield* beginOne(filename)
      yield* withSql(filename, (sql) => sql`UPDATE haft_calls SET begun = '{"half' WHERE call_key LIKE '% call'`)
      const check = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        assert.strictEqual((yield* Effect.flip(store.find(begun("call").context))).operation, "find")
        assert.strictEqual((yield* Effect.flip(store.begin(begun("call")))).operation, "begin")
        assert.isTrue(Option.isNone(yield* store.begin(begun("other"))))
        assert.deepStrictEqual(
          (yield* store.unfinished).map(({ begun }) => String(begun.context.toolCallID)),
          ["left"]
        )
      })
      yield* Effect.provide(check, layerFile(filename))
    })
  )
})

/** The thread that a client starts while `effect` runs. */
const workerOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const started = yield* Deferred.make<Worker>()
  const onWorker = (message: unknown) => {
    if (typeof message === "object" && message !== null && "worker" in message && message.worker instanceof Worker)
      Deferred.doneUnsafe(started, Effect.succeed(message.worker))
  }
  DiagnosticsChannel.subscribe("worker_threads", onWorker)
  const value = yield* effect
  DiagnosticsChannel.unsubscribe("worker_threads", onWorker)
  return { value, worker: yield* Deferred.await(started) }
})

describe("a store whose database thread dies", () => {
  it.effect("fails what it was about with a StorageError, and goes on with another thread", () =>
    Effect.gen(function* () {
      const { value, worker } = yield* workerOf(Layer.build(layerFile(yield* databaseFile)))
      const store = Context.get(value, SettlementStore.Service)
      const calls = Array.from({ length: 50 }, (_, index) => begun(`call-${index}`))
      const waiting = yield* Effect.forkChild(
        Effect.forEach(calls, (call) => Effect.flip(store.begin(call)), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Effect.promise(() => worker.terminate())
      const errors = yield* Fiber.join(waiting)
      assert.isTrue(errors.every((error) => error._tag === "SettlementStore.StorageError"))
      const found = yield* Effect.forEach(calls, ({ context }) => store.find(context))
      assert.isTrue(found.every(Option.isNone), "nothing began")
      const [first] = calls
      assert.isDefined(first)
      assert.isTrue(Option.isNone(yield* store.begin(first)))
      yield* store.advance(first.context)
      assert.deepStrictEqual(yield* store.complete(first.context, settled(first)), settled(first))
      assert.deepStrictEqual(yield* store.unfinished, [])
    })
  )

  it.effect("records the end of a call that was running", () =>
    Effect.gen(function* () {
      const { value, worker } = yield* workerOf(Layer.build(layerFile(yield* databaseFile)))
      const store = Context.get(value, SettlementStore.Service)
      const call = begun("call")
      yield* store.begin(call)
      const ending = yield* Effect.forkChild(store.complete(call.context, settled(call)), { startImmediately: true })
      yield* Effect.promise(() => worker.terminate())
      assert.deepStrictEqual(yield* Fiber.join(ending), settled(call))
      assert.strictEqual(Option.getOrThrow(yield* store.find(call.context))._tag, "Ended")
    })
  )
})

const ownerProgram = fileURLToPath(new URL("fixtures/settlementOwner.ts", import.meta.url))

/** A process that begins `count` calls and stays; `begun` is how many of them were new. */
const startOwner = Effect.fnUntraced(function* (filename: string, count: number) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [ownerProgram, filename, `${count}`], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = yield* Queue.unbounded<string>()
  Readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  const exited = yield* Deferred.make<void>()
  child.once("exit", () => Deferred.doneUnsafe(exited, Effect.void))
  const kill = Effect.andThen(
    Effect.sync(() => child.kill("SIGKILL")),
    Deferred.await(exited)
  )
  return { begun: Effect.map(Queue.take(lines), Number), kill }
})

describe("processes that share a SQLite file", () => {
  it.effect("begin each call once between them", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const owners = yield* Effect.all([1, 2, 3].map(() => startOwner(filename, 200)))
      const counts = yield* Effect.forEach(owners, (owner) => owner.begun, { concurrency: "unbounded" })
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count, 0),
        200
      )
    })
  )

  it.effect("know a call as running until its process is killed, and as unfinished from then on", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const check = Effect.gen(function* () {
        const store = yield* SettlementStore.Service
        const owner = yield* startOwner(filename, 3)
        assert.strictEqual(yield* owner.begun, 3)
        const { context } = begun("call-0")
        assert.strictEqual(tagOf(yield* store.find(context)), "Running")
        assert.strictEqual(tagOf(yield* store.begin(begun("call-0"), { repeat: true })), "Running")
        assert.deepStrictEqual(yield* store.unfinished, [])
        yield* owner.kill
        assert.strictEqual(tagOf(yield* store.find(context)), "Unfinished")
        assert.strictEqual(tagOf(yield* store.begin(begun("call-1"))), "Unfinished")
        assert.strictEqual((yield* store.unfinished).length, 3)
        assert.isTrue(Option.isNone(yield* store.begin(begun("call-0"), { repeat: true })))
        assert.strictEqual((yield* store.unfinished).length, 2)
      })
      yield* Effect.provide(check, layerFile(filename))
    })
  )
})

describe("owners of calls", () => {
  it.effect("that die without closing stay alive in the table until somebody removes their row", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      yield* Effect.provide(
        Effect.flatMap(SettlementStore.Service, (store) => store.begin(begun("call"))),
        layerUnlocked(filename)
      )
      yield* withSql(filename, (sql) => sql`INSERT INTO haft_owners SELECT owner FROM haft_calls`)
      const find = Effect.flatMap(SettlementStore.Service, (store) => store.find(begun("call").context))
      assert.strictEqual(tagOf(yield* Effect.provide(find, layerUnlocked(filename))), "Running")
      yield* withSql(filename, (sql) => sql`DELETE FROM haft_owners`)
      assert.strictEqual(tagOf(yield* Effect.provide(find, layerUnlocked(filename))), "Unfinished")
    })
  )

  it.effect("may end a call between the moment they are looked at and the moment they are found dead", () =>
    Effect.gen(function* () {
      const database = NodeSqlClient.layer({ filename: ":memory:" })
      const owner = (id: string, isAlive: Sql.Owners["isAlive"]) =>
        Layer.fresh(Sql.layerSql({ owners: { acquire: Effect.succeed(id), isAlive } }))
      const check = Effect.gen(function* () {
        const dying = Context.get(
          yield* Layer.build(owner("dying", () => Effect.succeed(true))),
          SettlementStore.Service
        )
        const lastAct = Effect.orDie(dying.complete(begun("call").context, settled(begun("call"))))
        const watching = owner("watching", () => Effect.as(lastAct, false))
        const store = Context.get(yield* Layer.build(watching), SettlementStore.Service)
        yield* dying.begin(begun("call"))
        assert.strictEqual(tagOf(yield* store.find(begun("call").context)), "Ended")
      })
      yield* Effect.provide(check, database)
    })
  )
})
