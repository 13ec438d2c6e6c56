import { assert, describe, it } from "@effect/vitest"
import { Location, Tool, ToolFailure, Tools } from "@haft/core"
import { Capability, Plugin, Secrets } from "@haft/plugin-api"
import {
  ApplicationTools,
  Locations,
  OutputBounds,
  OutputStores,
  PluginHost,
  SettlementStores,
  ToolRegistry
} from "@haft/registry"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Redacted, Ref, Stream } from "effect"
import * as Plugins from "./support/plugins.ts"
import { call, greeter, install, names, registering, returning, stateOf } from "./support/plugins.ts"

const statusOf = (source: string) => Effect.map(stateOf(source), (state) => state?.status._tag)

describe("a host of plugins", () => {
  it.effect("offers the tools of its plugins after those that were registered before it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* names, ["greet", "read"])
      assert.strictEqual(yield* call("greet"), "1")
      const host = yield* PluginHost.Service
      yield* host.remove("greeter")
      assert.strictEqual(yield* call("greet"), "built in")
    }).pipe(
      Effect.provide(
        PluginHost.layer({ plugins: [greeter("1")] }).pipe(
          Layer.provideMerge(Layer.effectDiscard(registering({ greet: returning("built in"), read: returning("") }))),
          Layer.provideMerge(Plugins.layer())
        )
      )
    )
  )

  it.effect("says how each plugin stands, in the order in which they came, and whenever that changes", () =>
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      const seen = yield* Queue.unbounded<ReadonlyArray<PluginHost.State>>()
      yield* Effect.forkChild(
        Stream.runForEach(host.changes, (states) => Queue.offer(seen, states)),
        {
          startImmediately: true
        }
      )
      const state = yield* install("a.ts", greeter("1"))
      yield* host.remove("a.ts")
      const tags = yield* Effect.replicateEffect(
        Effect.map(Queue.take(seen), (states) => states.map(({ status }) => status._tag)),
        4
      )
      assert.deepStrictEqual(tags, [[], ["Loading"], ["Active"], []])
      assert.deepNestedInclude(state, {
        source: "a.ts",
        "status.manifest.id": "greeter",
        "status.manifest.version": "1"
      })
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("grants what it decides for each plugin, and nothing by itself", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const asking = (id: string) =>
        Plugin.make({
          id,
          capabilities: [Secrets.Service],
          install: Effect.gen(function* () {
            const value = Redacted.value(yield* (yield* Secrets.Service).get("token"))
            yield* Ref.update(seen, (before) => [...before, value])
          })
        })
      yield* install("trusted", asking("trusted"))
      const refused = yield* install("other", asking("other"))
      assert.deepStrictEqual(yield* Ref.get(seen), ["token of trusted"])
      assert.deepNestedInclude(refused, { "status._tag": "Failed", "status.failure.reason": "NotGranted" })
    }).pipe(
      Effect.provide(
        Plugins.layer({
          grants: ({ id }) =>
            id === "trusted"
              ? [
                  Capability.grant(Secrets.Service, {
                    get: (name) => Effect.succeed(Redacted.make(`${name} of ${id}`))
                  })
                ]
              : []
        })
      )
    )
  )

  it.effect("that throws while it decides what to grant fails that plugin, and goes on", () =>
    Effect.gen(function* () {
      const { status } = yield* install("a.ts", greeter("1"))
      assert(status._tag === "Failed")
      assert.include(status.failure.message, "no policy")
      yield* install("b.ts", Plugin.make({ id: "other", install: registering({ other: returning("") }) }))
      assert.deepStrictEqual(yield* names, ["other"])
    }).pipe(
      Effect.provide(
        Plugins.layer({
          grants: ({ id }) => {
            if (id === "greeter") throw new Error("no policy")
            return []
          }
        })
      )
    )
  )

  it.effect("lets an id belong to one source at a time", () =>
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      yield* install("a.ts", greeter("1"))
      const second = yield* install("b.ts", greeter("2"))
      assert(second.status._tag === "Failed")
      assert.strictEqual(second.status.failure.reason, "DuplicateID")
      assert.include(second.status.failure.message, "a.ts")
      assert.strictEqual(yield* call("greet"), "1")
      yield* host.remove("a.ts")
      yield* install("b.ts", greeter("2"))
      assert.strictEqual(yield* call("greet"), "2")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("lets a source change its id, and gives the old one away", () =>
    Effect.gen(function* () {
      yield* install("a.ts", greeter("1"))
      yield* install("a.ts", Plugin.make({ id: "renamed", install: registering({ other: returning("") }) }))
      assert.deepStrictEqual(yield* names, ["other"])
      yield* install("b.ts", greeter("2"))
      assert.deepStrictEqual([yield* statusOf("a.ts"), yield* statusOf("b.ts")], ["Active", "Active"])
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("installs the versions of one source one after the other, and the last one wins", () =>
    Effect.gen(function* () {
      const versions = Array.from({ length: 20 }, (_, index) => `${index}`)
      const installing = (version: string) =>
        Plugin.make({
          id: "greeter",
          version,
          install: Effect.andThen(Effect.yieldNow, registering({ greet: returning(version) }))
        })
      yield* Effect.forEach(versions, (version) => install("a.ts", installing(version)), { concurrency: "unbounded" })
      assert.strictEqual(yield* call("greet"), "19")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("takes all of its plugins with it when it closes", () =>
    Effect.gen(function* () {
      const events = yield* Plugins.makeEvents
      const tidy = Plugin.make({
        id: "tidy",
        install: Effect.andThen(
          registering({ tidy: returning("") }),
          Effect.addFinalizer(() => events.note("closed"))
        )
      })
      const registry = yield* ToolRegistry.Service
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(PluginHost.layer({ plugins: [tidy] }))
          assert.deepStrictEqual(yield* names, ["tidy"])
        })
      )
      assert.deepStrictEqual(yield* events.all, ["closed"])
      assert.deepStrictEqual((yield* registry.materialize()).definitions, [])
    }).pipe(Effect.provide(Plugins.layer()))
  )
})

describe("a plugin whose newest version cannot be installed", () => {
  const broken = Plugin.make({
    id: "greeter",
    version: "2",
    install: Effect.andThen(registering({ greet: returning("2") }), Effect.fail(new Error("no database")))
  })

  it.effect("stays as it was, which its state says, until a version can", () =>
    Effect.gen(function* () {
      yield* install("a.ts", greeter("1"))
      const { status } = yield* install("a.ts", broken)
      assert(status._tag === "Outdated")
      assert.deepStrictEqual([status.manifest.version, status.failure.reason], ["1", "Failed"])
      assert.include(status.failure.message, "no database")
      assert.strictEqual(yield* call("greet"), "1")
      yield* install("a.ts", greeter("3"))
      assert.strictEqual(yield* statusOf("a.ts"), "Active")
      assert.strictEqual(yield* call("greet"), "3")
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("has its calls settled throughout, and nothing of the newest version is offered meanwhile", () =>
    Effect.gen(function* () {
      yield* install("a.ts", greeter("1"))
      const [registered, fail] = [yield* Deferred.make<void>(), yield* Deferred.make<void, string>()]
      const slow = Effect.gen(function* () {
        yield* registering({ greet: returning("2"), other: returning("") })
        yield* Deferred.succeed(registered, undefined)
        yield* Deferred.await(fail)
      })
      const turn = yield* Plugins.materialize
      const installing = yield* Effect.forkChild(install("a.ts", Plugin.make({ id: "greeter", install: slow })))
      yield* Deferred.await(registered)
      assert.deepStrictEqual(yield* names, ["greet"])
      const during = yield* Plugins.settle(turn, "greet")
      yield* Deferred.fail(fail, "no database")
      yield* Fiber.join(installing)
      const after = yield* Plugins.settle(turn, "greet")
      for (const settlement of [during, after]) {
        assert.deepNestedInclude(settlement, { _tag: "Succeeded", "output.structured": "1" })
      }
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("that cannot even be loaded leaves the one before, too", () =>
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      yield* install("a.ts", greeter("1"))
      const { status } = yield* host.install("a.ts", Effect.die(new SyntaxError("Unexpected token")))
      assert(status._tag === "Outdated")
      assert.include(status.failure.message, "SyntaxError: Unexpected token")
      assert.strictEqual(yield* call("greet"), "1")
    }).pipe(Effect.provide(Plugins.layer()))
  )
})

describe("plugins of a Location", () => {
  const Process = Layer.fresh(
    Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory).pipe(
      Layer.provide(OutputStores.layerMemory())
    )
  )
  const at = (path: string) => Location.Ref.make(path)

  it.effect("are installed once in each, with tools and a Scope of their own", () =>
    Effect.gen(function* () {
      const events = yield* Plugins.makeEvents
      const plugin = Plugin.make({
        id: "counted",
        install: Effect.gen(function* () {
          yield* events.note("install")
          yield* Effect.addFinalizer(() => events.note("close"))
          yield* registering({ counted: returning("plugin") })
        })
      })
      const locations = yield* Locations.make({
        layer: () =>
          PluginHost.layer({ plugins: [plugin] }).pipe(
            Layer.provide(Layer.effectDiscard(registering({ counted: returning("built in") })))
          )
      })
      const [a, b] = [yield* locations.contextEffect(at("/a")), yield* locations.contextEffect(at("/b"))]
      yield* locations.contextEffect(at("/a"))
      assert.deepStrictEqual(yield* events.all, ["install", "install"])
      assert.notStrictEqual(Context.get(a, PluginHost.Service), Context.get(b, PluginHost.Service))
      yield* Effect.provideContext(
        Effect.flatMap(PluginHost.Service, (host) => host.remove("counted")),
        a
      )
      assert.strictEqual(yield* Effect.provideContext(call("counted"), a), "built in")
      assert.strictEqual(yield* Effect.provideContext(call("counted"), b), "plugin")
      assert.deepStrictEqual(yield* events.all, ["install", "install", "close"])
    }).pipe(Effect.provide(Process))
  )
})

describe("the tools of a plugin", () => {
  it.effect("fail as any other tools do", () =>
    Effect.gen(function* () {
      const failing = Tool.fromJsonSchema({
        description: "Fail",
        inputSchema: { type: "object" },
        execute: () => Effect.fail(ToolFailure.unavailable({ message: "closed on Sundays" }))
      })
      yield* install("a.ts", Plugin.make({ id: "a", install: registering({ failing }) }))
      const settlement = yield* Plugins.settle(yield* Plugins.materialize, "failing")
      assert.deepNestedInclude(settlement, { _tag: "Failed", "failure.message": "closed on Sundays" })
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("can be registered for the whole process by a host that hands out that capability", () =>
    Effect.gen(function* () {
      const application = yield* ApplicationTools.Service
      const exit = yield* Effect.exit(
        Layer.build(PluginHost.layer({ plugins: [greeter("1")] })).pipe(
          Effect.provideService(Tools.Service, application)
        )
      )
      assert.isTrue(Exit.isSuccess(exit))
      yield* registering({ greet: returning("of the Location") })
      assert.strictEqual(yield* call("greet"), "of the Location")
    }).pipe(Effect.provide(Plugins.layer()))
  )
})
