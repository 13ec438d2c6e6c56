import { assert, describe, it } from "@effect/vitest"
import { type Materialization, Tool, type ToolDefinition, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Arbitrary, Context, Effect, Exit, Layer, Schema, Scope } from "effect"
import { type Offer, type Placement, type Registration, RegistryModel } from "./support/registryModel.ts"

/** Few of everything, so that steps meet. One name is a key of every object. */
const names = ["a", "b", "constructor"]
const locations = 3
const maxSteps = 40

/** Milliseconds. A fifth is usual. */
const slowMachine = 120_000

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const Step = Schema.TaggedUnion({
  /** `same` takes the tool of the registration before; `broken` adds an entry that no placement accepts. */
  Register: {
    placement: Schema.Literals(["application", 0, 1, 2]),
    has: Schema.Tuple([Schema.Boolean, Schema.Boolean, Schema.Boolean]),
    same: Schema.Boolean,
    broken: Schema.Literals([true, false, false, false])
  },
  Close: { registration: upTo(9) },
  Materialize: { location: upTo(locations - 1) },
  Settle: {
    /** Counted from the latest turn backwards. */
    turn: Schema.Literals([0, 0, 1, 2, 3]),
    id: upTo(49),
    name: Schema.Literals([...names, ...names, "missing"]),
    isValid: Schema.Literals([true, true, true, false])
  }
})
type Step = typeof Step.Type

/** Repeated by how often they should come. */
const kinds = Schema.Literals([
  ...(["Register", "Register", "Register", "Close"] as const),
  ...(["Materialize", "Materialize", "Settle", "Settle", "Settle", "Settle"] as const)
])

const step: Arbitrary.Arbitrary<Step> = Arbitrary.flatMap(Arbitrary.schema(kinds), (kind): Arbitrary.Arbitrary<Step> =>
  Arbitrary.schema(Step.cases[kind])
)

const steps = Arbitrary.array(step, { minLength: maxSteps, maxLength: maxSteps })

/** One tool for each step of a sequence. Making them is slow, so all sequences share them; `runs` is of the last one. */
const makeTools = () => {
  const runs = new Map<number, number>()
  const tools = Array.from({ length: maxSteps }, (_, number) =>
    Tool.make({
      description: `${number}`,
      input: Schema.Struct({}),
      output: Schema.String,
      execute: () =>
        Effect.sync(() => {
          runs.set(number, (runs.get(number) ?? 0) + 1)
          return `${number}`
        })
    })
  )
  return { runs, toolAt: (number: number) => tools[number] ?? tools[0] }
}

type AllTools = ReturnType<typeof makeTools>

interface OpenRegistration {
  readonly registration: Registration
  readonly scope: Scope.Closeable
}

interface Turn {
  readonly location: number
  readonly offer: Offer
  readonly materialization: Materialization.Materialization
}

/** One process with several Locations, and the model beside it. */
const makeWorld = Effect.fnUntraced(function* (tools: AllTools, seen: Set<string>) {
  const shared = yield* Layer.build(
    Layer.fresh(
      Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), SettlementStores.layerMemory).pipe(
        Layer.provide(OutputStores.layerMemory())
      )
    )
  )
  const build = Effect.provideContext(Layer.build(Layer.fresh(ToolRegistry.layer)), shared)
  return {
    application: Context.get(shared, ApplicationTools.Service),
    locations: yield* Effect.replicateEffect(build, locations),
    model: new RegistryModel(),
    tools,
    seen,
    registrations: new Array<OpenRegistration>(),
    turns: new Array<Turn>(),
    definitions: new Map<Registration, Map<string, ToolDefinition.ToolDefinition>>()
  }
})

type World = Effect.Success<ReturnType<typeof makeWorld>>

const locationAt = (world: World, location: number) => {
  const services = world.locations[location]
  assert(services !== undefined)
  return services
}

const placementAt = (world: World, placement: Placement): Tools.Interface =>
  placement === "application" ? world.application : Context.get(locationAt(world, placement), Tools.Service)

const register = Effect.fnUntraced(function* (world: World, step: Extract<Step, { readonly _tag: "Register" }>) {
  const { model, registrations, tools } = world
  const before = registrations.at(-1)
  const tool = step.same && before !== undefined ? before.registration.tool : registrations.length
  const value = tools.toolAt(tool)
  assert(value !== undefined)
  const scope = yield* Scope.make()
  const chosen = names.filter((_, index) => step.has[index])
  const entries = [...chosen, ...(step.broken ? ["9 no name"] : [])].map((name) => [name, value] as const)
  const registering = placementAt(world, step.placement).register(Object.fromEntries(entries))
  const exit = yield* Effect.exit(Scope.provide(registering, scope))
  assert.strictEqual(Exit.isFailure(exit), step.broken)
  const registration = { placement: step.placement, names: step.broken ? [] : chosen, tool }
  model.register(registration)
  registrations.push({ registration, scope })
})

/** Closing twice is closing once. */
const close = (world: World, index: number) => {
  const open = world.registrations[index % Math.max(1, world.registrations.length)]
  if (open === undefined) return Effect.void
  world.model.close(open.registration)
  return Scope.close(open.scope, Exit.void)
}

const materialize = Effect.fnUntraced(function* (world: World, location: number) {
  const registry = Context.get(locationAt(world, location), ToolRegistry.Service)
  const materialization = yield* registry.materialize()
  const offer = world.model.offer(location)
  assert.deepStrictEqual(
    materialization.definitions.map(({ description, name }) => [String(name), description]),
    [...offer].map(([name, { tool }]) => [name, `${tool}`])
  )
  for (const definition of materialization.definitions) assertKnown(world, offer, definition)
  world.turns.push({ location, offer, materialization })
})

/** The same registration has the same definition in every turn of every Location. */
const assertKnown = ({ definitions }: World, offer: Offer, definition: ToolDefinition.ToolDefinition) => {
  const registration = offer.get(definition.name)
  assert(registration !== undefined)
  const known = definitions.get(registration) ?? new Map<string, ToolDefinition.ToolDefinition>()
  assert.strictEqual(known.get(definition.name) ?? definition, definition)
  definitions.set(registration, known.set(definition.name, definition))
}

const settle = Effect.fnUntraced(function* (world: World, step: Extract<Step, { readonly _tag: "Settle" }>) {
  const turn = world.turns.at(-1 - step.turn)
  if (turn === undefined) return
  const request = Testing.request(step.name, step.isValid ? {} : { extra: true }, { id: `${step.id}` })
  const settlement = yield* turn.materialization.settle(request)
  const expected = world.model.settle(turn.location, turn.offer, step)
  assert(settlement._tag !== "Failed")
  const outcome = settlement._tag === "Succeeded" ? settlement.output.structured : settlement.rejection._tag
  assert.strictEqual(outcome, expected)
  world.seen.add(settlement._tag === "Succeeded" ? settlement._tag : settlement.rejection._tag)
})

const take = (world: World, step: Step): Effect.Effect<void, unknown> => {
  switch (step._tag) {
    case "Register":
      return register(world, step)
    case "Close":
      return close(world, step.registration)
    case "Materialize":
      return materialize(world, step.location)
    case "Settle":
      return settle(world, step)
  }
}

const agrees = (tools: AllTools, seen: Set<string>) =>
  Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
    tools.runs.clear()
    const world = yield* makeWorld(tools, seen)
    yield* Effect.forEach(steps, (step) => take(world, step), { discard: true })
    assert.deepStrictEqual(tools.runs, world.model.runs)
    yield* Effect.forEach(world.registrations.keys(), (index) => close(world, index), { discard: true })
    yield* Effect.forEach(world.locations.keys(), (location) => materialize(world, location), { discard: true })
    assert.isTrue(
      world.turns.slice(-locations).every(({ materialization }) => materialization.definitions.length === 0)
    )
    return true
  }, Effect.scoped)

describe("several Locations of one process", () => {
  it.effect(
    "offer and settle as a list of registrations says, after any steps",
    () =>
      Effect.gen(function* () {
        const seen = new Set<string>()
        const result = yield* Arbitrary.checkEffect(steps, agrees(makeTools(), seen), { runs: 1000 })
        assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        assert.deepStrictEqual(
          [...seen].toSorted(),
          ["DuplicateCall", "InvalidInput", "StaleCall", "Succeeded", "UnknownTool"],
          "the steps lead everywhere"
        )
      }),
    slowMachine
  )
})
