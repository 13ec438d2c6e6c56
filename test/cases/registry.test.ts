import { assert, describe, it } from "@effect/vitest"
import { Tool, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Exit, Schema, Scope } from "effect"
import { badInputs, isRegistryCase } from "./corpus.ts"

const tool = (text: string, description = "") =>
  Tool.make({ description, input: Schema.JsonObject, output: Schema.String, execute: () => Effect.succeed(text) })

const offered = Effect.gen(function* () {
  const registry = yield* ToolRegistry.Service
  return yield* registry.materialize()
})

const register = (tools: Readonly<Record<string, Tool.Any>>) =>
  Effect.flatMap(Tools.Service, (service) => service.register(tools))

/** Registers `read`, changes the record it came from, and calls `name`. */
const called = Effect.fnUntraced(function* (name: string) {
  const record: Record<string, Tool.Any> = { read: tool("ran") }
  yield* register(record)
  const turn = yield* offered
  record["read"] = tool("mutated")
  const settlement = yield* turn.settle(Testing.request(name, {}))
  return settlement._tag === "Succeeded" ? settlement.output.structured : settlement._tag
})

type Services = Tools.Service | ToolRegistry.Service | Scope.Scope

/** By id: what each entry describes, done for real. */
const cases: Readonly<Record<string, Effect.Effect<unknown, unknown, Services>>> = {
  "names-048": Effect.gen(function* () {
    yield* register({ search: tool("a") })
    const turn = yield* offered
    yield* register({ search: tool("b") })
    const stale = yield* turn.settle(Testing.request("search", {}, { id: "1" }))
    const newest = yield* (yield* offered).settle(Testing.request("search", {}, { id: "2" }))
    return [stale._tag, newest._tag === "Succeeded" && newest.output.structured]
  }),
  "names-049": called("Read"),
  "names-051": called("unknown_tool"),
  "names-052": Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* register({ read: tool("gone") }).pipe(Scope.provide(scope))
    const turn = yield* offered
    yield* Scope.close(scope, Exit.void)
    return (yield* turn.settle(Testing.request("read", {})))._tag
  }),
  "names-054": Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* register({ read: tool("older") })
    yield* register({ read: tool("newer") }).pipe(Scope.provide(scope))
    const turn = yield* offered
    yield* Scope.close(scope, Exit.void)
    return (yield* turn.settle(Testing.request("read", {})))._tag
  }),
  "names-055": called("read"),
  "sizes-028": Effect.gen(function* () {
    const one = tool("")
    yield* register(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`tool_${index}`, one])))
    return (yield* offered).definitions.length
  }),
  "sizes-029": Effect.gen(function* () {
    const description = "x".repeat(1_048_576)
    const error = yield* Effect.flip(register({ read: tool("", description) }))
    return error.reason
  }),
  "sizes-030": Effect.gen(function* () {
    yield* register({ read: tool("ran") })
    const registry = yield* ToolRegistry.Service
    const turn = yield* registry.materialize({ concurrency: 64 })
    const ids = Array.from({ length: 10_000 }, (_, index) => `call-${index}`)
    const settlements = yield* Effect.forEach(
      ids,
      (id) => turn.settle(Testing.request("read", { path: "a" }, { id })),
      { concurrency: "unbounded" }
    )
    return settlements.filter(({ _tag }) => _tag === "Succeeded").length
  })
}

const expected: Readonly<Record<string, unknown>> = {
  "names-048": ["Rejected", "b"],
  "names-049": "Rejected",
  "names-051": "Rejected",
  "names-052": "Rejected",
  "names-054": "Rejected",
  "names-055": "ran",
  "sizes-028": 10_000,
  "sizes-029": "InvalidOptions",
  "sizes-030": 10_000
}

describe("the registry's part of the corpus", () => {
  const titled = badInputs.filter(isRegistryCase).map(({ id, why }) => [id, why] as const)

  it.effect.each(titled)("%s: %s", ([id]) =>
    Effect.gen(function* () {
      const run = cases[id]
      assert(run !== undefined, "an entry that nobody has written down")
      assert.deepStrictEqual(yield* run, expected[id])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it("has an entry for every case", () => {
    assert.sameMembers(
      titled.map(([id]) => id),
      Object.keys(cases)
    )
  })
})
