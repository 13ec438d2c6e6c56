/** The surroundings of an install: what every effect has, what was handed to this plugin, and nothing else of the host. */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"

/** Time, chance, and where reports go. None of it is a way to anything that a host would have to grant. */
const surroundings = Context.pick(
  Clock.Clock,
  Console.Console,
  Logger.CurrentLoggers,
  Logger.LogToStderr,
  Metric.FiberRuntimeMetrics,
  Metric.MetricRegistry,
  Random.Random,
  References.CurrentLogAnnotations,
  References.MinimumLogLevel,
  References.TracerEnabled,
  Scheduler.Scheduler,
  Tracer.Tracer
)

/** Runs an effect with exactly these services. Whatever else is around, a type assertion does not get at it. */
export const isolate = <A, E>(
  effect: Effect.Effect<A, E>,
  handed: Context.Context<never>,
  fibers: Fibers
): Effect.Effect<A, E> =>
  Effect.updateContext(effect, (context: Context.Context<never>) =>
    Context.merge(surroundings(context), handed).pipe(
      Context.add(Metric.FiberRuntimeMetrics, fibers.within(Context.get(context, Metric.FiberRuntimeMetrics)))
    )
  )

/** Counts the fibers that a plugin has started and that still run. */
export class Fibers {
  running = 0

  /** Whoever counts fibers already goes on to do so. */
  within(outer: Metric.FiberRuntimeMetricsService | undefined): Metric.FiberRuntimeMetricsService {
    return {
      recordFiberStart: (context) => {
        this.running++
        outer?.recordFiberStart(context)
      },
      recordFiberEnd: (context, exit) => {
        this.running--
        outer?.recordFiberEnd(context, exit)
      }
    }
  }
}
