import { assert, describe, it } from "@effect/vitest"
import { Materialization, Tool } from "@haft/core"
import { Plugin } from "@haft/plugin-api"
import {
  ApplicationTools,
  OutputBounds,
  OutputStores,
  PluginHost,
  SettlementStores,
  ToolRegistry
} from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Deferred, Effect, Fiber, Layer, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Plugins from "./support/plugins.ts"
import {
  greeter,
  install,
  materialize,
  names,
  registering,
  returning,
  settle,
  stateOf,
  until
} from "./support/plugins.ts"
import { endOf, executing } from "./support/tools.ts"

const soon = { startImmediately: true } as const

/** A version whose tool waits to be let go, and which notes when its Scope closes. */
const waiting = Effect.fnUntraced(function* (version: string, around: (tool: Tool.Any) => Tool.Any = (tool) => tool) {
  const events = yield* Plugins.makeEvents
  const [entered, leave] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const body = Effect.gen(function* () {
    yield* Deferred.succeed(entered, undefined)
    yield* Deferred.await(leave)
    yield* events.note("returned")
    return version
  })
  const tool = around(executing(Effect.onInterrupt(body, () => events.note("interrupted"))))
  const plugin = Plugin.make({
    id: "greeter",
    version,
    install: Effect.andThen(
      Effect.addFinalizer(() => events.note("closed")),
      registering({ greet: tool })
    )
  })
  return { plugin, entered: Deferred.await(entered), leave: Deferred.succeed(leave, undefined), events: events.all }
})

const succeeded = (text: string) => ({ _tag: "Succeeded", "output.structured": text })

describe("a plugin that is replaced while it is called", () => {
  it.effect("ends its running calls, and its Scope closes after the last of them", () =>
    Effect.gen(function* () {
      const old = yield* waiting("1")
      yield* install("a.ts", old.plugin)
      const turn = yield* materialize
      const running = yield* Effect.forkChild(settle(turn, "greet"), soon)
      yield* old.entered
      yield* install("a.ts", greeter("2"))
      assert.deepStrictEqual(yield* old.events, [])
      assert.deepNestedInclude(yield* settle(yield* materialize, "greet"), succeeded("2"))
      yield* old.leave
      assert.deepNestedInclude(yield* Fiber.join(running), succeeded("1"))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* old.events, ["returned", "closed"])
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("has no moment without its names, and a call of an older turn is stale", () =>
    Effect.gen(function* () {
      yield* install("a.ts", greeter("1"))
      const seen = yield* Ref.make<ReadonlyArray<ReadonlyArray<string>>>([])
      const look = Effect.flatMap(names, (now) => Ref.update(seen, (before) => [...before, now]))
      const turn = yield* materialize
      const next = Plugin.make({
        id: "greeter",
        install: Effect.gen(function* () {
          yield* registering({ greet: returning("2") })
          yield* Effect.addFinalizer(() => Effect.void)
        })
      })
      const watcher = yield* Effect.forkChild(Effect.forever(Effect.andThen(look, Effect.yieldNow)), soon)
      yield* install("a.ts", next)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(watcher)
      for (const now of yield* Ref.get(seen)) assert.deepStrictEqual(now, ["greet"])
      assert.deepNestedInclude(yield* settle(turn, "greet"), { _tag: "Rejected", "rejection._tag": "StaleCall" })
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("no longer offers what only the old version had, even while a call of that runs", () =>
    Effect.gen(function* () {
      const old = yield* waiting("1")
      yield* install("a.ts", old.plugin)
      const running = yield* Effect.forkChild(settle(yield* materialize, "greet"), soon)
      yield* old.entered
      yield* install("a.ts", greeter("2", "other"))
      assert.deepStrictEqual(yield* names, ["other"])
      yield* old.leave
      assert.deepNestedInclude(yield* Fiber.join(running), succeeded("1"))
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("keeps its Scope open for a call that has resolved its tool and not yet begun", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const [beginning, begin] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const old = yield* waiting("1")
      yield* install("a.ts", old.plugin)
      yield* Ref.set(probe.before, (operation) =>
        operation === "begin"
          ? Effect.andThen(Deferred.succeed(beginning, undefined), Deferred.await(begin))
          : Effect.void
      )
      const running = yield* Effect.forkChild(settle(yield* materialize, "greet"), soon)
      yield* Deferred.await(beginning)
      yield* install("a.ts", greeter("2"))
      assert.deepStrictEqual(yield* old.events, [])
      yield* Deferred.succeed(begin, undefined)
      yield* old.entered
      assert.deepStrictEqual(yield* old.events, [])
      yield* old.leave
      assert.deepNestedInclude(yield* Fiber.join(running), succeeded("1"))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* old.events, ["returned", "closed"])
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("keeps its Scope open for an executor that its deadline has left behind", () =>
    Effect.gen(function* () {
      const [entered, leave] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const events = yield* Plugins.makeEvents
      const stubborn = executing(
        Effect.uninterruptible(
          Effect.as(Effect.andThen(Deferred.succeed(entered, undefined), Deferred.await(leave)), "")
        ),
        { limits: { timeoutMs: 10 } }
      )
      const install1 = Effect.andThen(
        Effect.addFinalizer(() => events.note("closed")),
        registering({ greet: stubborn })
      )
      yield* install("a.ts", Plugin.make({ id: "greeter", install: install1 }))
      const running = yield* Effect.forkChild(settle(yield* materialize, "greet"), soon)
      yield* Deferred.await(entered)
      yield* TestClock.adjust(10)
      assert.deepNestedInclude(yield* Fiber.join(running), { _tag: "Failed", "failure.reason._tag": "TimedOut" })
      yield* install("a.ts", greeter("2"))
      assert.deepStrictEqual(yield* events.all, [])
      yield* Deferred.succeed(leave, undefined)
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* events.all, ["closed"])
    }).pipe(Effect.provide(Plugins.layer()))
  )
})

describe("a plugin whose calls do not end in the grace time", () => {
  it.effect("has them interrupted, and not those who made them, and its Scope closes then", () =>
    Effect.gen(function* () {
      const old = yield* waiting("1")
      yield* install("a.ts", old.plugin)
      const turn = yield* materialize
      const request = Testing.request("greet", {}, { id: "slow" })
      const caller = yield* Effect.forkChild(Effect.flip(turn.settle(request)), soon)
      yield* old.entered
      yield* install("a.ts", greeter("2"))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* old.events, [])
      yield* TestClock.adjust("1 second")
      assert.instanceOf(yield* Fiber.join(caller), Materialization.SelfInterrupted)
      assert.strictEqual((yield* endOf("slow"))._tag, "Operational")
      yield* until("a.ts", ({ leaks }) => leaks.length > 0)
      assert.deepStrictEqual(yield* old.events, ["interrupted", "closed"])
      const { leaks } = Option.getOrThrow(Option.fromUndefinedOr(yield* stateOf("a.ts")))
      assert.include(leaks[0], "1 of its calls were still running 1m")
    }).pipe(Effect.provide(Plugins.layer({ grace: "1 minute" })))
  )

  it.effect("interrupts a call that only then begins, before its executor does anything", () =>
    Effect.gen(function* () {
      const probe = yield* Testing.Probe
      const [beginning, begin] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const entered = yield* Ref.make(0)
      const counting = executing(
        Effect.as(
          Ref.update(entered, (count) => count + 1),
          ""
        )
      )
      yield* install("a.ts", Plugin.make({ id: "greeter", install: registering({ greet: counting }) }))
      yield* Ref.set(probe.before, (operation) =>
        operation === "begin"
          ? Effect.andThen(Deferred.succeed(beginning, undefined), Deferred.await(begin))
          : Effect.void
      )
      const running = yield* Effect.forkChild(Effect.flip(settle(yield* materialize, "greet")), soon)
      yield* Deferred.await(beginning)
      yield* install("a.ts", greeter("2"))
      yield* TestClock.adjust("1 minute")
      yield* Deferred.succeed(begin, undefined)
      assert.instanceOf(yield* Fiber.join(running), Materialization.SelfInterrupted)
      assert.strictEqual(yield* Ref.get(entered), 0)
    }).pipe(Effect.provide(Plugins.layer({ grace: "1 minute" })))
  )
})

describe("a plugin that does not clean up", () => {
  const retired = Effect.fnUntraced(function* (install1: Effect.Effect<unknown, never, Plugin.Handed<[]>>) {
    yield* install("a.ts", Plugin.make({ id: "greeter", version: "1", install: install1 }))
    yield* install("a.ts", greeter("2"))
    yield* TestClock.adjust("1 minute")
    yield* until("a.ts", ({ leaks }) => leaks.length > 0)
    assert.deepNestedInclude(yield* settle(yield* materialize, "greet"), succeeded("2"))
    return (yield* stateOf("a.ts"))?.leaks ?? []
  })

  it.effect("because a finalizer never ends, is told, and the new version works", () =>
    Effect.gen(function* () {
      const [leak] = yield* retired(Effect.addFinalizer(() => Effect.never))
      assert.include(leak, "has not closed within 5s")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("because a finalizer has a bug, is told with the bug", () =>
    Effect.gen(function* () {
      const [leak] = yield* retired(Effect.addFinalizer(() => Effect.die(new Error("already closed"))))
      assert.include(leak, "already closed")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("because a fiber of it runs on, is told how many", () =>
    Effect.gen(function* () {
      const [leak] = yield* retired(Effect.replicateEffect(Effect.forkDetach(Effect.never), 3))
      assert.include(leak, "3 of its fibers run on")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("cannot keep a host from closing", () =>
    Effect.gen(function* () {
      const events = yield* Plugins.makeEvents
      const tidy = Plugin.make({ id: "tidy", install: Effect.addFinalizer(() => events.note("closed")) })
      const old = yield* waiting("1")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const host = yield* PluginHost.Service
          yield* host.install("tidy", Effect.succeed(tidy))
          yield* host.install("a.ts", Effect.succeed(old.plugin))
          yield* Effect.forkDetach(settle(yield* materialize, "greet"), soon)
          yield* old.entered
        }).pipe(Effect.provide(PluginHost.layer(), { local: true }))
      )
      assert.deepStrictEqual(yield* events.all, ["closed"])
      assert.deepStrictEqual(yield* old.events, ["interrupted", "closed"])
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(Plugins.layer()))
  )
})

describe("reloading under load", () => {
  /** Of which about two in five are in flight together. */
  const callCount = 2_500
  const reloadCount = 50

  /** Milliseconds. A twentieth is usual. */
  const slowMachine = 120_000

  /** Without a probe, which remembers every operation of the store. */
  const Unobserved = PluginHost.layer().pipe(
    Layer.provideMerge(ToolRegistry.layer),
    Layer.provide([ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory]),
    Layer.provide(OutputStores.layerMemory()),
    Layer.fresh
  )

  /** Who ran each call, and whether it ran while its version was there. */
  interface Ran {
    readonly version: string
    readonly isOpen: boolean
  }

  it.effect(
    "loses no call, runs none on a version that its turn did not offer, and rejects the others as stale",
    () =>
      Effect.gen(function* () {
        const ran = new Map<string, ReadonlyArray<Ran>>()
        const end = yield* Deferred.make<void>()
        const flying = { now: 0, most: 0 }
        const makeVersion = (version: string) => {
          let isOpen = true
          const run = Effect.fnUntraced(function* (id: string) {
            if (!id.endsWith("0")) yield* Deferred.await(end)
            ran.set(id, [...(ran.get(id) ?? []), { version, isOpen }])
            return version
          })
          const tool = Tool.make({
            description: version,
            input: Schema.Struct({}),
            output: Schema.String,
            execute: (_, { toolCallID }) => run(toolCallID)
          })
          const close = Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)))
          return Plugin.make({ id: "greeter", version, install: Effect.andThen(close, registering({ greet: tool })) })
        }
        yield* install("a.ts", makeVersion("0"))
        const offered = new Map<string, string>()
        const begin = Effect.fnUntraced(function* (index: number) {
          const turn = yield* materialize
          const id = `${index}`
          offered.set(id, turn.definitions[0]?.description ?? "nothing")
          const work = Effect.gen(function* () {
            flying.most = Math.max(flying.most, ++flying.now)
            yield* Effect.repeat(Effect.yieldNow, { times: index % 5 })
            const settlement = yield* turn.settle(Testing.request("greet", {}, { id }))
            flying.now--
            return settlement
          })
          return [id, yield* Effect.forkChild(work, soon)] as const
        })
        const perReload = callCount / reloadCount
        const flights: Array<Effect.Success<ReturnType<typeof begin>>> = []
        for (let reload = 1; reload <= reloadCount; reload++) {
          for (let index = 0; index < perReload; index++) flights.push(yield* begin(reload * perReload + index))
          yield* Effect.repeat(Effect.yieldNow, { times: reload % 4 })
          yield* install("a.ts", makeVersion(`${reload}`))
        }
        yield* Deferred.succeed(end, undefined)
        let [succeededCount, staleCount] = [0, 0]
        for (const [id, fiber] of flights) {
          const settlement = yield* Fiber.join(fiber)
          if (settlement._tag === "Succeeded") {
            succeededCount++
            assert.deepStrictEqual(ran.get(id), [{ version: offered.get(id) ?? "", isOpen: true }])
            assert.strictEqual(settlement.output.structured, offered.get(id))
          } else {
            staleCount++
            assert.deepNestedInclude(settlement, { _tag: "Rejected", "rejection._tag": "StaleCall" })
            assert.isFalse(ran.has(id))
          }
        }
        assert.strictEqual(succeededCount + staleCount, callCount)
        assert.isAbove(succeededCount, callCount / 4)
        assert.isAbove(staleCount, 0)
        assert.isAtLeast(flying.most, 1_000)
        assert.notInclude([...offered.values()], "nothing")
      }).pipe(Effect.provide(Unobserved)),
    slowMachine
  )
})
