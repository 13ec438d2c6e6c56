import { assert, describe, it } from "@effect/vitest"
import { Location, Tool, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Locations from "@haft/registry/Locations"
import * as Testing from "@haft/registry/testing"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, type LayerMap, Option, Ref, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"

const Process = Layer.fresh(
  Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory).pipe(
    Layer.provide(OutputStores.layerMemory())
  )
)

const at = (path: string) => Location.Ref.make(path)

const constant = (text: string) =>
  Tool.make({ description: text, input: Schema.Struct({}), output: Schema.String, execute: () => Effect.succeed(text) })

/** A host's own service of a Location. */
class Index extends Context.Service<Index, { readonly name: string }>()("test/Index") {}

/** What happened to the services of each Location, in order. */
const observing = Effect.map(Ref.make<ReadonlyArray<string>>([]), (events) => {
  const note = (event: string) => Ref.update(events, (before) => [...before, event])
  const layer = (ref: Location.Ref) =>
    Layer.effect(
      Index,
      Effect.acquireRelease(Effect.as(note(`open ${ref}`), { name: ref }), () => note(`close ${ref}`))
    )
  return { events: Ref.get(events), note, layer }
})

const bare = Locations.make({ layer: () => Layer.empty })

const names = Effect.gen(function* () {
  const registry = yield* ToolRegistry.Service
  return (yield* registry.materialize()).definitions.map(({ name }) => String(name))
})

const register = (record: Record<string, Tool.Any>) => Effect.flatMap(Tools.Service, (tools) => tools.register(record))

/** Uses a Location and leaves it. */
const visit = <A, E>(locations: LayerMap.LayerMap<Location.Ref, A, E>, path: string) =>
  Effect.scoped(locations.contextEffect(at(path)))

describe("two Locations", () => {
  it.effect("have registries of their own, and the application's tools in common", () =>
    Effect.gen(function* () {
      const locations = yield* bare
      const application = yield* ApplicationTools.Service
      yield* application.register({ everywhere: constant("") })
      const [a, b] = [yield* locations.contextEffect(at("/a")), yield* locations.contextEffect(at("/b"))]
      yield* Effect.provideContext(register({ here: constant("") }), a)
      assert.deepStrictEqual(yield* Effect.provideContext(names, a), ["everywhere", "here"])
      assert.deepStrictEqual(yield* Effect.provideContext(names, b), ["everywhere"])
    }).pipe(Effect.provide(Process))
  )

  it.effect("know where they are", () =>
    Effect.gen(function* () {
      const locations = yield* bare
      assert.strictEqual(yield* Effect.provide(Locations.Current, locations.get(at("/a"))), "/a")
      assert.strictEqual(yield* Effect.provide(Locations.Current, locations.get(at("/b"))), "/b")
    }).pipe(Effect.provide(Process))
  )

  it.effect("share the record of calls, so that a call runs once between them", () =>
    Effect.gen(function* () {
      const locations = yield* bare
      const runs = yield* Ref.make(0)
      const counting = Tool.make({
        description: "Count",
        input: Schema.Struct({}),
        output: Schema.Int,
        execute: () => Ref.updateAndGet(runs, (count) => count + 1)
      })
      yield* (yield* ApplicationTools.Service).register({ count: counting })
      const settle = Effect.gen(function* () {
        const turn = yield* (yield* ToolRegistry.Service).materialize()
        return yield* turn.settle(Testing.request("count", {}))
      })
      const first = yield* Effect.provide(settle, locations.get(at("/a")))
      assert.strictEqual(yield* Effect.provide(settle, locations.get(at("/b"))), first)
      assert.strictEqual(yield* Ref.get(runs), 1)
    }).pipe(Effect.provide(Process))
  )

  it.effect("do not share what a host builds without looking at the reference", () =>
    Effect.gen(function* () {
      const layer = Layer.sync(Index, () => ({ name: "the same layer for all" }))
      const locations = yield* Locations.make({ layer: () => layer })
      const [a, b] = [yield* locations.contextEffect(at("/a")), yield* locations.contextEffect(at("/b"))]
      assert.notStrictEqual(Context.get(a, Index), Context.get(b, Index))
    }).pipe(Effect.provide(Process))
  )

  it.effect("are both built from the process's services, also when one is first used inside the other", () =>
    Effect.gen(function* () {
      const locations = yield* Locations.make({
        layer: (ref) =>
          Layer.effect(
            Index,
            Effect.map(Index, ({ name }) => ({ name: `${name}${ref}` }))
          )
      })
      const nameOf = Effect.map(Index, ({ name }) => name)
      const both = Effect.all([nameOf, Effect.provide(nameOf, locations.get(at("/b")))])
      assert.deepStrictEqual(yield* Effect.provide(both, locations.get(at("/a"))), ["process/a", "process/b"])
    }).pipe(Effect.provide([Process, Layer.succeed(Index, { name: "process" })]))
  )
})

describe("a Location", () => {
  it.effect("is the same for all who borrow it, and is built once for those who come first together", () =>
    Effect.gen(function* () {
      const { events, layer } = yield* observing
      const ready = yield* Deferred.make<void>()
      const locations = yield* Locations.make({
        layer: (ref) => Layer.provideMerge(Layer.effectDiscard(Deferred.await(ready)), layer(ref))
      })
      const borrowers = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(locations.contextEffect(at("/a")), { startImmediately: true })
      )
      yield* Deferred.succeed(ready, undefined)
      const contexts = yield* Fiber.joinAll(borrowers)
      const registries = contexts.map((context) => Context.get(context, ToolRegistry.Service))
      assert.strictEqual(new Set(registries).size, 1)
      assert.deepStrictEqual(yield* events, ["open /a"])
    }).pipe(Effect.provide(Process))
  )

  it.effect("can have its tools registered by the host's layer, for as long as it is there", () =>
    Effect.gen(function* () {
      const locations = yield* Locations.make({
        layer: (ref) => Layer.effectDiscard(register({ [`of_${ref}`]: constant(ref) }))
      })
      const context = yield* visit(locations, "a")
      assert.deepStrictEqual(yield* Effect.provideContext(names, context), ["of_a"])
      yield* TestClock.adjust(Locations.defaultIdleTimeToLive)
      assert.deepStrictEqual(yield* Effect.provideContext(names, context), [])
    }).pipe(Effect.provide(Process))
  )

  it.effect("is released when it was idle for its time, and not before", () =>
    Effect.gen(function* () {
      const { events, layer } = yield* observing
      const locations = yield* Locations.make({ layer, idleTimeToLive: "1 minute" })
      yield* visit(locations, "/a")
      yield* TestClock.adjust("59 seconds")
      yield* visit(locations, "/a")
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* events, ["open /a"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* events, ["open /a", "close /a"])
      yield* visit(locations, "/a")
      assert.deepStrictEqual(yield* events, ["open /a", "close /a", "open /a"])
    }).pipe(Effect.provide(Process))
  )

  it.effect("is not idle while somebody borrows it", () =>
    Effect.gen(function* () {
      const { events, layer } = yield* observing
      const locations = yield* Locations.make({ layer, idleTimeToLive: "1 minute" })
      yield* locations.contextEffect(at("/a"))
      yield* visit(locations, "/a")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* events, ["open /a"])
    }).pipe(Effect.provide(Process))
  )
})

describe("a Location that cannot be built", () => {
  /** Fails until it is told otherwise. */
  const failing = Effect.gen(function* () {
    const { events, layer, note } = yield* observing
    const failure = yield* Ref.make<Effect.Effect<void, string>>(Effect.fail("no such directory"))
    const locations = yield* Locations.make({
      layer: (ref) => {
        if (ref !== "/bad") return layer(ref)
        const broken = Layer.effectDiscard(Effect.andThen(note("try /bad"), Effect.flatten(Ref.get(failure))))
        return Layer.provideMerge(broken, layer(ref))
      }
    })
    return { events, locations, setTo: (effect: Effect.Effect<void, string>) => Ref.set(failure, effect) }
  })

  it.effect("fails alone, and gives back what it had", () =>
    Effect.gen(function* () {
      const { events, locations } = yield* failing
      const good = yield* locations.contextEffect(at("/good"))
      assert.strictEqual(yield* Effect.flip(visit(locations, "/bad")), "no such directory")
      assert.strictEqual(Context.get(good, Index).name, "/good")
      assert.deepStrictEqual(yield* events, ["open /good", "open /bad", "try /bad", "close /bad"])
    }).pipe(Effect.provide(Process))
  )

  it.effect("fails once for all who wait for it", () =>
    Effect.gen(function* () {
      const { events, locations, setTo } = yield* failing
      const fail = yield* Deferred.make<void, string>()
      yield* setTo(Deferred.await(fail))
      const waiting = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.forkChild(Effect.flip(visit(locations, "/bad")), { startImmediately: true })
      )
      yield* Deferred.fail(fail, "gone")
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), Array<string>(5).fill("gone"))
      assert.deepStrictEqual(yield* events, ["open /bad", "try /bad", "close /bad"])
    }).pipe(Effect.provide(Process))
  )

  it.effect("is built again for the next one, even while those it failed for are still there", () =>
    Effect.gen(function* () {
      const { locations, setTo } = yield* failing
      assert.strictEqual(yield* Effect.flip(locations.contextEffect(at("/bad"))), "no such directory")
      yield* setTo(Effect.void)
      const [first, second] = [yield* locations.contextEffect(at("/bad")), yield* locations.contextEffect(at("/bad"))]
      assert.strictEqual(Context.get(first, ToolRegistry.Service), Context.get(second, ToolRegistry.Service))
    }).pipe(Effect.provide(Process))
  )

  it.effect("because of a defect is built again, too", () =>
    Effect.gen(function* () {
      let attempts = 0
      const locations = yield* Locations.make({
        layer: (ref) => {
          if (++attempts === 1) throw new Error("bug")
          return Layer.succeed(Index, { name: ref })
        }
      })
      const exit = yield* Effect.exit(visit(locations, "/a"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(Context.get(yield* visit(locations, "/a"), Index).name, "/a")
    }).pipe(Effect.provide(Process))
  )

  it.effect("after the one who wanted it has gone is built again for the next", () =>
    Effect.gen(function* () {
      const [building, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const fail = yield* Deferred.make<void, string>()
      const attempts = yield* Ref.make(0)
      const build = Effect.gen(function* () {
        if ((yield* Ref.updateAndGet(attempts, (count) => count + 1)) > 1) return
        yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
        yield* Deferred.succeed(building, undefined)
        yield* Deferred.await(fail)
      })
      const locations = yield* Locations.make({ layer: () => Layer.effectDiscard(build) })
      const impatient = yield* Effect.forkChild(visit(locations, "/a"))
      yield* Deferred.await(building)
      yield* Fiber.interrupt(impatient)
      yield* Deferred.fail(fail, "nobody hears this")
      yield* Deferred.await(closed)
      yield* visit(locations, "/a")
      assert.strictEqual(yield* Ref.get(attempts), 2)
    }).pipe(Effect.provide(Process))
  )
})

describe("closing the map", () => {
  it.effect("releases every Location, borrowed or idle, and lets nobody in", () =>
    Effect.gen(function* () {
      const { events, layer } = yield* observing
      const scope = yield* Scope.make()
      const locations = yield* Locations.make({ layer }).pipe(Scope.provide(scope))
      yield* locations.contextEffect(at("/borrowed"))
      yield* visit(locations, "/idle")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual((yield* events).toSorted().slice(0, 2), ["close /borrowed", "close /idle"])
      const exit = yield* Effect.exit(visit(locations, "/late"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(Option.isNone(yield* Effect.scoped(locations.contextEffectOption(at("/borrowed")))))
    }).pipe(Effect.provide(Process))
  )

  it.effect("makes calls of turns that are still held stale", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const locations = yield* Locations.make({
        layer: () => Layer.effectDiscard(register({ greet: constant("") }))
      }).pipe(Scope.provide(scope))
      const registry = Context.get(yield* locations.contextEffect(at("/a")), ToolRegistry.Service)
      const turn = yield* registry.materialize()
      assert.deepNestedInclude(yield* turn.settle(Testing.request("greet", {}, { id: "1" })), { _tag: "Succeeded" })
      yield* Scope.close(scope, Exit.void)
      const late = yield* turn.settle(Testing.request("greet", {}, { id: "2" }))
      assert.deepNestedInclude(late, { _tag: "Rejected", "rejection._tag": "StaleCall" })
    }).pipe(Effect.provide(Process))
  )
})
