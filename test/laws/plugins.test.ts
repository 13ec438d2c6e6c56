import { assert } from "@effect/vitest"
import { Tool, Tools } from "@haft/core"
import { Plugin } from "@haft/plugin-api"
import { PluginHost, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { law } from "./law.ts"

const executing = (description: string, effect: Effect.Effect<string>): Tool.Any =>
  Tool.make({ description, input: Schema.Struct({}), output: Schema.String, execute: () => effect })

const registering = (name: string, tool: Tool.Any) =>
  Effect.flatMap(Tools.Service, (tools) => tools.register({ [name]: tool }))

const inHost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.provideMerge(PluginHost.layer(), Testing.layer))

const materialize = Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize())

const good = registering("other", executing("", Effect.succeed("")))

/** Every way in which an install can end that is not its success, each after it has registered something. */
const failures: Readonly<Record<string, Effect.Effect<unknown, unknown, Plugin.Handed<[]>>>> = {
  fails: Effect.andThen(good, Effect.fail("no")),
  dies: Effect.andThen(good, Effect.die("bug")),
  interrupts: Effect.andThen(good, Effect.interrupt),
  hangs: Effect.andThen(good, Effect.never),
  refused: Effect.andThen(good, registering("not a name", executing("", Effect.succeed(""))))
}

law(
  "plugins-fail-alone",
  "whichever way an install ends badly, the turn before it holds and the next one is the same",
  () =>
    inHost(
      Effect.gen(function* () {
        const host = yield* PluginHost.Service
        const well = Plugin.make({ id: "well", install: registering("well", executing("", Effect.succeed("well"))) })
        yield* host.install("well", Effect.succeed(well))
        const turn = yield* materialize
        for (const [id, install] of Object.entries(failures)) {
          const installing = yield* Effect.forkChild(host.install(id, Effect.succeed(Plugin.make({ id, install }))))
          yield* TestClock.adjust(PluginHost.defaultInstallTimeout)
          assert.strictEqual((yield* Fiber.join(installing)).status._tag, "Failed", id)
          assert.strictEqual((yield* materialize).definitions, turn.definitions, id)
          assert.strictEqual((yield* turn.settle(Testing.request("well", {}, { id })))._tag, "Succeeded", id)
        }
      })
    )
)

law("replaced-without-a-gap", "every turn that is made while a plugin is replaced offers one of its versions", () =>
  inHost(
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      const slow = (version: string) =>
        Plugin.make({
          id: "plugin",
          install: Effect.andThen(
            Effect.repeat(Effect.yieldNow, { times: 3 }),
            registering("tool", executing(version, Effect.succeed(version)))
          )
        })
      yield* host.install("plugin", Effect.succeed(slow("0")))
      for (let version = 1; version <= 20; version++) {
        const installing = yield* Effect.forkChild(host.install("plugin", Effect.succeed(slow(`${version}`))))
        const seen = new Set<string>()
        while (installing.pollUnsafe() === undefined) {
          const { definitions } = yield* materialize
          assert.lengthOf(definitions, 1)
          for (const { description } of definitions) seen.add(description)
          yield* Effect.yieldNow
        }
        assert.isTrue([...seen].every((one) => one === `${version - 1}` || one === `${version}`))
      }
    })
  )
)

law("replaced-without-a-gap", "a call that runs returns what its own version returns, while that is still open", () =>
  inHost(
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      const [entered, leave] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let isOpen = true
      const body = Effect.gen(function* () {
        yield* Deferred.succeed(entered, undefined)
        yield* Deferred.await(leave)
        return `old, ${isOpen ? "open" : "closed"}`
      })
      const close = Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)))
      const old = Plugin.make({
        id: "plugin",
        install: Effect.andThen(close, registering("tool", executing("", body)))
      })
      yield* host.install("plugin", Effect.succeed(old))
      const turn = yield* materialize
      const running = yield* Effect.forkChild(turn.settle(Testing.request("tool", {})))
      yield* Deferred.await(entered)
      const next = Plugin.make({ id: "plugin", install: registering("tool", executing("", Effect.succeed("new"))) })
      yield* host.install("plugin", Effect.succeed(next))
      yield* Deferred.succeed(leave, undefined)
      const settlement = yield* Fiber.join(running)
      assert.deepNestedInclude(settlement, { _tag: "Succeeded", "output.structured": "old, open" })
    })
  )
)
