/**
 * What runs have used up of their budgets: calls, money and time. A call that is let through has spent its unit, whatever
 * comes of it; retries spend time and money and no further unit.
 */
import { Outcome } from "@haft/wire/Outcome"
import type { RunBudget } from "@haft/wire/RunContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Which run, and what it may use. */
export interface Run {
  /** Unique among all tenants. */
  readonly id: string
  readonly budget: RunBudget
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why there was nothing left. */
export interface Exhausted {
  readonly name: "max_tool_calls" | "max_cost_cents" | "wall_clock_ms"
  readonly limit: number
  readonly used: number
}

/** The defect of a call that had no budget left, where the host wants no outcome of it. It is on the account by then. */
export class ExhaustedError extends Schema.TaggedError<ExhaustedError>()("Budgets.ExhaustedError", {
  message: Schema.String,
  name: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(Schema.Finite),
  used: Schema.optionalKey(Schema.Finite),
  /** For whoever has to answer somebody who is not the host. */
  outcome: Outcome
}) {}

/** What a run has used up until now. */
export interface Usage {
  readonly calls: number
  readonly costCents: number
  /** When the run was first seen. */
  readonly startedAt: number
}

export interface Interface {
  /** Takes one call from the budget, or says what is used up. Of several at once only as many get one as there are. */
  readonly reserve: (run: Run) => Effect.Effect<Option.Option<Exhausted>>
  /** Gives the call back: no handler was entered. */
  readonly refund: (run: string) => Effect.Effect<void>
  readonly charge: (run: string, costCents: number) => Effect.Effect<void>
  readonly usage: (run: string) => Effect.Effect<Option.Option<Usage>>
  /** The run is over. */
  readonly forget: (run: string) => Effect.Effect<void>
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Budgets") {}

/** Keeps runs until they are forgotten or the layer's Scope closes. */
export const layerMemory: Layer.Layer<Service> = Layer.fresh(Layer.sync(Service, () => makeMemory()))

const makeMemory = (): Interface => {
  const runs = new Map<string, Usage>()
  const change = (run: string, next: (usage: Usage) => Usage) => {
    const usage = runs.get(run)
    if (usage !== undefined) runs.set(run, next(usage))
  }
  return {
    reserve: ({ budget, id, now }) =>
      Effect.sync(() => {
        const usage = runs.get(id) ?? { calls: 0, costCents: 0, startedAt: now }
        const exhausted = exhaustedOf(budget, usage, now)
        runs.set(id, Option.isSome(exhausted) ? usage : { ...usage, calls: usage.calls + 1 })
        return exhausted
      }),
    refund: (run) => Effect.sync(() => change(run, (usage) => ({ ...usage, calls: Math.max(0, usage.calls - 1) }))),
    charge: (run, costCents) =>
      Effect.sync(() => change(run, (usage) => ({ ...usage, costCents: usage.costCents + costCents }))),
    usage: (run) => Effect.sync(() => Option.fromUndefinedOr(runs.get(run))),
    forget: (run) => Effect.sync(() => runs.delete(run))
  }
}

/** The first of the three that is used up. */
export const exhaustedOf = (budget: RunBudget, usage: Usage, now: number): Option.Option<Exhausted> => {
  const used = { max_tool_calls: usage.calls, max_cost_cents: usage.costCents, wall_clock_ms: now - usage.startedAt }
  for (const name of names) {
    const limit = budget[name]
    if (limit !== undefined && used[name] >= limit) return Option.some({ name, limit, used: used[name] })
  }
  return Option.none()
}

const names = ["max_tool_calls", "max_cost_cents", "wall_clock_ms"] as const
