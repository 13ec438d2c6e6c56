import { assert, describe, it } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import * as Sql from "@haft/registry/sql"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { begun, settled } from "./support/calls.ts"
import { conformance } from "./support/settlementStore.ts"
import * as ProbedSql from "./support/probedSql.ts"

const Probed = Sql.layerSql().pipe(Layer.provideMerge(ProbedSql.layer))

conformance("layerSql on a client that renames columns", Effect.succeed(Probed))

const unbounded = { concurrency: "unbounded" } as const

const calls = (count: number) => Array.from({ length: count }, (_, index) => begun(`call-${index}`))

/** What the probe counts while `effect` runs. */
const commitsDuring = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { commits } = yield* ProbedSql.Probe
  const before = yield* Ref.get(commits)
  yield* effect
  return (yield* Ref.get(commits)) - before
})

/** Holds the next commits until `open`; `reached` tells that one is held. */
const gate = Effect.gen(function* () {
  const { before } = yield* ProbedSql.Probe
  const reached = yield* Deferred.make<void>()
  const opened = yield* Deferred.make<void>()
  yield* Ref.set(before, Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened)))
  return { reached: Deferred.await(reached), open: Deferred.succeed(opened, undefined) }
})

describe("group commit", () => {
  it.effect("lets a thousand calls that begin at once share a handful of transactions", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const commits = yield* commitsDuring(Effect.forEach(calls(1000), (call) => store.begin(call), unbounded))
      assert.isAtMost(commits, 4)
      assert.isAtLeast(commits, 2, "512 records are the most that one transaction has")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("gives a call that comes alone a transaction of its own at once", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const commits = yield* commitsDuring(Effect.forEach(calls(10), (call) => store.begin(call)))
      assert.strictEqual(commits, 10)
    }).pipe(Effect.provide(Probed))
  )

  it.effect("puts no more than a megabyte into one transaction", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const ten = calls(10)
      yield* Effect.forEach(ten, (call) => store.begin(call), unbounded)
      const large = "x".repeat(200_000)
      const end = (call: SettlementStore.Begun) => store.complete(call.context, settled(call, large))
      const commits = yield* commitsDuring(Effect.forEach(ten, end, unbounded))
      assert.strictEqual(commits, 5, "each has its text twice, as data and for the model")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("fails the members of a transaction that fails, and nobody else", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { before } = yield* ProbedSql.Probe
      const [first, second, third, ...others] = calls(5)
      assert.isDefined(first)
      assert.isDefined(second)
      assert.isDefined(third)
      const { open, reached } = yield* gate
      const alone = yield* Effect.forkChild(store.begin(first))
      yield* reached
      const together = yield* Effect.forkChild(
        Effect.forEach([second, third], (call) => Effect.flip(store.begin(call)), unbounded),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      yield* Ref.set(before, Effect.fail(ProbedSql.disconnected))
      yield* open
      assert.isTrue(Option.isNone(yield* Fiber.join(alone)))
      const errors = yield* Fiber.join(together)
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, error.operation]),
        [
          ["SettlementStore.StorageError", "begin"],
          ["SettlementStore.StorageError", "begin"]
        ]
      )
      yield* Ref.set(before, Effect.void)
      for (const call of others) assert.isTrue(Option.isNone(yield* store.begin(call)))
      assert.isTrue(Option.isSome(yield* store.find(first.context)))
      assert.isTrue(Option.isNone(yield* store.find(second.context)))
      assert.isTrue(Option.isNone(yield* store.begin(second)))
    }).pipe(Effect.provide(Probed))
  )

  it.effect("fails a record that cannot be encoded alone", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const broken = { ...begun("broken"), begunAt: Number.NaN }
      const [failed, fine] = yield* Effect.all(
        [Effect.flip(store.begin(broken)), store.begin(begun("fine"))],
        unbounded
      )
      assert.strictEqual(failed.operation, "begin")
      assert.isTrue(Option.isNone(fine))
    }).pipe(Effect.provide(Probed))
  )

  it.effect("refuses ids that would make one key of two calls", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { context, ...call } = begun("call")
      const named = (sessionID: string, assistantMessageID: string): SettlementStore.Begun => ({
        ...call,
        context: Object.assign({}, context, { sessionID, assistantMessageID })
      })
      assert.isTrue(Option.isNone(yield* store.begin(named("a", "b"))))
      for (const unfit of [named("a b", "c"), named("a", "b c")])
        assert.strictEqual((yield* Effect.flip(store.begin(unfit))).operation, "begin")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("decides again when somebody else was faster", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { before } = yield* ProbedSql.Probe
      const once = Effect.andThen(Ref.set(before, Effect.void), Effect.fail(ProbedSql.conflict))
      yield* Ref.set(before, once)
      assert.strictEqual(yield* commitsDuring(store.begin(begun("call"))), 2)
      assert.isTrue(Option.isSome(yield* store.find(begun("call").context)))
    }).pipe(Effect.provide(Probed))
  )

  it.effect("records more calls than can wait", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const sql = (yield* SqlClient.SqlClient).withoutTransforms()
      const { open, reached } = yield* gate
      const all = yield* Effect.forkChild(Effect.forEach(calls(12_000), (call) => store.begin(call), unbounded))
      yield* reached
      yield* open
      const results = yield* Fiber.join(all)
      assert.isTrue(results.every(Option.isNone))
      assert.deepStrictEqual(yield* sql`SELECT count(*) AS n FROM haft_calls`, [{ n: 12_000 }])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("lets an interrupted caller wait until its call is recorded", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { open, reached } = yield* gate
      const caller = yield* Effect.forkChild(store.begin(begun("call")))
      yield* reached
      const interruption = yield* Effect.forkChild(Fiber.interrupt(caller), { startImmediately: true })
      assert.isUndefined(caller.pollUnsafe())
      yield* open
      yield* Fiber.join(interruption)
      assert.isTrue(Option.isSome(yield* store.find(begun("call").context)))
    }).pipe(Effect.provide(Probed))
  )

  it.effect("commits what was submitted before the store closed, and refuses what comes later", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Sql.layerSql(), scope)
      const store = yield* Effect.provideContext(SettlementStore.Service, context)
      const { open, reached } = yield* gate
      const first = yield* Effect.forkChild(store.begin(begun("first")))
      yield* reached
      const second = yield* Effect.forkChild(store.begin(begun("second")), { startImmediately: true })
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* open
      yield* Fiber.join(closing)
      assert.isTrue(Option.isNone(yield* Fiber.join(first)))
      assert.isTrue(Option.isNone(yield* Fiber.join(second)))
      assert.strictEqual((yield* Effect.flip(store.begin(begun("third"))))._tag, "SettlementStore.StorageError")
    }).pipe(Effect.provide(ProbedSql.layer))
  )

  it.effect("keeps the rows of earlier attempts", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const sql = (yield* SqlClient.SqlClient).withoutTransforms()
      const call = begun("call")
      yield* store.begin(call, { ended: { _tag: "Interrupted", effect: { _tag: "None" } } })
      yield* store.begin(call, { repeat: true })
      yield* store.complete(call.context, settled(call))
      assert.deepStrictEqual(yield* sql`SELECT attempt, ended_as FROM haft_calls ORDER BY attempt`, [
        { attempt: 1, ended_as: "Interrupted" },
        { attempt: 2, ended_as: "Settled" }
      ])
    }).pipe(Effect.provide(Probed))
  )
})

describe("looking for calls", () => {
  it.effect("lets a thousand that look at once share a handful of queries, each with its own answer", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { queries } = yield* ProbedSql.Probe
      const [odd, even] = [0, 1].map((rest) => calls(1000).filter((_, index) => index % 2 === rest))
      yield* Effect.forEach(odd ?? [], (call) => store.begin(call), unbounded)
      const before = yield* Ref.get(queries)
      const found = yield* Effect.forEach(
        [...(odd ?? []), ...(even ?? [])],
        ({ context }) => store.find(context),
        unbounded
      )
      assert.isAtMost((yield* Ref.get(queries)) - before, 4)
      const names = found.map((record) => Option.getOrUndefined(record)?.begun.context.toolCallID)
      assert.deepStrictEqual(names, [
        ...(odd ?? []).map(({ context }) => context.toolCallID),
        ...(even ?? []).map(() => undefined)
      ])
    }).pipe(Effect.provide(Probed))
  )

  it.effect("finds the latest of many attempts", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const call = begun("call")
      const interrupted = { _tag: "Interrupted", effect: { _tag: "None" } } as const
      for (let attempt = 0; attempt < 4; attempt++) yield* store.begin(call, { ended: interrupted, repeat: true })
      yield* store.begin(call, { repeat: true })
      assert.strictEqual(Option.getOrThrow(yield* store.find(call.context))._tag, "Running")
    }).pipe(Effect.provide(Probed))
  )

  it.effect("fails alone for a record that cannot be read", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach([begun("damaged"), begun("fine")], (call) => store.begin(call))
      yield* sql`UPDATE haft_calls SET begun = 'damaged' WHERE call_key LIKE '%damaged'`
      const [damaged, fine] = yield* Effect.all(
        [Effect.flip(store.find(begun("damaged").context)), store.find(begun("fine").context)],
        unbounded
      )
      assert.strictEqual(damaged.operation, "find")
      assert.isTrue(Option.isSome(fine))
    }).pipe(Effect.provide(Probed))
  )

  it.effect("can be left while the database is busy", () =>
    Effect.gen(function* () {
      const store = yield* SettlementStore.Service
      const { open, reached } = yield* gate
      const beginning = yield* Effect.forkChild(store.begin(begun("call")))
      yield* reached
      const looking = yield* Effect.forkChild(store.find(begun("call").context), { startImmediately: true })
      yield* Fiber.interrupt(looking)
      yield* open
      yield* Fiber.join(beginning)
      assert.isTrue(Option.isSome(yield* store.find(begun("call").context)))
    }).pipe(Effect.provide(Probed))
  )
})
