/** Catches the spans, log lines and metrics of a test, and nothing of the tests beside it. */
import { Context, Effect, Layer, Logger, Metric, References, Tracer } from "effect"

type Line = typeof Logger.formatStructured extends Logger.Logger<unknown, infer Output> ? Output : never

export class Watch extends Context.Service<
  Watch,
  { readonly spans: Array<Tracer.NativeSpan>; readonly lines: Array<Line> }
>()("test/Watch") {}

const tracerOf = (spans: Array<Tracer.NativeSpan>) =>
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })

/** Provide it outside of the registry. */
export const layer = Layer.unwrap(
  Effect.sync(() => {
    const spans: Array<Tracer.NativeSpan> = []
    const lines: Array<Line> = []
    const logger = Logger.map(Logger.formatStructured, (line) => lines.push(line))
    return Layer.mergeAll(
      Layer.succeed(Watch, { spans, lines }),
      Layer.succeed(Tracer.Tracer, tracerOf(spans)),
      Layer.succeed(Metric.MetricRegistry, new Map()),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Logger.layer([logger, Logger.tracerLogger])
    )
  })
)

/** The settlements among the spans. */
export const settlements = Effect.map(Watch, ({ spans }) =>
  spans.filter(({ name }) => name === "Materialization.settle")
)

/** The states of a metric, by the values of its attributes. */
export const statesOf = (id: string) =>
  Effect.map(Metric.snapshot, (snapshots) =>
    Object.fromEntries(
      snapshots
        .filter((snapshot) => snapshot.id === id)
        .map(({ attributes, state }) => [Object.values(attributes ?? {}).join(" "), state])
    )
  )
