/** Counts and times the settlements of each tool. */
import type { Materialization } from "@haft/core/Materialization"
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Offer } from "./effective.ts"
import { type Outcome, outcomeOf, type Settling } from "./outcome.ts"

type Settle = Materialization["settle"]

/** Stands for every name that was not offered. */
export const unknownTool = "unknown"

/** However it ends, the call is in flight no more. */
export const measured =
  (offer: Offer, settle: Settle): Settle =>
  (request) =>
    Effect.acquireUseRelease(
      start(meterOf(offer, request.call.name)),
      () => settle(request),
      (measurement, exit) => Effect.sync(() => measurement.stop(exit))
    )

const start = (meter: Meter): Effect.Effect<Measurement> =>
  Effect.withFiber(({ context }) => Effect.succeed(new Measurement(meter, context)))

/** Ends in the context it began in, so that both ends are of the same series. */
class Measurement {
  private readonly meter: Meter
  private readonly context: Context.Context<never>
  private readonly startedAt: bigint

  constructor(meter: Meter, context: Context.Context<never>) {
    this.meter = meter
    this.context = context
    this.startedAt = this.now
    meter.inFlight.modifyUnsafe(1, context)
  }

  stop(exit: Settling): void {
    const { count, duration } = this.meter.seriesOf(outcomeOf(exit))
    this.meter.inFlight.modifyUnsafe(-1, this.context)
    count.updateUnsafe(1, this.context)
    duration.updateUnsafe(Number(this.now - this.startedAt) / nanosPerMilli, this.context)
  }

  private get now(): bigint {
    return Context.get(this.context, Clock.Clock).currentTimeNanosUnsafe()
  }
}

const nanosPerMilli = 1e6

/** From a look into memory to a build that takes a quarter of an hour, in steps of four. */
const boundaries = Metric.exponentialBoundaries({ start: 0.25, factor: 4, count: 12 })

interface Series {
  readonly count: Metric.Counter<number>
  readonly duration: Metric.Histogram<number>
}

/** The metrics of one tool. They have their attributes from the start, which makes updating them a lookup. */
class Meter {
  readonly inFlight: Metric.Gauge<number>
  private readonly tool: string
  private readonly series = new Map<Outcome, Series>()

  constructor(tool: string) {
    this.tool = tool
    this.inFlight = Metric.gauge("haft.settlements.in_flight", {
      description: "Calls that are being settled",
      attributes: { "haft.tool.name": tool }
    })
  }

  seriesOf(outcome: Outcome): Series {
    const known = this.series.get(outcome)
    if (known !== undefined) return known
    const series = this.makeSeries(outcome)
    this.series.set(outcome, series)
    return series
  }

  private makeSeries(outcome: Outcome): Series {
    const attributes = { "haft.tool.name": this.tool, "haft.outcome": outcome }
    return {
      count: Metric.counter("haft.settlements", {
        description: "Calls that were settled or could not be",
        incremental: true,
        attributes
      }),
      duration: Metric.histogram("haft.settlement.duration", {
        description: "Time from a call to its end",
        boundaries,
        attributes: { ...attributes, unit: "ms" }
      })
    }
  }
}

const meters = new WeakMap<ToolDefinition, Meter>()
const unknownMeter = new Meter(unknownTool)

const meterOf = (offer: Offer, name: string): Meter => {
  const definition = offer.byName.get(name)
  if (definition === undefined) return unknownMeter
  const known = meters.get(definition)
  if (known !== undefined) return known
  const meter = new Meter(definition.name)
  meters.set(definition, meter)
  return meter
}
