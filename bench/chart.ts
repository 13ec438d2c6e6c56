/** The chart of the report: bars on a logarithmic scale, one panel for each scenario that everybody takes part in. */
import type { Results } from "./results.ts"
import { entries } from "./subjects.ts"

interface Panel {
  readonly scenario: string
  readonly metric: string
  readonly title: string
  readonly unit: string
}

const panels: ReadonlyArray<Panel> = [
  { scenario: "sequential", metric: "micros", title: "A small call, checked both ways", unit: "µs" },
  { scenario: "concurrent", metric: "millis", title: "1,000 calls at once of a 5 ms tool", unit: "ms" },
  { scenario: "definitions", metric: "coldMillis", title: "1,000 tools to definitions, cold", unit: "ms" }
]

const width = 760
const labelWidth = 210
const barWidth = 440
const rowHeight = 20
const panelGap = 44

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

interface Bar {
  readonly title: string
  readonly family: string
  readonly value: number
  readonly partial: boolean
}

const barsOf = ({ metric, scenario }: Panel, { runs }: Results): ReadonlyArray<Bar> => {
  const checks = runs["sequential"]?.outcomes
  return entries
    .flatMap(({ family, id, title }) => {
      const value = runs[scenario]?.outcomes[id]?.metrics[metric]?.median
      const partial = checks?.[id]?.facts["refusesOutput"] === false
      return value === undefined ? [] : [{ title, family, value, partial }]
    })
    .toSorted((left, right) => left.value - right.value)
}

/** From a tenth of the least to the most, so that even the least has a bar. */
const scaleOf = (bars: ReadonlyArray<Bar>): ((value: number) => number) => {
  const values = bars.map(({ value }) => value)
  const [least, most] = [Math.log10(Math.min(...values)) - 0.5, Math.log10(Math.max(...values))]
  return (value) => ((Math.log10(value) - least) / (most - least)) * barWidth
}

const rowOf = ({ family, partial, title, value }: Bar, length: number, y: number, unit: string): string =>
  `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escape(title)}${partial ? " *" : ""}</text>` +
  `<rect class="${family}" x="${labelWidth}" y="${y + 2}" width="${length.toFixed(1)}" height="${rowHeight - 6}" rx="2"/>` +
  `<text class="value" x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}">${value.toPrecision(3)} ${unit}</text>`

const panelOf = (panel: Panel, bars: ReadonlyArray<Bar>, top: number): string => {
  const scale = scaleOf(bars)
  const rows = bars.map((bar, index) => rowOf(bar, scale(bar.value), top + 30 + index * rowHeight, panel.unit))
  return `<text class="title" x="12" y="${top + 18}">${escape(panel.title)}</text>\n${rows.join("\n")}`
}

const style = `
  text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 13px } .value { fill: #666 }
  .haft { fill: #c2571a } .alternative { fill: #8a94a3 } .floor { fill: #c9ced6 } .ground { fill: #fff }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .value { fill: #aaa } .floor { fill: #4b525c } .ground { fill: #15181c } }
`

export const chart = (results: Results): string => {
  const parts: Array<string> = []
  let top = 8
  for (const panel of panels) {
    const bars = barsOf(panel, results)
    if (bars.length === 0) continue
    parts.push(panelOf(panel, bars, top))
    top += bars.length * rowHeight + panelGap
  }
  const note = `<text class="value" x="12" y="${top + 10}">Logarithmic; shorter is better. * does not check what a tool returns. Floors are the same work by hand.</text>`
  const height = top + 24
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `<style>${style}</style><rect class="ground" width="${width}" height="${height}"/>\n${parts.join("\n")}\n${note}\n</svg>\n`
  )
}
