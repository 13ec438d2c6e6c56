import { assert, describe, it } from "@effect/vitest"
import {
  EffectSignal,
  type Materialization,
  type Settlement,
  SettlementStore,
  Tool,
  ToolFailure,
  Tools
} from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Cause, Effect, Exit, Fiber, Layer, Random, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { flightsOf } from "../src/internal/inFlight.ts"
import * as CountedStore from "./support/countedStore.ts"
import { endOf } from "./support/tools.ts"

const Storm = Layer.fresh(
  ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), CountedStore.layer)),
    Layer.provideMerge(OutputStores.layerMemory())
  )
)

const callCount = 10_000
const turnConcurrency = 8
const toolConcurrency = 2

/** Milliseconds. A tenth is usual. */
const slowMachine = 120_000

const yields = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

type Body = Effect.Effect<unknown, ToolFailure.ToolFailure>

/** Every way for an executor to run and to end. */
const bodies: Readonly<Record<string, readonly [Body, Tool.Annotations]>> = {
  returns: [Effect.void, {}],
  yields: [yields(3), {}],
  sleeps: [Effect.sleep(3), {}],
  hangs: [Effect.never, { limits: { timeoutMs: 5 } }],
  waits: [Effect.never, {}],
  fails: [Effect.andThen(yields(2), Effect.fail(ToolFailure.unavailable({ message: "" }))), {}],
  dies: [Effect.andThen(yields(1), Effect.die("bug")), {}],
  interrupts: [Effect.interrupt, {}],
  ignores: [Effect.uninterruptible(yields(5)), { limits: { timeoutMs: 1 } }],
  signals: [
    Effect.flatMap(EffectSignal.Service, ({ starting }) => Effect.andThen(starting, yields(2))),
    { determinism: "pure" }
  ],
  limited: [yields(4), { limits: { concurrency: toolConcurrency } }]
}

const names = Object.keys(bodies)

/** Who was entered, and who was left. */
interface Executions {
  readonly entered: Array<string>
  readonly left: Array<string>
}

const toolsOf = ({ entered, left }: Executions) =>
  names.map((name) => {
    const [body, annotations] = bodies[name] ?? [Effect.void, {}]
    const tool = Tool.make({
      description: name,
      input: Schema.Struct({}),
      output: Schema.Null,
      execute: (_, { toolCallID }) =>
        Effect.acquireUseRelease(
          Effect.sync(() => entered.push(toolCallID)),
          () => Effect.as(body, null),
          () => Effect.sync(() => left.push(toolCallID))
        )
    })
    return [name, Tool.annotate(tool, annotations)] as const
  })

type Settling = Fiber.Fiber<Settlement.Settlement, Materialization.SettleError>

const pick = <A>(from: ReadonlyArray<A>): Effect.Effect<A | undefined> =>
  Effect.map(Random.next, (random) => from[Math.floor(random * from.length)])

const chance = (probability: number) => Effect.map(Random.next, (random) => random < probability)

/** What happens to registrations, turns and time between two calls. */
const makeWeather = Effect.fnUntraced(function* (executions: Executions) {
  const [location, application] = [yield* Tools.Service, yield* ApplicationTools.Service]
  const registry = yield* ToolRegistry.Service
  const tools = toolsOf(executions)
  const scopes = new Map<string, Scope.Closeable>()
  const register = Effect.fnUntraced(function* ([name, tool]: (typeof tools)[number]) {
    const scope = yield* Scope.make()
    const placement = (yield* chance(0.5)) ? location : application
    yield* Scope.provide(placement.register({ [name]: tool }), scope)
    scopes.set(name, scope)
  })
  const close = (name: string) => {
    const scope = scopes.get(name)
    scopes.delete(name)
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  }
  const change = Effect.gen(function* () {
    const entry = yield* pick(tools)
    assert(entry !== undefined)
    yield* close(entry[0])
    if (yield* chance(0.8)) yield* register(entry)
  })
  yield* Effect.forEach(tools, register, { discard: true })
  return {
    change,
    calm: Effect.forEach(names, close, { discard: true }),
    turn: registry.materialize({ concurrency: turnConcurrency })
  }
})

/** Ten thousand calls, some under an id that another has, while registrations come and go and callers lose patience. */
const storm = Effect.fnUntraced(function* (executions: Executions) {
  const { calm, change, turn } = yield* makeWeather(executions)
  const settling: Array<readonly [id: string, fiber: Settling]> = []
  let current = yield* turn
  for (let count = 0; count < callCount; count++) {
    if (yield* chance(0.05)) yield* change
    if (yield* chance(0.05)) current = yield* turn
    const [id, name] = (yield* chance(0.9)) ? [`${count}`, (yield* pick(names)) ?? ""] : yield* earlier(settling)
    settling.push([id, yield* Effect.forkDetach(current.settle(Testing.request(name, {}, { id })), yield* eager)])
    yield* impatience(settling)
    if (yield* chance(0.2)) yield* Effect.yieldNow
    if (yield* chance(0.05)) yield* TestClock.adjust(1)
  }
  for (const [, fiber] of settling) fiber.interruptUnsafe()
  yield* TestClock.adjust("1 minute")
  yield* calm
  return yield* Effect.forEach(settling, ([id, fiber]) => Effect.map(Fiber.await(fiber), (exit) => [id, exit] as const))
})

const eager = Effect.map(chance(0.5), (startImmediately) => ({ startImmediately }))

/** The id of one of the last calls, for another or the same tool. */
const earlier = Effect.fnUntraced(function* (settling: ReadonlyArray<readonly [id: string, fiber: Settling]>) {
  const [id] = (yield* pick(settling.slice(-patience))) ?? ["0"]
  return [id, (yield* pick(names)) ?? ""] as const
})

/** How many calls a caller may still lose patience with. */
const patience = 30

const impatience = Effect.fnUntraced(function* (settling: ReadonlyArray<readonly [id: string, fiber: Settling]>) {
  if (!(yield* chance(0.4))) return
  const [, fiber] = (yield* pick(settling.slice(-patience))) ?? []
  fiber?.interruptUnsafe()
})

const kindOf = (ended: SettlementStore.Ended): string => {
  if (ended._tag !== "Settled") return ended._tag
  const { settlement } = ended
  if (settlement._tag === "Rejected") return settlement.rejection._tag
  return settlement._tag === "Failed" ? settlement.failure.reason._tag : settlement._tag
}

/** Whoever got a settlement got the recorded one. */
const assertConsistent = Effect.fnUntraced(function* (
  id: string,
  exit: Exit.Exit<Settlement.Settlement, Materialization.SettleError>
) {
  if (Exit.isFailure(exit)) return
  if (exit.value._tag === "Rejected" && exit.value.rejection._tag === "DuplicateCall") return
  assert.deepStrictEqual(yield* endOf(id), { _tag: "Settled", settlement: exit.value })
})

describe("a storm of calls, interruptions and closing Scopes", () => {
  it.effect(
    "leaves one recorded end for every call that began, and nothing else",
    () =>
      Effect.gen(function* () {
        const executions: Executions = { entered: [], left: [] }
        const exits = yield* Random.withSeed(storm(executions), "storm")
        const counts = yield* CountedStore.CountedCalls

        assert.isTrue([...counts.values()].every(({ begun, ended }) => begun === 1 && ended === 1))
        assert.deepStrictEqual(
          executions.left.toSorted(),
          executions.entered.toSorted(),
          "no executor is still running"
        )
        assert.strictEqual(new Set(executions.entered).size, executions.entered.length, "none was executed twice")
        assert.isTrue(flightsOf(yield* SettlementStore.Service).isEmpty)

        for (const [id, exit] of exits) yield* assertConsistent(id, exit)
        const unbegun = exits.filter(([id]) => !counts.has(id))
        assert.isTrue(unbegun.every(([, exit]) => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)))

        const kinds = new Set(yield* Effect.forEach(counts.keys(), (id) => Effect.map(endOf(id), kindOf)))
        assert.deepStrictEqual([...kinds].toSorted(), everyKind, "the storm has everything")
        const registry = yield* ToolRegistry.Service
        assert.deepStrictEqual((yield* registry.materialize()).definitions, [])
      }).pipe(Effect.provide(Storm)),
    slowMachine
  )
})

const everyKind = [
  "Died",
  "Interrupted",
  "Operational",
  "StaleCall",
  "Succeeded",
  "TimedOut",
  "Unavailable",
  "UnknownTool"
]
