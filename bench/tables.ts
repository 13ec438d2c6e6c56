/** The tables of the report, in Markdown. */
import type { Goal } from "./goals.ts"
import type { Outcome, Results } from "./results.ts"
import { entries } from "./subjects.ts"

type Column = readonly [title: string, cell: (outcome: Outcome, results: Results) => string]

const number = (value: number): string => {
  if (Number.isNaN(value)) return "–"
  if (value >= 1_000) return Math.round(value).toLocaleString("en")
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

const metric =
  (name: string): Column[1] =>
  ({ metrics }) =>
    metrics[name] === undefined ? "–" : number(metrics[name].median)

/** Between which values the middle half of the rounds lies. */
const spread =
  (name: string): Column[1] =>
  ({ metrics }) =>
    metrics[name] === undefined ? "–" : `${number(metrics[name].low)} – ${number(metrics[name].high)}`

const fact =
  (name: string, show: (value: number) => string = number): Column[1] =>
  ({ facts }) => {
    const value = facts[name]
    if (typeof value === "number") return show(value)
    return value === undefined ? "–" : value === true ? "yes" : value === false ? "no" : value
  }

const toFloor: Column[1] = ({ metrics }, { runs }) => {
  const floor = runs["sequential"]?.outcomes["effect-floor"]?.metrics["micros"]?.median
  const micros = metrics["micros"]?.median
  return floor === undefined || micros === undefined ? "–" : `${number(micros / floor)} ×`
}

const skipped: Column[1] = ({ facts }) => {
  const skips = [
    facts["refusesInput"] === true ? [] : ["input"],
    facts["refusesOutput"] === true ? [] : ["output"],
    facts["refusesUnknownKeys"] === true ? [] : ["unknown keys"]
  ].flat()
  return skips.length === 0 ? "nothing" : `**${skips.join(", ")}**`
}

const mebibytes = (bytes: number): string => `${number(bytes / 2 ** 20)} MiB`

const shownBytes = (bytes: number): string => (bytes < 2 ** 20 ? `${number(bytes / 1024)} KiB` : mebibytes(bytes))

const columns: Readonly<Record<string, ReadonlyArray<Column>>> = {
  sequential: [
    ["µs a call", metric("micros")],
    ["middle half", spread("micros")],
    ["to the floor on Effect", toFloor],
    ["does not check", skipped]
  ],
  allocations: [
    ["bytes a call", metric("bytes")],
    ["middle half", spread("bytes")]
  ],
  concurrent: [
    ["ms for all", metric("millis")],
    ["middle half", spread("millis")]
  ],
  definitions: [
    ["ms cold", metric("coldMillis")],
    ["middle half", spread("coldMillis")],
    ["ms for the next turn", metric("repeatedMillis")]
  ],
  largeOutput: [
    ["ms", metric("millis")],
    ["middle half", spread("millis")],
    ["to a bare durable write", metric("ratio")],
    ["memory grew by", fact("growthBytes", mebibytes)],
    ["the model reads", fact("modelBytes", shownBytes)]
  ],
  cancelling: [
    ["tool listens: caller free after ms", metric("cooperativeFreeMillis")],
    ["work stops", fact("cooperativeStops")],
    ["tool does not listen: caller free after ms", metric("deafFreeMillis")],
    ["on record afterwards", fact("deafKnown")],
    ["tool is uninterruptible: caller free after ms", metric("shieldedFreeMillis")]
  ],
  importing: [
    ["ms to import", metric("millis")],
    ["middle half", spread("millis")],
    ["ms for Effect's part", metric("effectMillis")],
    ["packages", fact("packages")],
    ["installed", fact("bytes", mebibytes)]
  ],
  durable: [
    ["calls a second", metric("perSecond")],
    ["middle half", spread("perSecond")],
    ["loop late by ms, p99", metric("delayP99Millis")]
  ],
  overlays: [
    ["ms for a turn and a call", metric("millis")],
    ["middle half", spread("millis")],
    ["ms with one registration each", metric("flatMillis")]
  ]
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [header = [], ...body] = rows
  const rule = header.map((_, index) => (index === 0 ? "---" : "---:"))
  return [header, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

export const scenarioTable = (id: string, results: Results): string => {
  const outcomes = results.runs[id]?.outcomes ?? {}
  const shown = columns[id] ?? []
  const rows = entries.flatMap((entry) => {
    const outcome = outcomes[entry.id]
    return outcome === undefined ? [] : [[entry.title, ...shown.map(([, cell]) => cell(outcome, results))]]
  })
  return table([["", ...shown.map(([title]) => title)], ...rows])
}

export const goalsTable = (goals: ReadonlyArray<Goal>): string =>
  table([
    ["", "Goal", "Measured", ""],
    ...goals.map(({ letter, measured, met, text }) => [
      letter,
      text,
      measured ?? "–",
      measured === undefined ? "not measured" : met ? "met" : "**not met**"
    ])
  ])
