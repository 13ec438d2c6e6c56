import { assert, describe, it } from "@effect/vitest"
import { type Progress, ToolFailure } from "@haft/core"
import { Capability, Fetch, type Plugin, PluginFailure, PromisePlugin, Secrets } from "@haft/plugin-api"
import * as Testing from "@haft/plugin-api/testing"
import { Cause, Deferred, Effect, Exit, Fiber, Redacted } from "effect"
import { z } from "zod"

const fakeFetch: Fetch.Interface = async (input) => new Response(`fetched ${String(input)}`)

const secrets: Secrets.Interface = {
  get: (name) =>
    name === "token" ? Effect.succeed(Redacted.make("t0ken")) : Effect.fail(new Secrets.MissingError({ name }))
}

const calculator = PromisePlugin.make({
  id: "calculator",
  install: ({ register }) =>
    register({
      add: {
        description: "Add two numbers",
        input: z.object({ a: z.number(), b: z.number().default(1) }),
        execute: async ({ a, b }) => a + b
      },
      echo: {
        description: "Echo",
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        execute: async ({ text }) => ({ text: text ?? null })
      }
    })
})

describe("a plugin that is written with promises", () => {
  it("has tools made of zod and of JSON Schema", async () => {
    const kit = await Testing.start(calculator)
    assert.deepStrictEqual(kit.names(), ["add", "echo"])
    assert.strictEqual(await kit.call("add", { a: 2 }), 3)
    assert.deepStrictEqual(await kit.call("echo", { text: "hi" }), { text: "hi" })
    assert.deepStrictEqual(await kit.close(), Testing.nothing)
  })

  it.effect("shows a model the schemas, and holds arguments to them", () =>
    Effect.gen(function* () {
      const kit = yield* Testing.install(calculator)
      const [add] = yield* kit.definitions
      assert.deepNestedInclude(add, { "inputSchema.type": "object", "inputSchema.properties.a.type": "number" })
      const refused = yield* Effect.flip(kit.call("add", { a: "x" }))
      assert.strictEqual(refused._tag, "InvalidInput")
    })
  )

  it("is handed capabilities by name, with promises for effects", async () => {
    const plugin = PromisePlugin.make({
      id: "weather",
      capabilities: [Fetch.Service, Secrets.Service],
      install: async ({ capabilities: { fetch, secrets }, register }) => {
        const token = Redacted.value(await secrets.get("token"))
        await register({
          forecast: {
            description: "Forecast",
            input: z.object({ city: z.string() }),
            execute: async ({ city }) => (await fetch(`https://example.org/${city}?${token}`)).text()
          },
          missing: {
            description: "Ask for a secret that is not there",
            input: z.object({}),
            execute: async () => void (await secrets.get("other"))
          }
        })
      }
    })
    const grants = [Capability.grant(Fetch.Service, fakeFetch), Capability.grant(Secrets.Service, secrets)]
    const kit = await Testing.start(plugin, ...grants)
    assert.strictEqual(await kit.call("forecast", { city: "oslo" }), "fetched https://example.org/oslo?t0ken")
    const error = await kit.call("missing", {}).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, Secrets.MissingError)
    await kit.close()
  })

  it("cleans up in reverse order when it goes, after its signal was aborted", async () => {
    const events: Array<string> = []
    const plugin = PromisePlugin.make({
      id: "tidy",
      install: ({ onClose, signal }) => {
        onClose(async () => void events.push("first"))
        onClose(() => void events.push(`second ${signal.aborted}`))
      }
    })
    const kit = await Testing.start(plugin)
    assert.deepStrictEqual(events, [])
    await kit.close()
    assert.deepStrictEqual(events, ["second true", "first"])
  })

  it("that wants to clean up after it is closed does so at once, and what that throws harms nobody", async () => {
    let late: ((cleanup: () => void) => void) | undefined
    const plugin = PromisePlugin.make({ id: "late", install: ({ onClose }) => void (late = onClose) })
    const kit = await Testing.start(plugin)
    await kit.close()
    const cleaned = new Promise<void>((resolve) => {
      late?.(() => {
        resolve()
        throw new Error("too late")
      })
    })
    await cleaned
    assert.deepStrictEqual(kit.names(), [])
  })

  const failureOf = async (install: () => Promise<void> | void) => {
    const failure = await Testing.start(PromisePlugin.make({ id: "bad", install })).catch((thrown: unknown) => thrown)
    assert(failure instanceof PluginFailure.PluginFailure)
    return [failure.reason, failure.message]
  }

  it("that throws or rejects is not installed, and says why", async () => {
    const expected = ["Failed", "Installing the plugin bad failed: no database"]
    const error = new Error("no database")
    assert.deepStrictEqual(await failureOf(() => Promise.reject(error)), expected)
    assert.deepStrictEqual(
      await failureOf(() => {
        throw error
      }),
      expected
    )
  })

  it("that does not wait for a registration which fails is not installed either", async () => {
    const plugin = PromisePlugin.make({
      id: "careless",
      install: async ({ register }) => {
        void register({ "not a name": { description: "", input: { type: "object" }, execute: () => {} } })
      }
    })
    const failure = await Testing.start(plugin).catch((thrown: unknown) => thrown)
    assert(failure instanceof PluginFailure.PluginFailure)
    assert.strictEqual(failure.reason, "BadRegistration")
  })

  it("without a function to install is refused", async () => {
    const untyped = (options: object): Plugin.Plugin => Reflect.apply(PromisePlugin.make, undefined, [options])
    const failure = await Testing.start(untyped({ id: "x" })).catch((thrown: unknown) => thrown)
    assert(failure instanceof PluginFailure.PluginFailure)
    assert.strictEqual(failure.reason, "InvalidOptions")
  })
})

describe("a tool that is written with promises", () => {
  const executing = (execute: PromiseTool["execute"]) =>
    Testing.install(
      PromisePlugin.make({
        id: "test",
        install: ({ register }) => register({ tool: { description: "", input: z.object({}), execute } })
      })
    )
  type PromiseTool = Parameters<PromisePlugin.Setup<[]>["register"]>[0][string]

  it.effect("fails with the failure that it throws, and dies of anything else", () =>
    Effect.gen(function* () {
      const failure = ToolFailure.notFound({ message: "No such city", candidates: ["Oslo"] })
      const failing = yield* executing(() => Promise.reject(failure))
      assert.strictEqual(yield* Effect.flip(failing.call("tool", {})), failure)
      const throwing = yield* executing(() => {
        throw failure
      })
      assert.strictEqual(yield* Effect.flip(throwing.call("tool", {})), failure)
      const buggy = yield* executing(() => Promise.reject(new Error("bug")))
      const exit = yield* Effect.exit(buggy.call("tool", {}))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it("of options that make no sense is refused with the reason, and never throws", async () => {
    const wrong: Readonly<Record<string, unknown>> = {
      nothing: null,
      text: "execute",
      lazy: { description: "", input: { type: "object" } },
      list: { description: "", input: { type: "array" }, execute: () => {} },
      mute: { input: z.object({}), execute: () => {} }
    }
    const reasons = await Promise.all(
      Object.entries(wrong).map(async ([name, options]) => {
        const plugin = PromisePlugin.make({
          id: "bad",
          install: ({ register }) => Reflect.apply(register, undefined, [{ [name]: options }])
        })
        const failure = await Testing.start(plugin).catch((thrown: unknown) => thrown)
        assert(failure instanceof PluginFailure.PluginFailure)
        return [name, failure.reason, failure.message.includes(`"${name}"`)] as const
      })
    )
    assert.deepStrictEqual(
      reasons,
      Object.keys(wrong).map((name) => [name, "BadRegistration", true] as const)
    )
  })

  it.effect("that returns nothing gives null", () =>
    Effect.gen(function* () {
      const kit = yield* executing(async () => {})
      assert.strictEqual((yield* kit.call("tool", {})).output.structured, null)
    })
  )

  it.effect("is told by its signal that it was interrupted", () =>
    Effect.gen(function* () {
      const [entered, aborted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const kit = yield* executing((_, { signal }) => {
        signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
        Deferred.doneUnsafe(entered, Effect.void)
        return new Promise(() => {})
      })
      const fiber = yield* Effect.forkChild(kit.call("tool", {}))
      yield* Deferred.await(entered)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(aborted)
    })
  )

  it.effect("reports progress, and knows who calls", () =>
    Effect.gen(function* () {
      const kit = yield* executing(async (_, { context, progress }) => {
        progress({ completed: 1, total: 2 })
        progress({ message: "done" })
        return context.sessionID
      })
      const observed = yield* kit.observe("tool", {})
      const expected: ReadonlyArray<Progress.Update> = [{ completed: 1, total: 2 }, { message: "done" }]
      assert.deepStrictEqual(observed.progress, expected)
      assert(Exit.isSuccess(observed.exit))
      assert.strictEqual(observed.exit.value.returned, "session")
    })
  )
})
