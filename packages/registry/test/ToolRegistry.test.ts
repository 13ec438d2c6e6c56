import { assert, describe, it } from "@effect/vitest"
import { SettlementStore, Tool, Tools } from "@haft/core"
import { ApplicationTools, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Option, Queue, Ref, Schema, Scope, Stream } from "effect"

const NoInput = Schema.Struct({})

const constant = (text: string) =>
  Tool.make({ description: text, input: NoInput, output: Schema.String, execute: () => Effect.succeed(text) })

const executing = (effect: Effect.Effect<string>) =>
  Tool.make({ description: "Test", input: NoInput, output: Schema.String, execute: () => effect })

/** What the model would read of a call in a new turn. */
const called = Effect.fnUntraced(function* (name: string, id: string) {
  const registry = yield* ToolRegistry.Service
  const turn = yield* registry.materialize()
  const settlement = yield* turn.settle(Testing.request(name, {}, { id }))
  if (settlement._tag === "Succeeded") return settlement.output.structured
  return settlement._tag === "Rejected" ? settlement.rejection._tag : settlement._tag
})

const names = Effect.gen(function* () {
  const registry = yield* ToolRegistry.Service
  return (yield* registry.materialize()).definitions.map(({ name }) => String(name))
})

describe("registration", () => {
  it.effect("the newest of a name wins, and closing it reveals the one before", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const scope = yield* Scope.make()
      yield* tools.register({ greet: constant("first") })
      yield* tools.register({ greet: constant("second") }).pipe(Scope.provide(scope))
      assert.strictEqual(yield* called("greet", "1"), "second")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* called("greet", "2"), "first")
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("closing an older registration leaves the newer one", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const scope = yield* Scope.make()
      yield* tools.register({ greet: constant("old") }).pipe(Scope.provide(scope))
      yield* tools.register({ greet: constant("new") })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* called("greet", "1"), "new")
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("a Location's tool beats the application's, whichever came first", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const application = yield* ApplicationTools.Service
      const scope = yield* Scope.make()
      yield* tools.register({ greet: constant("location") }).pipe(Scope.provide(scope))
      yield* application.register({ greet: constant("application"), other: constant("application") })
      assert.strictEqual(yield* called("greet", "1"), "location")
      assert.strictEqual(yield* called("other", "2"), "application")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* called("greet", "3"), "application")
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("one bad entry registers none of the record, and says which", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const error = yield* Effect.flip(tools.register({ good: constant("a"), "9bad": constant("b") }))
      assert.deepInclude(error, { name: "9bad", reason: "InvalidName" })
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("a record that changes afterwards changes nothing", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const record: Record<string, Tool.Any> = { greet: constant("before") }
      yield* tools.register(record)
      record["greet"] = constant("after")
      record["more"] = constant("more")
      assert.strictEqual(yield* called("greet", "1"), "before")
      assert.deepStrictEqual(yield* names, ["greet"])
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("registering into a closed Scope leaves nothing", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      const scope = yield* Scope.make()
      yield* Scope.close(scope, Exit.void)
      yield* tools.register({ greet: constant("late") }).pipe(Scope.provide(scope))
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("two registries never share tools", () =>
    Effect.gen(function* () {
      const other = yield* Effect.provide(names, Testing.layer, { local: true })
      const tools = yield* Tools.Service
      yield* tools.register({ greet: constant("here") })
      assert.deepStrictEqual([yield* names, other], [["greet"], []])
    }).pipe(Effect.provide(Testing.layer))
  )
})

describe("the change feed", () => {
  it.effect("names what changed for this Location, and nothing that is hidden below its own tools", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const [tools, application] = [yield* Tools.Service, yield* ApplicationTools.Service]
      const seen = yield* Queue.unbounded<ReadonlyArray<string>>()
      const listening = Stream.runForEach(registry.changes, (changed) => Queue.offer(seen, changed))
      yield* Effect.forkScoped(listening, { startImmediately: true })
      const scope = yield* Scope.make()
      yield* application.register({ a: constant("1"), b: constant("1") })
      assert.deepStrictEqual(yield* Queue.take(seen), ["a", "b"])
      yield* tools.register({ a: constant("2") }).pipe(Scope.provide(scope))
      assert.deepStrictEqual(yield* Queue.take(seen), ["a"])
      yield* application.register({ a: constant("3") })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Queue.take(seen), ["a"])
      assert.deepStrictEqual(yield* Queue.poll(seen), Option.none())
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a turn", () => {
  it.effect("has its definitions sorted, and the same objects as long as nothing changes", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const tools = yield* Tools.Service
      yield* tools.register({ b: constant("b"), a: constant("a"), constructor: constant("c") })
      const [first, second] = [yield* registry.materialize(), yield* registry.materialize()]
      assert.deepStrictEqual(
        first.definitions.map(({ name }) => String(name)),
        ["a", "b", "constructor"]
      )
      assert.strictEqual(first.definitions, second.definitions)
      yield* tools.register({ d: constant("d") })
      const third = yield* registry.materialize()
      assert.strictEqual(third.definitions[0], first.definitions[0])
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("hides what a rule denies altogether, and a later rule brings it back", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const tools = yield* Tools.Service
      yield* tools.register({ read: constant(""), shell: constant(""), shell_job: constant("") })
      const shown = Effect.fnUntraced(function* (...rules: ReadonlyArray<readonly [string, string, "allow" | "deny"]>) {
        const turn = yield* registry.materialize({
          rules: rules.map(([action, resource, effect]) => ({ action, resource, effect }))
        })
        return turn.definitions.map(({ name }) => String(name))
      })
      assert.deepStrictEqual(yield* shown(["shell", "*", "deny"]), ["read", "shell_job"])
      assert.deepStrictEqual(yield* shown(["shell*", "*", "deny"]), ["read"])
      assert.deepStrictEqual(yield* shown(["shell", "rm *", "deny"]), ["read", "shell", "shell_job"])
      assert.deepStrictEqual(yield* shown(["*", "*", "deny"], ["read", "src/*", "allow"]), ["read"])
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("does not settle calls to what it hid", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const tools = yield* Tools.Service
      yield* tools.register({ shell: constant("ran") })
      const turn = yield* registry.materialize({ rules: [{ action: "shell", resource: "*", effect: "deny" }] })
      const settlement = yield* turn.settle(Testing.request("shell", {}))
      assert.deepNestedInclude(settlement, { _tag: "Rejected", "rejection._tag": "UnknownTool" })
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("refuses limits that nobody can mean", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      for (const options of [{ timeoutMs: 0 }, { concurrency: 0 }, { timeoutMs: Number.NaN }]) {
        const exit = yield* Effect.exit(registry.materialize(options))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    }).pipe(Effect.provide(Testing.layer))
  )
})

describe("a stale call", () => {
  const changes: ReadonlyArray<readonly [string, (scope: Scope.Closeable) => Effect.Effect<void, unknown, Services>]> =
    [
      ["the registration was removed", (scope) => Scope.close(scope, Exit.void)],
      ["another was registered over it", () => register(constant("new"))],
      ["the same value was registered again", () => register(same)],
      ["an overlay above it closed", (scope) => Scope.close(scope, Exit.void)]
    ]
  type Services = Tools.Service | ApplicationTools.Service | Scope.Scope
  const same = constant("same")
  const register = (tool: Tool.Any) => Effect.flatMap(Tools.Service, (tools) => tools.register({ greet: tool }))

  it.effect.each(changes)("is rejected and runs nothing: %s", ([title, change]) =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const scope = yield* Scope.make()
      if (title.startsWith("an overlay")) yield* register(constant("below"))
      yield* register(same).pipe(Scope.provide(scope))
      const turn = yield* registry.materialize()
      yield* change(scope)
      const settlement = yield* turn.settle(Testing.request("greet", {}))
      assert.deepNestedInclude(settlement, {
        _tag: "Rejected",
        "rejection._tag": "StaleCall",
        "effect._tag": "NotStarted"
      })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is one where a Location's tool came over the application's, or went", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const application = yield* ApplicationTools.Service
      const scope = yield* Scope.make()
      yield* application.register({ greet: constant("application") })
      const before = yield* registry.materialize()
      yield* register(constant("location")).pipe(Scope.provide(scope))
      const during = yield* registry.materialize()
      const first = yield* before.settle(Testing.request("greet", {}, { id: "1" }))
      yield* Scope.close(scope, Exit.void)
      const second = yield* during.settle(Testing.request("greet", {}, { id: "2" }))
      for (const settlement of [first, second]) {
        assert.deepNestedInclude(settlement, { "rejection._tag": "StaleCall" })
      }
      assert.deepNestedInclude(yield* before.settle(Testing.request("greet", {}, { id: "3" })), { _tag: "Succeeded" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("is not one that was resolved before the change", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const [started, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const scope = yield* Scope.make()
      const waiting = Effect.andThen(Deferred.succeed(started, undefined), Effect.as(Deferred.await(go), "old"))
      yield* register(executing(waiting)).pipe(Scope.provide(scope))
      const turn = yield* registry.materialize()
      const fiber = yield* Effect.forkChild(turn.settle(Testing.request("greet", {})))
      yield* Deferred.await(started)
      yield* Scope.close(scope, Exit.void)
      yield* register(constant("new"))
      yield* Deferred.succeed(go, undefined)
      assert.deepNestedInclude(yield* Fiber.join(fiber), { _tag: "Succeeded", "output.structured": "old" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a call that is repeated", () => {
  const counted = Effect.gen(function* () {
    const runs = yield* Ref.make(0)
    const tool = Tool.make({
      description: "Count",
      input: Schema.Struct({ by: Schema.Int }),
      output: Schema.Int,
      execute: ({ by }) => Ref.updateAndGet(runs, (count) => count + by)
    })
    const tools = yield* Tools.Service
    yield* tools.register({ count: tool })
    const registry = yield* ToolRegistry.Service
    return { runs: Ref.get(runs), turn: yield* registry.materialize() }
  })

  it.effect("gets the settlement of before, even when the tool is gone", () =>
    Effect.gen(function* () {
      const { runs, turn } = yield* counted
      const first = yield* turn.settle(Testing.request("count", { by: 1 }))
      assert.strictEqual(yield* turn.settle(Testing.request("count", { by: 1 })), first)
      assert.strictEqual(yield* runs, 1)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("with other arguments or another name is rejected as a duplicate", () =>
    Effect.gen(function* () {
      const { runs, turn } = yield* counted
      yield* turn.settle(Testing.request("count", { by: 1 }))
      for (const request of [Testing.request("count", { by: 2 }), Testing.request("other", { by: 1 })]) {
        assert.deepNestedInclude(yield* turn.settle(request), { "rejection._tag": "DuplicateCall" })
      }
      assert.strictEqual(yield* runs, 1)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("while it runs joins, and interrupting who joined does not interrupt it", () =>
    Effect.gen(function* () {
      const [started, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const runs = yield* Ref.make(0)
      const waiting = Ref.update(runs, (n) => n + 1).pipe(
        Effect.andThen(Deferred.succeed(started, undefined)),
        Effect.andThen(Deferred.await(go)),
        Effect.as("done")
      )
      const tools = yield* Tools.Service
      yield* tools.register({ wait: executing(waiting) })
      const registry = yield* ToolRegistry.Service
      const turn = yield* registry.materialize()
      const first = yield* Effect.forkChild(turn.settle(Testing.request("wait", {})))
      yield* Deferred.await(started)
      const second = yield* Effect.forkChild(turn.settle(Testing.request("wait", {})), { startImmediately: true })
      const third = yield* Effect.forkChild(turn.settle(Testing.request("wait", {})), { startImmediately: true })
      yield* Fiber.interrupt(third)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(second), yield* Fiber.join(first))
      assert.strictEqual(yield* Ref.get(runs), 1)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("after it was interrupted is an operational error, and runs again only if the host says so", () =>
    Effect.gen(function* () {
      const started = yield* Queue.unbounded<void>()
      const runs = yield* Ref.make(0)
      const once = Ref.updateAndGet(runs, (n) => n + 1).pipe(
        Effect.tap(() => Queue.offer(started, undefined)),
        Effect.flatMap((n) => (n === 1 ? Effect.never : Effect.succeed("second")))
      )
      const tools = yield* Tools.Service
      yield* tools.register({ wait: executing(once) })
      const registry = yield* ToolRegistry.Service
      const turn = yield* registry.materialize()
      const first = yield* Effect.forkChild(turn.settle(Testing.request("wait", {})))
      yield* Queue.take(started)
      yield* Fiber.interrupt(first)
      const error = yield* Effect.flip(turn.settle(Testing.request("wait", {})))
      assert.deepNestedInclude(error, {
        _tag: "Materialization.CallAlreadyEnded",
        end: "Interrupted",
        "effect._tag": "Unknown"
      })
      assert.strictEqual(yield* Ref.get(runs), 1)
      const repeated = yield* turn.settle(Testing.request("wait", {}, { repeat: true }))
      assert.deepNestedInclude(repeated, { _tag: "Succeeded", "output.structured": "second" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("what is recorded", () => {
  const endOf = Effect.gen(function* () {
    const store = yield* SettlementStore.Service
    const { assistantMessageID, call, sessionID } = Testing.request("tool", {})
    const record = Option.getOrThrow(yield* store.find({ sessionID, assistantMessageID, toolCallID: call.id }))
    assert(record._tag === "Ended")
    return record.ended
  })
  const settled = Effect.fnUntraced(function* (tool: Tool.Any) {
    const tools = yield* Tools.Service
    yield* tools.register({ tool })
    const registry = yield* ToolRegistry.Service
    const turn = yield* registry.materialize()
    return yield* Effect.exit(turn.settle(Testing.request("tool", {})))
  })

  it.effect("of a defect is that it died, and the defect passes through", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")
      assert.deepStrictEqual(yield* settled(executing(Effect.die(bug))), Exit.die(bug))
      assert.deepNestedInclude(yield* endOf, { _tag: "Died", "effect._tag": "Unknown" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a tool that interrupts itself is an operational error", () =>
    Effect.gen(function* () {
      const exit = yield* settled(executing(Effect.interrupt))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasFails(exit.cause))
      assert.deepInclude(yield* endOf, { _tag: "Operational", code: "Materialization.SelfInterrupted" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of an output that does not encode is an operational error, and no success", () =>
    Effect.gen(function* () {
      const liar = Tool.make({
        description: "",
        input: NoInput,
        output: Schema.Int,
        execute: () => Effect.succeed(0.5)
      })
      assert.isTrue(Exit.isFailure(yield* settled(liar)))
      assert.deepInclude(yield* endOf, { _tag: "Operational", code: "InvalidOutput" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("of a rejection is the rejection", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry.Service
      const turn = yield* registry.materialize()
      const settlement = yield* turn.settle(Testing.request("tool", {}))
      assert.deepStrictEqual(yield* endOf, { _tag: "Settled", settlement })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})
