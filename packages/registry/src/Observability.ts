/**
 * How much of each settlement a host can watch: a span, a log line, and metrics. They hold ids, names, counts and codes,
 * and never what a model sent, what a tool returned or why it died.
 *
 * - The span `Materialization.settle` is the parent of whatever the executor traces.
 * - The log line is at `Debug`; at `Warn` if the call ended in an operational error, at `Error` if it died.
 * - The counter `haft.settlements` and the histogram `haft.settlement.duration` are by `haft.tool.name` and
 *   `haft.outcome`, the gauge `haft.settlements.in_flight` by tool. A repeated call counts each time it is answered.
 *
 * Names that the turn did not offer are reported as `unknown`, so that a model cannot make up metrics.
 */
import * as Context from "effect/Context"

/** `metrics` leaves out spans and log lines; with `none` a call pays nothing. */
export type Level = "full" | "metrics" | "none"

/** Read when a turn is made, for all of its calls. */
export const Level = Context.Reference<Level>("@haft/registry/Observability", { defaultValue: () => "full" })
