import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, SideEffect } from "@haft/core"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Recovery from "@haft/registry/Recovery"
import * as Sql from "@haft/registry/sql"
import { Context, Deferred, Effect, Exit, Layer, Option, Ref, Result, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { begun, interrupted, settled } from "./support/calls.ts"
import * as ProbedSql from "./support/probedSql.ts"
import { databaseFile } from "./support/settlementStore.ts"

const Probed = Sql.layerSql().pipe(Layer.provideMerge(ProbedSql.layer))

const unbounded = { concurrency: "unbounded" } as const

const call = begun("call")
const end = settled(call)

const find = Effect.flatMap(SettlementStore.Service, (store) => store.find(call.context))
const begin = Effect.flatMap(SettlementStore.Service, (store) => store.begin(call))
const repeat = Effect.flatMap(SettlementStore.Service, (store) => store.begin(call, { repeat: true }))
const complete = Effect.flatMap(SettlementStore.Service, (store) => store.complete(call.context, end))
const unfinished = Effect.flatMap(SettlementStore.Service, (store) => store.unfinished)

/** How the store says that the call stands. */
const state = Effect.map(find, (record) => Option.getOrUndefined(record)?._tag ?? "absent")

/** The attempts in the database, whatever the store says about them. */
const attempts = Effect.flatMap(SqlClient.SqlClient, (client) => {
  const sql = client.withoutTransforms()
  return sql`SELECT attempt, ended_as FROM haft_calls WHERE call_key LIKE '%call' ORDER BY attempt`.values
})

const operationOf = <A, R>(effect: Effect.Effect<A, SettlementStore.StorageError, R>) =>
  Effect.map(Effect.flip(effect), ({ operation }) => operation)

describe("the end of a call on a database that fails", () => {
  it.effect("is written again at once", () =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failingOnce("before", ProbedSql.disconnected)
      assert.deepStrictEqual(yield* complete, end)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("is told as it stands when it was written and only the answer was lost", () =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      assert.deepStrictEqual(yield* complete, end)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("is a StorageError if that does not help, and leaves the call unfinished and not running", () =>
    Effect.gen(function* () {
      yield* begin
      assert.strictEqual(yield* state, "Running")
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      assert.strictEqual(yield* operationOf(complete), "complete")
      assert.strictEqual(yield* state, "Unfinished")
      assert.deepStrictEqual(
        (yield* unfinished).map(({ begun }) => begun),
        [call]
      )
      assert.strictEqual(yield* operationOf(begin), "begin")
    }).pipe(Effect.provide(Probed))
  )

  const occasions = [
    ["somebody looks for it", find],
    ["somebody begins it", begin],
    ["the host repeats it", repeat],
    ["the host recovers", Recovery.recover],
    ["another call begins", Effect.flatMap(SettlementStore.Service, (store) => store.begin(begun("other")))]
  ] as const

  it.effect.each(occasions)("is written when the database works again and %s", ([, occasion]) =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      yield* Effect.flip(complete)
      yield* ProbedSql.healed
      yield* occasion
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
      assert.deepStrictEqual(Option.getOrThrow(yield* find), { _tag: "Ended", begun: call, ended: end })
      assert.deepStrictEqual(yield* unfinished, [])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("is written when the database works again and nobody does anything, a while later", () =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      yield* Effect.flip(complete)
      yield* ProbedSql.healed
      const { after } = yield* ProbedSql.Probe
      const written = yield* Deferred.make<void>()
      yield* Ref.set(after, Effect.asVoid(Deferred.succeed(written, undefined)))
      assert.deepStrictEqual(yield* attempts, [[1, null]])
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(written)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("is written when the store closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Sql.layerSql(), scope)
      yield* Effect.provideContext(begin, context)
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      yield* Effect.flip(Effect.provideContext(complete, context))
      yield* ProbedSql.healed
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(ProbedSql.layer))
  )

  it.effect("is the first one that was to be written, also if that failed", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      yield* begin
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      yield* Effect.flip(complete)
      yield* Effect.flip(store.complete(call.context, interrupted))
      yield* ProbedSql.healed
      assert.deepStrictEqual(yield* store.complete(call.context, interrupted), end)
    }).pipe(Effect.provide(Probed))
  )

  it.effect("that fails again and again does not keep others from being written", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { before } = yield* ProbedSql.Probe
      const fail = Effect.fail(ProbedSql.disconnected)
      const other = begun("other")
      yield* store.begin(other)
      yield* begin
      yield* Ref.set(before, fail)
      yield* Effect.flip(store.complete(other.context, settled(other)))
      yield* Effect.flip(complete)
      yield* find
      yield* Ref.set(before, Ref.set(before, fail))
      assert.strictEqual(yield* state, "Ended")
      assert.strictEqual(Option.getOrThrow(yield* store.find(other.context))._tag, "Unfinished")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("is given up if it is too large to be kept, and its call stays unfinished", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const large = settled(call, "x".repeat(9_000_000))
      yield* begin
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      yield* Effect.flip(store.complete(call.context, large))
      yield* ProbedSql.healed
      assert.strictEqual(yield* state, "Unfinished")
      assert.isTrue(Option.isNone(yield* repeat))
      assert.strictEqual(yield* state, "Running")
    }).pipe(Effect.provide(Probed))
  )
})

describe("the beginning of a call on a database that fails", () => {
  it.effect("is a StorageError, and the call can begin as if nothing had been", () =>
    Effect.gen(function* () {
      yield* ProbedSql.failingOnce("before", ProbedSql.disconnected)
      assert.strictEqual(yield* operationOf(begin), "begin")
      assert.strictEqual(yield* state, "absent")
      assert.isTrue(Option.isNone(yield* begin))
      assert.strictEqual(yield* state, "Running")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("that was written and only the answer was lost is taken back", () =>
    Effect.gen(function* () {
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      assert.strictEqual(yield* operationOf(begin), "begin")
      assert.deepStrictEqual(yield* attempts, [[1, null]], "the answer was lost and not the record")
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      assert.strictEqual(yield* state, "absent", "nothing runs, whatever the database says")
      assert.deepStrictEqual(yield* unfinished, [])
      yield* ProbedSql.healed
      assert.strictEqual(yield* state, "absent")
      assert.deepStrictEqual(yield* attempts, [])
      assert.isTrue(Option.isNone(yield* begin))
      assert.deepStrictEqual(yield* attempts, [[1, null]])
      assert.deepStrictEqual(yield* complete, end)
    }).pipe(Effect.provide(Probed))
  )

  it.effect("that repeats a call and whose answer was lost leaves the attempt before it", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      yield* store.begin(call, { ended: interrupted })
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      yield* Effect.flip(repeat)
      yield* ProbedSql.failing("before", ProbedSql.disconnected)
      assert.strictEqual(yield* state, "Ended")
      yield* ProbedSql.healed
      assert.strictEqual(yield* state, "Ended")
      assert.deepStrictEqual(yield* attempts, [[1, "Interrupted"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("of a call that runs already does not touch it", () =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      yield* Effect.flip(begin)
      assert.strictEqual(yield* state, "Running")
      assert.deepStrictEqual(yield* complete, end)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("of a call that began beside an end that came too early does not touch it", () =>
    Effect.gen(function* () {
      const [early, known] = yield* Effect.all([Effect.exit(complete), begin], unbounded)
      assert.isTrue(Exit.isFailure(early))
      assert.isTrue(Option.isNone(known))
      yield* ProbedSql.failingOnce("before", ProbedSql.disconnected)
      yield* Effect.flip(begin)
      yield* ProbedSql.healed
      assert.strictEqual(yield* state, "Running")
      assert.deepStrictEqual(yield* complete, end)
      assert.deepStrictEqual(yield* attempts, [[1, "Settled"]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("of a call that is over, with an end that was refused, does not touch it either", () =>
    Effect.gen(function* () {
      yield* begin
      yield* ProbedSql.failing("before", ProbedSql.refused)
      yield* Effect.flip(complete)
      assert.strictEqual(yield* state, "Unfinished")
      yield* ProbedSql.healed
      yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
      yield* Effect.flip(begin)
      yield* ProbedSql.healed
      assert.isTrue(
        Option.isNone(yield* Effect.flatMap(SettlementStore.Service, (store) => store.begin(begun("next"))))
      )
      assert.deepStrictEqual(yield* attempts, [[1, null]])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("that was taken back is gone for other processes too", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const other = Sql.layerSql().pipe(Layer.provide(NodeSqlClient.layer({ filename })), Layer.fresh)
      const elsewhere = Context.get(yield* Layer.build(other), SettlementStore.Service)
      const check = Effect.gen(function* () {
        yield* ProbedSql.failingOnce("after", ProbedSql.disconnected)
        yield* Effect.flip(begin)
        assert.strictEqual(Option.getOrThrow(yield* elsewhere.find(call.context))._tag, "Running")
        assert.strictEqual(yield* state, "absent")
        assert.isTrue(Option.isNone(yield* elsewhere.begin(call)))
      })
      yield* Effect.provide(check, Sql.layerSql().pipe(Layer.provideMerge(ProbedSql.layerFile(filename))))
    })
  )
})

/** The database itself refuses every record with this word in it. */
const refusing = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.all([
    sql`CREATE TRIGGER refuse_begun BEFORE INSERT ON haft_calls WHEN NEW.begun LIKE '%unspeakable%'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    sql`CREATE TRIGGER refuse_ended BEFORE UPDATE ON haft_calls WHEN NEW.ended LIKE '%unspeakable%'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`
  ])
)

describe("a record that the database refuses", () => {
  it.effect("fails alone, and the calls that share its transaction begin and end", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      yield* refusing
      const calls = Array.from({ length: 20 }, (_, index) => ({
        ...begun(`call-${index}`),
        name: index % 7 === 3 ? "unspeakable" : "tool"
      }))
      const results = yield* Effect.forEach(calls, (call) => Effect.result(store.begin(call)), unbounded)
      assert.deepStrictEqual(
        results.flatMap((result, index) => (Result.isFailure(result) ? [index] : [])),
        [3, 10, 17]
      )
      const began = calls.filter(({ name }) => name === "tool")
      const text = (index: number) => (index % 5 === 0 ? "unspeakable" : "text")
      const ends = yield* Effect.forEach(
        began,
        (call, index) => Effect.result(store.complete(call.context, settled(call, text(index)))),
        unbounded
      )
      assert.deepStrictEqual(
        ends.map(Result.isSuccess),
        began.map((_, index) => index % 5 !== 0)
      )
    }).pipe(Effect.provide(Probed))
  )

  it.effect("as the end of a call leaves it unfinished, for the host to recover or to repeat", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      yield* refusing
      yield* begin
      yield* Effect.flip(store.complete(call.context, settled(call, "unspeakable")))
      assert.strictEqual(yield* state, "Unfinished")
      const ended: SettlementStore.Ended = { _tag: "Interrupted", effect: SideEffect.none }
      assert.deepStrictEqual(yield* Recovery.recover, [{ begun: call, ended }])
      assert.isTrue(Option.isNone(yield* repeat))
      yield* Effect.flip(store.complete(call.context, settled(call, "unspeakable")))
      assert.strictEqual(yield* state, "Unfinished")
      assert.isTrue(Option.isNone(yield* repeat))
      assert.deepStrictEqual(yield* complete, end)
      assert.deepStrictEqual(yield* attempts, [
        [1, "Interrupted"],
        [2, null],
        [3, "Settled"]
      ])
    }).pipe(Effect.provide(Probed))
  )
})

describe("a store inside a transaction of its own client", () => {
  const Database = NodeSqlClient.layer({ filename: ":memory:" })
  const Live = Sql.layerSql().pipe(Layer.provideMerge(Database))

  it.effect("fails at once with what to do, and works before and after", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* SettlementStore.Service
      yield* begin
      const inside = Effect.all([
        Effect.flip(store.begin(begun("other"))),
        Effect.flip(store.advance(call.context)),
        Effect.flip(complete),
        find
      ])
      const [first, second, third, found] = yield* sql.withTransaction(inside)
      for (const error of [first, second, third]) {
        assert(error._tag === "SettlementStore.StorageError")
        assert.include(String(error.cause), "sql.withTransaction")
      }
      assert.isTrue(Option.isSome(found))
      assert.deepStrictEqual(yield* complete, end)
    }).pipe(Effect.provide(Live))
  )

  it.effect("does not open", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const opening = Effect.flip(Effect.scoped(Layer.build(Layer.fresh(Sql.layerSql()))))
      assert.deepInclude(yield* sql.withTransaction(opening), {
        _tag: "SettlementStore.StorageError",
        operation: "open"
      })
      yield* Effect.scoped(Layer.build(Layer.fresh(Sql.layerSql())))
    }).pipe(Effect.provide(Database))
  )
})
