/** Writes `docs/performance.md` and its chart. What a person wrote there, outside of the marks, stays. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { chart } from "./chart.ts"
import { judge } from "./goals.ts"
import { docs, type Results } from "./results.ts"
import { scenarios } from "./scenarios.ts"
import { goalsTable, scenarioTable } from "./tables.ts"

const page = Path.join(docs, "performance.md")
const [start, end] = ["<!-- results: written by `pnpm bench` -->", "<!-- end of results -->"]

export const writeReport = (results: Results): void => {
  const text = Fs.readFileSync(page, "utf8")
  const [before = "", rest = ""] = text.split(start)
  const after = rest.split(end)[1] ?? ""
  Fs.writeFileSync(page, `${before}${start}\n\n${body(results)}\n\n${end}${after}`)
  Fs.writeFileSync(Path.join(docs, "performance.svg"), chart(results))
}

const body = (results: Results): string =>
  [
    machineOf(results),
    "![Time of a call, of 1,000 calls at once and of 1,000 definitions](performance.svg)",
    "## Goals",
    goalsTable(judge(results)),
    ...scenarios.flatMap(({ id, letter, title }) =>
      results.runs[id] === undefined ? [] : [`## (${letter}) ${title}`, scenarioTable(id, results)]
    ),
    "## Versions",
    Object.entries(results.versions)
      .map(([name, version]) => `\`${name}\` ${version}`)
      .join(" · ")
  ].join("\n\n")

const machineOf = ({ machine, runs }: Results): string => {
  const dates = [...new Set(Object.values(runs).map(({ date }) => date))].toSorted()
  const calibrations = Object.values(runs).flatMap(({ outcomes }) =>
    Object.values(outcomes).map(({ calibrationMillis }) => calibrationMillis)
  )
  const [least, most] = [Math.min(...calibrations), Math.max(...calibrations)].map((millis) => millis.toFixed(1))
  return (
    `Measured on ${dates.join(" and ")}: ${machine["cpu"]}, ${machine["cores"]} cores, ${machine["memoryMiB"]} MiB, ` +
    `${machine["os"]}, Node ${machine["node"]}. The calibration loop, the same piece of work at the start of every ` +
    `process, took between ${least} and ${most} ms.`
  )
}
