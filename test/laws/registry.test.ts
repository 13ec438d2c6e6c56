import { assert } from "@effect/vitest"
import { type Materialization, SettlementStore, SideEffect, Tool, ToolFailure, Tools } from "@haft/core"
import { ApplicationTools, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer, Option, Ref, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { law } from "./law.ts"

const NoInput = Schema.Struct({})

const executing = (effect: Effect.Effect<string, ToolFailure.ToolFailure>): Tool.Any =>
  Tool.make({ description: "Test", input: NoInput, output: Schema.String, execute: () => effect })

const constant = (text: string) => executing(Effect.succeed(text))

const register = Effect.fnUntraced(function* (record: Readonly<Record<string, Tool.Any>>) {
  const tools = yield* Tools.Service
  yield* tools.register(record)
})

const turn = Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize())

/** What a call in a new turn returns. */
const called = Effect.fnUntraced(function* (name: string) {
  const { settle } = yield* turn
  const settlement = yield* settle(Testing.request(name, {}, { id: `new-${callsMade++}` }))
  assert(settlement._tag === "Succeeded")
  return settlement.output.structured
})

/** No id is used twice. */
let callsMade = 0

const offered = Effect.map(turn, ({ definitions }) => definitions.map(({ name }) => String(name)))

const endOf = Effect.fnUntraced(function* ({ assistantMessageID, call, sessionID }: Materialization.Request) {
  const store = yield* SettlementStore.Service
  const record = Option.getOrThrow(yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id }))
  assert(record._tag === "Ended")
  return record.ended
})

/** In a registry of its own, with memory stores. */
const inRegistry = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof Testing.layer> | Scope.Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(Testing.layer))

law("durable-identity", "the executor, the settlement and the record have exactly the ids that the runner gave", () =>
  inRegistry(
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<Tool.Context>>([])
      const tool = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Null,
        execute: (_, context) =>
          Effect.as(
            Ref.update(seen, (contexts) => [...contexts, context]),
            null
          )
      })
      yield* register({ tool })
      const { settle } = yield* turn
      const request = Testing.request("tool", {}, { id: "call-7" })
      const settlement = yield* settle(request)
      const { agent, assistantMessageID, sessionID } = request
      const context = { sessionID, agent, assistantMessageID, toolCallID: request.call.id }
      assert.deepStrictEqual(yield* Ref.get(seen), [context])
      assert.deepStrictEqual(settlement.context, context)
      const store = yield* SettlementStore.Service
      const record = Option.getOrThrow(yield* store.find(context))
      assert.deepStrictEqual(record.begun.context, context)
    })
  )
)

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0]
]

law("scoped-registration", "in whatever order Scopes close, each takes its own away and reveals what was there", () =>
  inRegistry(
    Effect.forEach(
      orders,
      Effect.fnUntraced(function* (order) {
        const scopes = yield* Effect.forEach([0, 1, 2], (index) =>
          Effect.tap(Scope.make(), (scope) => Scope.provide(register({ greet: constant(`${index}`) }), scope))
        )
        const open = new Set([0, 1, 2])
        for (const index of order) {
          assert.strictEqual(yield* called("greet"), `${Math.max(...open)}`)
          open.delete(index)
          yield* Scope.close(scopes[index] ?? (yield* Scope.make()), Exit.void)
        }
        assert.deepStrictEqual(yield* offered, [])
      }),
      { discard: true }
    )
  )
)

law(
  "captured-execution",
  "a call that is running ends as it began, though its registration was closed and replaced",
  () =>
    inRegistry(
      Effect.gen(function* () {
        const [started, go] = [yield* Deferred.make<void>(), yield* Deferred.make<string>()]
        const scope = yield* Scope.make()
        const waiting = Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(go))
        yield* Scope.provide(register({ tool: executing(waiting) }), scope)
        const { settle } = yield* turn
        const fiber = yield* Effect.forkChild(settle(Testing.request("tool", {})))
        yield* Deferred.await(started)
        yield* Scope.close(scope, Exit.void)
        yield* register({ tool: constant("another") })
        yield* Deferred.succeed(go, "as it began")
        assert.deepNestedInclude(yield* Fiber.join(fiber), { "output.structured": "as it began" })
      })
    )
)

law("stale-rejection", "a turn whose registration is gone runs neither it nor the one that has its name now", () =>
  inRegistry(
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const counting = executing(
        Effect.as(
          Ref.update(runs, (count) => count + 1),
          ""
        )
      )
      const scope = yield* Scope.make()
      yield* Scope.provide(register({ tool: counting }), scope)
      const { settle } = yield* turn
      yield* Scope.close(scope, Exit.void)
      const gone = yield* settle(Testing.request("tool", {}, { id: "1" }))
      yield* register({ tool: counting })
      const replaced = yield* settle(Testing.request("tool", {}, { id: "2" }))
      for (const settlement of [gone, replaced]) {
        assert.deepNestedInclude(settlement, { "rejection._tag": "StaleCall", effect: SideEffect.notStarted })
      }
      assert.strictEqual(yield* Ref.get(runs), 0)
      yield* (yield* turn).settle(Testing.request("tool", {}, { id: "3" }))
      assert.strictEqual(yield* Ref.get(runs), 1)
    })
  )
)

law("newest-wins", "of registrations of one name, in either placement, the last one answers", () =>
  inRegistry(
    Effect.gen(function* () {
      const application = yield* ApplicationTools.Service
      for (const text of ["first", "second", "third"]) {
        yield* register({ here: constant(text) })
        yield* application.register({ everywhere: constant(text) })
        assert.deepStrictEqual([yield* called("here"), yield* called("everywhere")], [text, text])
      }
    })
  )
)

law("location-over-application", "a Location's tool answers, however many the application registers later", () =>
  inRegistry(
    Effect.gen(function* () {
      const application = yield* ApplicationTools.Service
      yield* application.register({ greet: constant("application") })
      assert.strictEqual(yield* called("greet"), "application")
      yield* register({ greet: constant("location") })
      assert.strictEqual(yield* called("greet"), "location")
      yield* application.register({ greet: constant("application again") })
      assert.strictEqual(yield* called("greet"), "location")
    })
  )
)

law("record-captured-at-registration", "entries that are replaced, added or deleted afterwards do not matter", () =>
  inRegistry(
    Effect.gen(function* () {
      const record: Record<string, Tool.Any> = { kept: constant("before"), deleted: constant("before") }
      yield* register(record)
      record["kept"] = constant("after")
      record["added"] = constant("after")
      delete record["deleted"]
      assert.deepStrictEqual(yield* offered, ["deleted", "kept"])
      assert.deepStrictEqual([yield* called("kept"), yield* called("deleted")], ["before", "before"])
    })
  )
)

law("registration-is-atomic", "one entry that is refused, wherever it stands, keeps all others out", () =>
  inRegistry(
    Effect.gen(function* () {
      yield* register({ a: constant("before") })
      const refused = Tool.make({
        description: "",
        input: Schema.String,
        output: Schema.Null,
        execute: () => Effect.never
      })
      for (const [record, name] of [
        [{ a: constant("after"), b: constant("after"), "9": constant("") }, "9"],
        [{ a: constant("after"), b: refused, c: constant("after") }, "b"]
      ] as const) {
        assert.deepInclude(yield* Effect.flip(register(record)), { _tag: "Tool.RegistrationError", name })
      }
      assert.deepStrictEqual(yield* offered, ["a"])
      assert.strictEqual(yield* called("a"), "before")
    })
  )
)

/** Every way for an executor to end. */
const ends = {
  succeeds: Effect.succeed("done"),
  fails: Effect.fail(ToolFailure.unavailable({ message: "down" })),
  dies: Effect.die("bug"),
  interrupts: Effect.interrupt,
  waits: Effect.never
}

law("one-outcome-per-call", "each way for a call to end is recorded, and the record never changes", () =>
  inRegistry(
    Effect.gen(function* () {
      const tools = Object.entries(ends).map(([name, effect]) => [name, executing(effect)] as const)
      yield* register(Object.fromEntries(tools))
      const { settle } = yield* turn
      const requests = [...Object.keys(ends), "missing"].map((name) => Testing.request(name, {}, { id: name }))
      const fibers = yield* Effect.forEach(requests, (request) => Effect.forkChild(settle(request)))
      yield* TestClock.adjust(1)
      yield* Fiber.interruptAll(fibers)
      const first = yield* Effect.forEach(requests, endOf)
      assert.deepStrictEqual(
        first.map(({ _tag }) => _tag),
        ["Settled", "Settled", "Died", "Operational", "Interrupted", "Settled"]
      )
      yield* Effect.forEach(requests, (request) => Effect.exit(settle(request)))
      assert.deepStrictEqual(yield* Effect.forEach(requests, endOf), first)
    })
  )
)

law(
  "settled-once",
  "a hundred requests with one identity, at once and afterwards, execute once and get one settlement",
  () =>
    inRegistry(
      Effect.gen(function* () {
        const runs = yield* Ref.make(0)
        const go = yield* Deferred.make<string>()
        yield* register({
          tool: executing(
            Effect.andThen(
              Ref.update(runs, (count) => count + 1),
              Deferred.await(go)
            )
          )
        })
        const { settle } = yield* turn
        const together = Array.from({ length: 100 }, () => settle(Testing.request("tool", {})))
        const fibers = yield* Effect.forEach(together, (settling) =>
          Effect.forkChild(settling, { startImmediately: true })
        )
        yield* Deferred.succeed(go, "done")
        const settlements = yield* Effect.forEach(fibers, Fiber.join)
        const later = yield* (yield* turn).settle(Testing.request("tool", {}))
        assert.strictEqual(new Set([...settlements, later]).size, 1)
        assert.strictEqual(yield* Ref.get(runs), 1)
      })
    )
)

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** Looking keeps a value until the event loop has gone round, so nobody looks before the last round. */
const isAlive = (reference: WeakRef<object>) =>
  Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
    Effect.andThen(Effect.sync(collectGarbage)),
    Effect.repeat({ times: 5 }),
    Effect.map(() => reference.deref() !== undefined)
  )

/** Only the executor refers to what the reference leads to. */
const registerCaptured = Effect.fnUntraced(function* () {
  const captured = { text: "captured" }
  yield* register({ tool: executing(Effect.sync(() => captured.text)) })
  return new WeakRef<object>(captured)
})

law("materialization-holds-no-handler", "an executor stays while it is registered and not because of a turn", () =>
  inRegistry(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const reference = yield* Scope.provide(registerCaptured(), scope)
      const held = yield* turn
      assert.isTrue(yield* isAlive(reference))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* isAlive(reference))
      assert.strictEqual(held.definitions.length, 1)
    })
  )
)

law("siblings-are-independent", "a call goes on while others of its turn die, fail and are interrupted", () =>
  inRegistry(
    Effect.gen(function* () {
      const go = yield* Deferred.make<string>()
      const tools = Object.entries(ends).map(([name, effect]) => [name, executing(effect)] as const)
      yield* register({ ...Object.fromEntries(tools), sibling: executing(Deferred.await(go)) })
      const { settle } = yield* turn
      const start = (name: string) =>
        Effect.forkChild(settle(Testing.request(name, {}, { id: name })), { startImmediately: true })
      const sibling = yield* start("sibling")
      const others = yield* Effect.forEach(Object.keys(ends), start)
      yield* Fiber.interruptAll(others)
      assert.isUndefined(sibling.pollUnsafe())
      yield* Deferred.succeed(go, "done")
      assert.deepNestedInclude(yield* Fiber.join(sibling), { "output.structured": "done" })
    })
  )
)

law(
  "deadline-is-kept",
  "a call ends by its deadline though its executor ignores it, and whether or not it is interrupted",
  () =>
    inRegistry(
      Effect.gen(function* () {
        const go = yield* Deferred.make<string>()
        yield* register({ tool: executing(Effect.uninterruptible(Deferred.await(go))) })
        const { settle } = yield* turn
        const start = (id: string) =>
          Effect.forkChild(settle(Testing.request("tool", {}, { id, timeoutMs: 10 })), { startImmediately: true })
        const [left, interrupted] = [yield* start("1"), yield* start("2")]
        interrupted.interruptUnsafe()
        yield* TestClock.adjust(10)
        assert.deepNestedInclude(yield* Fiber.join(left), { "failure.reason._tag": "TimedOut" })
        const exit = yield* Fiber.await(interrupted)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.isFalse(yield* Deferred.isDone(go))
        yield* Deferred.succeed(go, "too late")
      })
    )
)
