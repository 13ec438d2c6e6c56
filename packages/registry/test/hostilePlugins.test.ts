import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import { Plugin, type PluginFailure, PromisePlugin } from "@haft/plugin-api"
import { PluginHost } from "@haft/registry"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Plugins from "./support/plugins.ts"
import { install, materialize, names, registering, returning, settle, stateOf } from "./support/plugins.ts"

type Loading = Effect.Effect<Plugin.Plugin, PluginFailure.PluginFailure>

interface Hostile {
  readonly load: Loading
  readonly reason: PluginFailure.Reason
  /** Of the sentence that people read. */
  readonly says: string
}

const made = (id: string, effect: Effect.Effect<unknown, unknown, Plugin.Handed<[]>>): Loading =>
  Effect.succeed(Plugin.make({ id, install: effect }))

const bad = registering({ innocent: returning("") })

/** What the types would not let through. */
const untyped = <A>(value: unknown): A => value as A

const set: Readonly<Record<string, Hostile>> = {
  "throws while it is loaded": {
    load: Effect.sync(() => {
      throw new Error("at the top of its file")
    }),
    reason: "Died",
    says: "at the top of its file"
  },
  "never loads": { load: Effect.never, reason: "TimedOut", says: "within 10s" },
  "never resolves in install": {
    load: made("hangs", Effect.andThen(bad, Effect.never)),
    reason: "TimedOut",
    says: "within 10s"
  },
  "never resolves and cannot be interrupted": {
    load: made("stubborn", Effect.uninterruptible(Effect.andThen(bad, Effect.never))),
    reason: "TimedOut",
    says: "within 10s"
  },
  "never settles its promise": {
    load: Effect.succeed(PromisePlugin.make({ id: "promise", install: () => new Promise(() => {}) })),
    reason: "TimedOut",
    says: "within 10s"
  },
  "registers a bad name": {
    load: made("names", Effect.andThen(bad, registering({ "rm -rf /": returning("") }))),
    reason: "BadRegistration",
    says: `"rm -rf /"`
  },
  "registers something that is no tool": {
    load: made(
      "fake",
      Effect.suspend(() => registering({ fake: untyped({}) }))
    ),
    reason: "BadRegistration",
    says: `"fake"`
  },
  "registers and dies": {
    load: made("dies", Effect.andThen(bad, Effect.die(new TypeError("x is not a function")))),
    reason: "Died",
    says: "TypeError: x is not a function"
  },
  "registers and fails with something odd": {
    load: made("odd", Effect.andThen(bad, Effect.fail(Object.create(null)))),
    reason: "Failed",
    says: "odd failed"
  },
  "registers and interrupts itself": {
    load: made("interrupts", Effect.andThen(bad, Effect.interrupt)),
    reason: "Died",
    says: "ended in a bug"
  },
  "is no plugin": {
    load: Effect.sync(() => untyped({ id: "x", install: Effect.void })),
    reason: "NotAPlugin",
    says: "Plugin.make"
  },
  "takes the id of another": { load: made("sibling", Effect.void), reason: "DuplicateID", says: "sibling.ts" }
}

const sibling = Plugin.make({ id: "sibling", install: registering({ sibling: returning("still here") }) })

describe("a plugin among others that", () => {
  it.effect.each(Object.entries(set))(
    "%s fails alone, with its reason, and leaves nothing",
    ([source, { load, reason, says }]) =>
      Effect.gen(function* () {
        const host = yield* PluginHost.Service
        yield* install("sibling.ts", sibling)
        const turn = yield* materialize
        const installing = yield* Effect.forkChild(host.install(source, load), { startImmediately: true })
        assert.deepNestedInclude(yield* settle(turn, "sibling"), {
          _tag: "Succeeded",
          "output.structured": "still here"
        })
        yield* TestClock.adjust("10 seconds")
        const { status } = yield* Fiber.join(installing)
        assert(status._tag === "Failed")
        assert.strictEqual(status.failure.reason, reason)
        assert.include(status.failure.message, says)
        // Its turn is as it was, so not even for a moment was anything else offered.
        assert.deepNestedInclude(yield* settle(turn, "sibling"), { _tag: "Succeeded" })
        assert.deepStrictEqual(yield* names, ["sibling"])
        assert.strictEqual((yield* stateOf("sibling.ts"))?.status._tag, "Active")
      }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("registers long after it was given up has registered nothing", () =>
    Effect.gen(function* () {
      const [go, tried] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const late = Plugin.make({
        id: "late",
        install: Effect.uninterruptible(
          Deferred.await(go).pipe(Effect.andThen(bad), Effect.andThen(Deferred.succeed(tried, undefined)))
        )
      })
      const installing = yield* Effect.forkChild(install("late.ts", late), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(installing)).status._tag, "Failed")
      yield* Deferred.succeed(go, undefined)
      yield* Deferred.await(tried)
      assert.deepStrictEqual(yield* names, [])
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("reloads in a loop has one version in the end, and no call of the others is lost", () =>
    Effect.gen(function* () {
      const reloads = 99
      yield* install("sibling.ts", sibling)
      const looping = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: reloads }), (_, index) =>
          install(
            "loop.ts",
            Plugin.make({
              id: "loop",
              version: `${index}`,
              install: index % 3 === 0 ? Effect.die("every third") : registering({ loop: returning(`${index}`) })
            })
          )
        )
      )
      const turn = yield* materialize
      for (let count = 0; count < reloads; count++) {
        assert.deepNestedInclude(yield* settle(turn, "sibling"), { _tag: "Succeeded" })
        yield* Effect.yieldNow
      }
      yield* Fiber.join(looping)
      assert.deepStrictEqual(yield* names, ["loop", "sibling"])
      assert.deepNestedInclude(yield* stateOf("loop.ts"), {
        "status._tag": "Active",
        "status.manifest.version": "98",
        leaks: []
      })
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("leaks a fiber and a registration loses the registration, and the fiber is told", () =>
    Effect.gen(function* () {
      const elsewhere = yield* Scope.make()
      const leaking = Plugin.make({
        id: "leak",
        install: Effect.gen(function* () {
          yield* Effect.forkDetach(Effect.forever(Effect.sleep("1 second")))
          yield* Scope.provide(registering({ leaked: returning("") }), elsewhere)
        })
      })
      yield* install("leak.ts", leaking)
      yield* install("leak.ts", Plugin.make({ id: "leak", install: Effect.void }))
      yield* Plugins.until("leak.ts", ({ leaks }) => leaks.length > 0)
      assert.deepStrictEqual(yield* names, [])
      assert.include((yield* stateOf("leak.ts"))?.leaks[0], "1 of its fibers run on")
      yield* Scope.close(elsewhere, Exit.void)
    }).pipe(Effect.provide(Plugins.layer()))
  )

  it.effect("has a tool that dies is there all the same", () =>
    Effect.gen(function* () {
      const dying = Tool.fromJsonSchema({
        description: "Die",
        inputSchema: { type: "object" },
        execute: () => Effect.die("bug")
      })
      yield* install("dying.ts", Plugin.make({ id: "dying", install: registering({ dying, well: returning("well") }) }))
      const turn = yield* materialize
      assert.isTrue(Exit.isFailure(yield* Effect.exit(settle(turn, "dying"))))
      assert.deepNestedInclude(yield* settle(turn, "well"), { _tag: "Succeeded" })
    }).pipe(Effect.provide(Plugins.layer()))
  )
})

describe("plugins that do all of this at once", () => {
  it.effect("leave the host and the good ones working, each with its own reason", () =>
    Effect.gen(function* () {
      const host = yield* PluginHost.Service
      yield* install("sibling.ts", sibling)
      const installing = yield* Effect.forEach(Object.entries(set), ([source, { load }]) =>
        Effect.forkChild(host.install(source, load), { startImmediately: true })
      )
      yield* install("another.ts", Plugin.make({ id: "another", install: registering({ another: returning("too") }) }))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.joinAll(installing)
      const states = yield* host.states
      const reasons = states.flatMap(({ source, status }) =>
        status._tag === "Failed" ? [[source, status.failure.reason]] : []
      )
      assert.deepStrictEqual(
        Object.fromEntries(reasons),
        Object.fromEntries(Object.entries(set).map(([source, { reason }]) => [source, reason]))
      )
      assert.deepStrictEqual(yield* names, ["another", "sibling"])
    }).pipe(Effect.provide(Plugins.layer()))
  )
})
