import { assert, describe, it } from "@effect/vitest"
import { ToolFailure, Tools } from "@haft/core"
import { Gateway, Manifest, Releases, Versions } from "@haft/gateway"
import { ToolRegistry } from "@haft/registry"
import * as Registry from "@haft/registry/testing"
import { Uicp, type UicpManifest } from "@haft/wire"
import { Deferred, Effect, Fiber, Layer, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { counted, type Counted, passing, request } from "./support/governing.ts"

const digest = (letter: string) => `sha256:${letter.repeat(64)}`

const manifest = (semver: string, more: Partial<UicpManifest.Manifest> = {}): UicpManifest.Manifest => ({
  tool_id: "search.web",
  semver,
  digest: digest("a"),
  owner: "@team",
  description: "Searches",
  determinism: "pure",
  limits: { timeout_ms_default: 15_000, timeout_ms_max: 60_000 },
  schema: { request: "request.json", response: "response.json" },
  ...more
})

const builds = ["1.4.2", "1.10.0", "2.0.0", "2.1.0-rc.1"].map((version) => ({ version, digest: digest("a") }))

const chosen = (range: string) =>
  Result.match(Versions.choose(builds, range), {
    onSuccess: ({ version }) => version,
    onFailure: ({ reason }) => reason
  })

describe("a version range", () => {
  it.each([
    ["1.x", "1.10.0"],
    ["^1.4.0", "1.10.0"],
    ["1.4.2", "1.4.2"],
    ["*", "2.0.0"],
    [">=2.1.0-rc.1", "2.1.0-rc.1"],
    ["2.1.0-rc.1", "2.1.0-rc.1"],
    ["3.x", "none_matches"],
    [">=2.1.0", "none_matches"],
    ["not a range", "range_invalid"]
  ])("M16: %s is %s", (range, expected) => {
    assert.strictEqual(chosen(range), expected)
  })

  it("a range that is longer than anybody writes is not read", () => {
    const alternatives = (count: number) => Array.from({ length: count }, () => "1.x").join("||")
    assert.strictEqual(chosen(alternatives(100)), "1.10.0")
    assert.strictEqual(chosen(alternatives(100_000)), "range_invalid")
  })

  it("M16: two digests of the version that would be chosen are refused, and those of others do not matter", () => {
    const other = { version: "1.10.0", digest: digest("b") }
    assert.deepNestedInclude(Versions.choose([...builds, other], "1.x"), { "failure.reason": "ambiguous" })
    assert.isTrue(Result.isSuccess(Versions.choose([...builds, other], "2.x")))
    assert.isTrue(Result.isSuccess(Versions.choose([...builds, { ...other, digest: digest("a") }], "1.x")))
  })

  it("M17: with a lock it is the locked build or none", () => {
    const locked = { version: "1.4.2", digest: digest("a") }
    assert.deepNestedInclude(Versions.choose(builds, "1.x", locked), { "success.version": "1.4.2" })
    assert.deepNestedInclude(Versions.choose(builds, "2.x", locked), { "failure.reason": "lock_mismatch" })
    const moved = { ...locked, digest: digest("b") }
    assert.deepNestedInclude(Versions.choose(builds, "1.x", moved), { "failure.reason": "lock_mismatch" })
  })
})

/** A gateway in front of releases that a test can publish. */
const releasing = <A, E>(
  tools: Readonly<Record<string, Counted>>,
  test: (
    gateway: Gateway.Interface,
    publish: (manifest: UicpManifest.Manifest, name: string) => Effect.Effect<Releases.Release>
  ) => Effect.Effect<A, E>,
  lock?: (definitions: ReadonlyArray<Manifest.Published["definition"]>) => UicpManifest.Lock
) =>
  Effect.gen(function* () {
    const registered = yield* Tools.Service
    yield* registered.register(Object.fromEntries(Object.entries(tools).map(([name, { tool }]) => [name, tool])))
    const registry = yield* ToolRegistry.Service
    const releases = yield* Ref.make<ReadonlyArray<Releases.Release>>([])
    const { definitions } = yield* registry.materialize()
    const publish = (manifest: UicpManifest.Manifest, name: string) => {
      const release = { manifest, functions: { invoke: name }, materialize: registry.materialize() }
      return Effect.as(
        Ref.update(releases, (all) => [...all, release]),
        release
      )
    }
    const options = { releases: Ref.get(releases), ...(lock === undefined ? {} : { lock: lock(definitions) }) }
    const layer = Gateway.layerMemory().pipe(Layer.provide(Releases.layer(options)))
    return yield* Effect.flatMap(Gateway.Service, (gateway) => test(gateway, publish)).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(Registry.layer))

const call = (more: Parameters<typeof request>[0] = {}) =>
  request({ toolName: "search.web", versionRange: "1.x", ...more })

const saying = (text: string) => counted({ determinism: "pure" }, () => Effect.succeed(text))

describe("releases", () => {
  it.effect("M16: the highest version in the range runs, and the outcome says which", () =>
    releasing({ old: saying("old"), new: saying("new") }, (gateway, publish) =>
      Effect.gen(function* () {
        yield* publish(manifest("1.10.0"), "new")
        yield* publish(manifest("1.4.2"), "old")
        const outcome = yield* gateway.call(call())
        assert.deepInclude(outcome.leaf, { output: "new" })
        assert.deepInclude(outcome.call, { toolId: "search.web", version: "1.10.0", digest: digest("a") })
        const none = yield* gateway.call(call({ versionRange: "3.x" }))
        assert.deepInclude(none.leaf, { _tag: "Rejected.VersionUnresolved", candidates: ["1.10.0", "1.4.2"] })
        const unknown = yield* gateway.call(call({ fn: "other" }))
        assert.deepInclude(unknown.leaf, { _tag: "Rejected.UnknownTool", name: "search.web.other" })
      })
    )
  )

  it.effect("M17: what is not the locked build does not run, and provenance has the digest of the lock", () => {
    const tool = saying("x")
    const pinned = manifest("1.4.2")
    return releasing(
      { tool },
      (gateway, publish) =>
        Effect.gen(function* () {
          const served = yield* publish(manifest("1.4.2", { digest: digest("b") }), "tool")
          assert.strictEqual((yield* gateway.call(call())).leaf._tag, "Rejected.VersionUnresolved")
          assert.strictEqual(served.manifest.digest, digest("b"))
          yield* publish(manifest("1.4.2", { description: "Another manifest" }), "tool")
          assert.strictEqual((yield* gateway.call(call())).leaf._tag, "Rejected.VersionUnresolved")
          assert.strictEqual(tool.calls(), 0)
        }),
      ([definition]) => ({
        lock_version: 1,
        tools:
          definition === undefined ? {} : { "search.web": Manifest.lockedOf({ manifest: pinned, definition }, "1.x") }
      })
    )
  })

  it.effect("M17: the locked build runs, also when there is a higher version", () => {
    const pinned = manifest("1.4.2")
    return releasing(
      { tool: saying("x") },
      (gateway, publish) =>
        Effect.gen(function* () {
          yield* publish(pinned, "tool")
          yield* publish(manifest("1.10.0"), "tool")
          const outcome = yield* gateway.call(call())
          assert.deepInclude(outcome.call, { version: "1.4.2", digest: digest("a") })
          assert.strictEqual(outcome.leaf._tag, "Success.Read")
          assert.deepNestedInclude(Uicp.encode(outcome), {
            "provenance.digest": digest("a"),
            "provenance.tool_version": "1.4.2"
          })
        }),
      ([definition]) => ({
        lock_version: 1,
        tools:
          definition === undefined ? {} : { "search.web": Manifest.lockedOf({ manifest: pinned, definition }, "1.x") }
      })
    )
  })

  it.effect("M18: an attempt runs the same build as the one before, whatever is published in between", () => {
    const old = counted({ determinism: "pure" }, (_, attempt) =>
      attempt === 1 ? Effect.fail(ToolFailure.upstream({ message: "down" })) : Effect.succeed("old")
    )
    const next = saying("new")
    return releasing({ old, next }, (gateway, publish) =>
      Effect.gen(function* () {
        yield* publish(manifest("1.10.0"), "old")
        const retryPolicy = { maxAttempts: 2, baseMs: 1000, capMs: 1000, jitter: "none" } as const
        const fiber = yield* Effect.forkChild(gateway.call(call({ retryPolicy })))
        yield* TestClock.adjust(500)
        yield* publish(manifest("1.11.0"), "next")
        yield* TestClock.adjust(500)
        const outcome = yield* Fiber.join(fiber)
        assert.deepInclude(outcome.leaf, { output: "old" })
        assert.deepStrictEqual([outcome.call.version, old.calls(), next.calls()], ["1.10.0", 2, 0])
        assert.deepInclude((yield* gateway.call(call())).leaf, { output: "new" })
      })
    )
  })

  it.effect("M44: a third call waits where two may run, and the wait counts against its time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const tool = counted({ determinism: "pure" }, () => Deferred.await(gate))
      const limits = { timeout_ms_default: 15_000, timeout_ms_max: 60_000, concurrency_max: 2 }
      yield* releasing({ tool }, (gateway, publish) =>
        Effect.gen(function* () {
          yield* publish(manifest("1.0.0", { limits }), "tool")
          const two = yield* Effect.forkChild(
            Effect.forEach(["a", "b"], (callId) => gateway.call(call({ callId })), { concurrency: 2 })
          )
          yield* TestClock.adjust(1)
          const third = yield* passing(gateway.call(call({ callId: "c", deadlineUnixMs: 500 })), 499)
          assert.deepStrictEqual([third.leaf._tag, third.effect._tag], ["TimedOut.EffectNone", "NotStarted"])
          assert.strictEqual(tool.calls(), 2)
          const fourth = yield* Effect.forkChild(gateway.call(call({ callId: "d" })))
          yield* Deferred.succeed(gate, "done")
          assert.strictEqual((yield* Fiber.join(fourth)).leaf._tag, "Success.Read")
          assert.strictEqual((yield* Fiber.join(two)).length, 2)
        })
      )
    })
  )

  it.effect("a timeout above what the manifest allows is refused", () => {
    const tool = saying("x")
    return releasing({ tool }, (gateway, publish) =>
      Effect.gen(function* () {
        yield* publish(manifest("1.0.0"), "tool")
        const { leaf } = yield* gateway.call(call({ timeoutMs: 60_001 }))
        assert.deepNestedInclude(leaf, { _tag: "Rejected.InvalidInput", "violations[0].path": "timeoutMs" })
        assert.strictEqual(tool.calls(), 0)
      })
    )
  })
})

describe("manifests", () => {
  it("come back from YAML as they were", () => {
    const given = manifest("1.4.2", { "x-haft": { risk_level: "high" } })
    assert.deepStrictEqual(Result.getOrThrow(Manifest.parse(Manifest.format(given))), given)
  })

  it.each([
    ["an unknown key", `${Manifest.format(manifest("1.0.0"))}extra: 1\n`, "extra"],
    ["a version that is no version", Manifest.format(manifest("1")), "semver"],
    ["a digest that is none", Manifest.format(manifest("1.0.0", { digest: "sha256:x" })), "digest"]
  ])("are refused with %s, by its path", (_, text, path) => {
    assert.deepNestedInclude(Manifest.parse(text), { "failure.violations[0].path": path })
  })

  it.each([
    ["text that is no YAML", "a: [1"],
    ["a key twice", "a: 1\na: 2"],
    ["aliases", "a: &a [1]\nb: *a"],
    ["no object", "just text"]
  ])("are refused if they are %s", (_, text) => {
    assert.deepNestedInclude(Manifest.parse(text), { "failure.file": "tool.yaml" })
  })

  it.effect("are written from annotations, and locks from manifests", () =>
    Effect.gen(function* () {
      const registered = yield* Tools.Service
      const annotations = {
        determinism: "idempotent",
        version: "1.2.3",
        risk: "high",
        limits: { concurrency: 4 }
      } as const
      yield* registered.register({ tool: counted(annotations, () => Effect.succeed("x")).tool })
      const { definitions } = yield* Effect.flatMap(ToolRegistry.Service, (registry) => registry.materialize())
      const [definition] = definitions
      assert(definition !== undefined)
      const made = Manifest.fromDefinition(definition, { owner: "@team", toolId: "search.web" })
      assert.deepStrictEqual(Result.getOrThrow(Manifest.parse(Manifest.format(made))), made)
      assert.deepNestedInclude(made, { semver: "1.2.3", "limits.concurrency_max": 4, determinism: "idempotent" })
      const locked = Result.getOrThrow(Manifest.lock([{ manifest: made, definition }], { "search.web": "1.x" }))
      assert.deepNestedInclude(locked.tools["search.web"], { version: "1.2.3", range: "1.x", digest: made.digest })
      assert.deepStrictEqual(Result.getOrThrow(Manifest.parseLock(Manifest.format(locked))), locked)
      const refused = Manifest.lock([{ manifest: made, definition }], { "search.web": "2.x", other: "*" })
      assert.deepNestedInclude(refused, { "failure.other.reason": "none_matches" })
    }).pipe(Effect.scoped, Effect.provide(Registry.layer))
  )
})
