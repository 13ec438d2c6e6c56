/**
 * Registries whose every step waits until fast-check's scheduler lets it go on, so that the steps of concurrent calls come
 * in any order, chosen from a seed. The stores below are real.
 */
import { EffectSignal, SettlementStore, Tool, Tools } from "@haft/core"
import { NodeOwners, NodeSqlClient } from "@haft/node"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import * as RegistrySql from "@haft/registry/sql"
import { Effect, Layer, Schema, Scope } from "effect"
import * as Fc from "fast-check"
import { join } from "node:path"

/** Waits until it is this step's turn. */
export type Step = (label: string) => Effect.Effect<void>

/** The schedule that is tried now. Worlds outlive it, because they are slow to make. */
export class Timetable {
  private scheduler: Fc.Scheduler | undefined

  readonly step: Step = (label) =>
    Effect.suspend(() =>
      this.scheduler === undefined
        ? Effect.void
        : Effect.asVoid(Effect.promise(() => this.scheduler?.schedule(Promise.resolve(), label) ?? Promise.resolve()))
    )

  /** Runs to the end in the order that the scheduler chooses. */
  async follow<A>(scheduler: Fc.Scheduler, run: () => Promise<A>): Promise<A> {
    this.scheduler = scheduler
    try {
      return await scheduler.waitFor(run())
    } finally {
      this.scheduler = undefined
    }
  }
}

/** Each step that is let go comes as far as it can before the next one is chosen. */
export const schedules = (): Fc.Arbitrary<Fc.Scheduler> =>
  Fc.scheduler({
    act: async (release) => {
      await release()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

/** A store that waits before and after each of its operations: what another does meanwhile is up to the schedule. */
const slowed = (store: SettlementStore.Interface, step: Step): SettlementStore.Interface => {
  const between = <A, E>(name: string, operation: Effect.Effect<A, E>) =>
    step(`before ${name}`).pipe(
      Effect.andThen(operation),
      Effect.tap(() => step(`after ${name}`))
    )
  return {
    begin: (begun, options) => between("begin", store.begin(begun, options)),
    advance: (identity, options) => between("advance", store.advance(identity, options)),
    complete: (identity, ended) => between("complete", store.complete(identity, ended)),
    find: (identity) => between("find", store.find(identity)),
    unfinished: between("unfinished", store.unfinished),
    finish: (ends) => between("finish", store.finish(ends))
  }
}

type Store = Layer.Layer<SettlementStore.Service, unknown>

/** One process, on a store that others may share. */
const hostOn = (store: Store, step: Step) => {
  const scheduled = Layer.effect(
    SettlementStore.Service,
    Effect.map(SettlementStore.Service, (store) => slowed(store, step))
  ).pipe(Layer.provide(store))
  return ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), scheduled)),
    Layer.provide(OutputStores.layerMemory()),
    Layer.fresh
  )
}

const sqlStore = (directory: string): Store =>
  RegistrySql.layerSql({ owners: NodeOwners.make({ directory: join(directory, "owners") }) }).pipe(
    Layer.provide(NodeSqlClient.layer({ filename: join(directory, "calls.db") })),
    Layer.fresh
  )

/** Where calls are recorded, and how many processes share that. */
export const places = {
  "in memory": () => [SettlementStores.layerMemory],
  "in SQLite": (directory: string) => [sqlStore(directory)],
  "in one SQLite of two hosts": (directory: string) => [sqlStore(directory), sqlStore(directory)]
} as const satisfies Record<string, (directory: string) => ReadonlyArray<Store>>
export type Place = keyof typeof places

/** An execution that began, of which version of the tool. */
export interface Entered {
  readonly id: string
  readonly version: number
}

/** The hosts of a place. */
export const makeHosts = Effect.fnUntraced(function* (place: Place, directory: string, { step }: Timetable) {
  const scope = yield* Effect.scope
  return yield* Effect.forEach(places[place](directory), (store) =>
    Layer.buildWithScope(hostOn(store, step), scope).pipe(Effect.map((services) => ({ services })))
  )
})
export type Host = Effect.Success<ReturnType<typeof makeHosts>>[number]

/** Versions of a tool that acts in steps, each described by its number. Making them is slow, so all schedules share them. */
export const makeVersions = (count: number, { step }: Timetable, entered: Array<Entered>): ReadonlyArray<Tool.Any> =>
  Array.from({ length: count }, (_, version) =>
    Tool.make({
      description: `${version}`,
      input: Schema.Struct({}),
      output: Schema.String,
      execute: (_, { toolCallID }) =>
        Effect.gen(function* () {
          entered.push({ id: toolCallID, version })
          yield* step("executing")
          yield* (yield* EffectSignal.Service).starting
          yield* step("acting")
          return `${version}`
        })
    })
  )

/** Registers one version with every host until the Scope is closed. */
export const register = (hosts: ReadonlyArray<Host>, tool: Tool.Any, scope: Scope.Scope) =>
  Effect.forEach(
    hosts,
    ({ services }) =>
      Effect.flatMap(Tools.Service, (tools) => tools.register({ tool })).pipe(
        Effect.provideContext(services),
        Scope.provide(scope)
      ),
    { discard: true }
  )
