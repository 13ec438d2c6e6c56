/**
 * The tools of one Location: what it offers in a turn, and how the calls of that turn are settled. Its own registrations
 * come before the application's.
 */
import * as ArgumentRepair from "@haft/core/ArgumentRepair"
import type { Materialization } from "@haft/core/Materialization"
import * as SettlementStore from "@haft/core/SettlementStore"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import type { ToolName } from "@haft/core/ToolName"
import * as Tools from "@haft/core/Tools"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { ApplicationPlacement } from "./internal/applicationPlacement.ts"
import { boundingOf } from "./internal/boundary.ts"
import * as Effective from "./internal/effective.ts"
import { held } from "./internal/holds.ts"
import { flightsOf } from "./internal/inFlight.ts"
import { callsOf } from "./internal/memoryStore.ts"
import { observe } from "./internal/observe.ts"
import { definitionOf, type Entry } from "./internal/overlay.ts"
import { Permits } from "./internal/permits.ts"
import * as Placement from "./internal/placement.ts"
import { settle } from "./internal/settle.ts"
import * as Observability from "./Observability.ts"
import * as OutputBounds from "./OutputBounds.ts"
import type * as Visibility from "./Visibility.ts"

/** What may differ from turn to turn. */
export interface TurnOptions {
  /** Rules that hide tools. Keep the array while it stays the same: definitions are remembered by it. */
  readonly rules?: ReadonlyArray<Visibility.Rule>
  /** Time for each call of the turn. */
  readonly timeoutMs?: number
  /** How many calls of the turn execute at once. */
  readonly concurrency?: number
  /** How much a model reads of the turn's calls. Can only lower what the host allows. */
  readonly output?: Partial<OutputBounds.Limits>
  /** How much of arguments that do not fit is repaired; everything that can be, unless a tool allows less. */
  readonly repair?: ArgumentRepair.Level
}

export interface Interface {
  /** What a model may call from now on until the next turn. */
  readonly materialize: (options?: TurnOptions) => Effect.Effect<Materialization>
  /** The names whose effective registration changed, one value for each change. */
  readonly changes: Stream.Stream<ReadonlyArray<ToolName>>
}

export class Service extends Context.Service<Service, Interface>()("@haft/registry/ToolRegistry") {}

/** Provides the registry, and the capability to register in its Location. */
export const layer: Layer.Layer<
  Service | Tools.Service,
  never,
  ApplicationPlacement | SettlementStore.Service | OutputBounds.Service
> = Layer.effectContext(
  Effect.gen(function* () {
    const location = yield* Placement.make
    const effective = yield* Effective.make(yield* ApplicationPlacement, location)
    const store = yield* SettlementStore.Service
    const bounds = yield* OutputBounds.Service
    const materialize = (options: TurnOptions = {}) =>
      Effect.map(Observability.Level, (level): Materialization => {
        const turnPermits = permitsOf(options.concurrency)
        const offer = effective.offer(options.rules ?? noRules)
        const boundary = bounds.forTurn(offer.byName, options.output)
        const turn = {
          offer,
          effective,
          store,
          calls: callsOf(store),
          bounds: boundary,
          bound: boundingOf(boundary),
          flights: flightsOf(store),
          timeoutMs: checked("timeoutMs", options.timeoutMs),
          repair: checkedLevel(options.repair ?? "default"),
          permitsFor: (entry: Entry) => join(turnPermits, permitsOfTool(definitionOf(entry)))
        }
        return {
          definitions: offer.definitions,
          settle: observe(
            level,
            offer,
            held(offer, (request) => settle(turn, request))
          )
        }
      })
    return Context.make(Service, { materialize, changes: effective.changes }).pipe(
      Context.add(Tools.Service, { register: location.register })
    )
  })
)

const noRules: ReadonlyArray<Visibility.Rule> = []

/** A limit that nobody can mean is a mistake of the host's, found when it makes the turn. */
const checked = (name: string, limit: number | undefined): number | undefined => {
  if (limit !== undefined && !(limit >= 1)) throw new RangeError(`${name} must be at least 1, not ${limit}`)
  return limit
}

const checkedLevel = (level: ArgumentRepair.Level): ArgumentRepair.Level => {
  const levels = ArgumentRepair.Level.literals
  if (!levels.includes(level)) throw new RangeError(`repair must be one of ${levels.join(", ")}, not ${level}`)
  return level
}

const permitsOf = (concurrency: number | undefined): ReadonlyArray<Permits> => {
  const limit = checked("concurrency", concurrency)
  if (limit !== undefined && !Number.isInteger(limit)) throw new RangeError(`concurrency must be whole, not ${limit}`)
  return limit === undefined ? none : [new Permits(limit)]
}

const none: ReadonlyArray<Permits> = []

/** Without a copy for each call, where one side is empty. */
const join = (left: ReadonlyArray<Permits>, right: ReadonlyArray<Permits>): ReadonlyArray<Permits> => {
  if (left.length === 0) return right
  return right.length === 0 ? left : [...left, ...right]
}

const permitsByTool = new WeakMap<ToolDefinition, ReadonlyArray<Permits>>()

/** The limit that a tool's annotations declare, shared by all turns of all Locations that the registration is in. */
const permitsOfTool = (definition: ToolDefinition): ReadonlyArray<Permits> => {
  if (definition.annotations.limits?.concurrency === undefined) return none
  const permits = permitsByTool.get(definition) ?? permitsOf(definition.annotations.limits.concurrency)
  permitsByTool.set(definition, permits)
  return permits
}
