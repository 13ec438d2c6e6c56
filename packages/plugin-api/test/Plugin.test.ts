import { assert, describe, it } from "@effect/vitest"
import { Tool, Tools } from "@haft/core"
import { Capability, Fetch, Files, Installation, Plugin, Secrets } from "@haft/plugin-api"
import * as Testing from "@haft/plugin-api/testing"
import { Context, Effect, Exit, Option, Redacted, Ref, Result, Schema, Scope } from "effect"

const constant = (text: string) =>
  Tool.make({ description: text, input: Schema.Struct({}), output: Schema.String, execute: () => Effect.succeed(text) })

const registering = (record: Readonly<Record<string, Tool.Any>>) =>
  Effect.flatMap(Tools.Service, (tools) => tools.register(record))

/** A host's files, in memory. */
const makeFiles = Effect.map(Ref.make(new Map<string, Uint8Array>()), (files): Files.Interface => ({
  read: Effect.fnUntraced(function* (path) {
    const content = (yield* Ref.get(files)).get(path)
    return content ?? (yield* new Files.FileError({ path, message: "There is no such file" }))
  }),
  list: () => Effect.map(Ref.get(files), (all) => [...all.keys()].toSorted()),
  write: (path, content) => Ref.update(files, (all) => new Map(all).set(path, content))
}))

const secrets: Secrets.Interface = {
  get: (name) =>
    name === "token" ? Effect.succeed(Redacted.make("t0ken")) : Effect.fail(new Secrets.MissingError({ name }))
}

describe("a plugin", () => {
  it.effect("registers tools for as long as its Scope is open", () =>
    Effect.gen(function* () {
      const kit = yield* Testing.install(
        Plugin.make({ id: "greeter", version: "1.2.3", install: registering({ greet: constant("hello") }) })
      )
      assert.deepStrictEqual(kit.manifest, { id: Plugin.ID.make("greeter"), version: "1.2.3", capabilities: [] })
      assert.strictEqual((yield* kit.call("greet", {})).returned, "hello")
      assert.deepStrictEqual(yield* kit.close, Testing.nothing)
    })
  )

  it.effect("gets the capabilities that it declares, and its tools use them", () =>
    Effect.gen(function* () {
      const plugin = Plugin.make({
        id: "notes",
        capabilities: [Files.Service, Secrets.Service],
        install: Effect.gen(function* () {
          const files = yield* Files.Service
          const token = yield* (yield* Secrets.Service).get("token")
          yield* files.write("opened", new TextEncoder().encode(Redacted.value(token)))
        })
      })
      const files = yield* makeFiles
      const kit = yield* Testing.install(
        plugin,
        Capability.grant(Files.Service, files),
        Capability.grant(Secrets.Service, secrets)
      )
      assert.deepStrictEqual(kit.manifest.capabilities, ["files", "secrets"])
      assert.deepStrictEqual(yield* files.read("opened"), new TextEncoder().encode("t0ken"))
    })
  )

  it.effect("that is not granted what it declares is not installed, and all that is missing is named", () =>
    Effect.gen(function* () {
      const ran = yield* Ref.make(false)
      const plugin = Plugin.make({
        id: "greedy",
        capabilities: [Fetch.Service, Files.Service, Secrets.Service],
        install: Ref.set(ran, true)
      })
      const failure = yield* Effect.flip(Testing.install(plugin, Capability.grant(Secrets.Service, secrets)))
      assert.strictEqual(failure.reason, "NotGranted")
      assert.include(failure.message, "greedy asks for fetch, files")
      assert.isFalse(yield* Ref.get(ran))
    })
  )

  it.effect("cannot reach what is around its host, however it asks, and still has the host's clock", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<boolean>>([])
      class Inside extends Context.Service<Inside, string>()("test/Inside") {}
      const look = Effect.all([Effect.serviceOption(Inside), Effect.serviceOption(Secrets.Service)]).pipe(
        Effect.flatMap((found) =>
          Ref.set(
            seen,
            found.map(({ _tag }) => _tag === "Some")
          )
        )
      )
      yield* Testing.install(
        Plugin.make({ id: "curious", install: look }),
        Capability.grant(Secrets.Service, secrets)
      ).pipe(Effect.provideService(Inside, "the host's own"))
      assert.deepStrictEqual(yield* Ref.get(seen), [false, false])
      yield* Effect.provideService(look, Inside, "the host's own")
      assert.deepStrictEqual(yield* Ref.get(seen), [true, false])
      const times = yield* Ref.make<ReadonlyArray<number>>([])
      const now = Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* Testing.install(
        Plugin.make({ id: "timed", install: Effect.flatMap(now, (time) => Ref.set(times, [time])) })
      )
      assert.deepStrictEqual(yield* Ref.get(times), [yield* now])
    })
  )

  it.effect("loses its tools with its own Scope, also those it registered in another one", () =>
    Effect.gen(function* () {
      const elsewhere = yield* Scope.make()
      const kit = yield* Testing.install(
        Plugin.make({
          id: "hoarder",
          install: Effect.gen(function* () {
            yield* Scope.provide(registering({ kept: constant("") }), elsewhere)
            yield* Scope.provide(registering({ dropped: constant("") }), yield* Scope.make())
            yield* Effect.scoped(registering({ brief: constant("") }))
          })
        })
      )
      assert.deepStrictEqual(
        (yield* kit.definitions).map(({ name }) => String(name)),
        ["dropped", "kept"]
      )
      yield* Scope.close(elsewhere, Exit.void)
      assert.deepStrictEqual(
        (yield* kit.definitions).map(({ name }) => String(name)),
        ["dropped"]
      )
      assert.deepStrictEqual(yield* kit.close, Testing.nothing)
    })
  )

  it.effect("cannot register any more once it is closed", () =>
    Effect.gen(function* () {
      const kept = yield* Ref.make<Option.Option<Tools.Interface>>(Option.none())
      const kit = yield* Testing.install(
        Plugin.make({
          id: "late",
          install: Effect.flatMap(Tools.Service, (tools) => Ref.set(kept, Option.some(tools)))
        })
      )
      yield* kit.close
      const tools = Option.getOrThrow(yield* Ref.get(kept))
      yield* tools.register({ late: constant("") })
      assert.deepStrictEqual(yield* kit.definitions, [])
    })
  )

  it.effect("that leaves a fiber running is told from one that does not", () =>
    Effect.gen(function* () {
      const leaking = yield* Testing.install(Plugin.make({ id: "leak", install: Effect.forkDetach(Effect.never) }))
      assert.deepStrictEqual(yield* leaking.close, { tools: [], fibers: 1 })
      const tidy = yield* Testing.install(Plugin.make({ id: "tidy", install: Effect.forkScoped(Effect.never) }))
      assert.deepStrictEqual(yield* tidy.close, Testing.nothing)
    })
  )
})

describe("a plugin that cannot be installed", () => {
  it.effect("because a tool of it is bad, has registered nothing and names the tool", () =>
    Effect.gen(function* () {
      const plugin = Plugin.make({ id: "bad", install: registering({ good: constant(""), "1st": constant("") }) })
      const failure = yield* Effect.flip(Testing.install(plugin))
      assert.strictEqual(failure.reason, "BadRegistration")
      assert.include(failure.message, `The plugin bad registers the tool "1st" wrongly`)
    })
  )

  it.effect("because it fails, releases what it had and says why", () =>
    Effect.gen(function* () {
      const released = yield* Ref.make(false)
      const plugin = Plugin.make({
        id: "broken",
        install: Effect.andThen(
          Effect.addFinalizer(() => Ref.set(released, true)),
          Effect.fail(new Error("no database"))
        )
      })
      const failure = yield* Effect.flip(Testing.install(plugin))
      assert.deepStrictEqual(
        [failure.reason, failure.message],
        ["Failed", "Installing the plugin broken failed: no database"]
      )
      assert.isTrue(yield* Ref.get(released))
    })
  )

  const reasonOf = (value: unknown) =>
    Result.match(Installation.manifestOf(value), { onFailure: ({ reason }) => reason, onSuccess: () => "a plugin" })

  it("because it is none, is told from one", () => {
    const plugin = Plugin.make({ id: "fine", install: Effect.void })
    assert.strictEqual(reasonOf(plugin), "a plugin")
    for (const value of [undefined, null, "x", {}, { id: "x", install: Effect.void }, { ...plugin }]) {
      assert.strictEqual(reasonOf(value), "NotAPlugin")
    }
  })

  it("because its options make no sense, is made all the same and says so", () => {
    const id = (text: string) => Plugin.make({ id: text, install: Effect.void })
    for (const text of ["", " ", "-a", "a b", "x".repeat(215)]) assert.strictEqual(reasonOf(id(text)), "InvalidOptions")
    for (const text of ["a", "@scope/name", "a.b_c-1"]) assert.strictEqual(reasonOf(id(text)), "a plugin")
    const untyped = (options: object): Plugin.Plugin => Reflect.apply(Plugin.make, undefined, [options])
    const wrong = [
      {},
      { id: "x" },
      { id: "x", install: async () => {} },
      { id: "x", install: Effect.void, capabilities: ["fetch"] },
      { id: "x", install: Effect.void, version: "" }
    ]
    for (const options of wrong) assert.strictEqual(reasonOf(untyped(options)), "InvalidOptions")
  })
})

describe("capabilities", () => {
  it("of one name are one, and other services are none", () => {
    class Mine extends Capability.Service<Mine, number>()("clipboard") {}
    class Theirs extends Capability.Service<Theirs, number>()("clipboard") {}
    class Other extends Context.Service<Other, number>()("test/Other") {}
    assert.strictEqual(Capability.nameOf(Mine), "clipboard")
    assert.strictEqual(Mine.key, Theirs.key)
    assert.isTrue(Capability.isCapability(Mine))
    assert.isFalse(Capability.isCapability(Other))
    assert.isFalse(Capability.isCapability("clipboard"))
  })
})
