/** The parts of `docs/reliability.md` that a run of the suite and a soak write, and look at. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import { type Soaked, unharmed } from "./soak.ts"
import { markdown, type Titled, windows } from "./table.ts"

const [begin, end] = ["<!-- results of `pnpm faults` -->", "<!-- end of results -->"]
const [beginSoak, endSoak] = ["<!-- result of `pnpm soak` -->", "<!-- end of soak -->"]

/** One sentence about all rows. */
export const totals = (rows: ReadonlyArray<Titled>): string => {
  const total = (of: (row: Titled) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  const bad = (["lost", "double", "corrupt", "leaked"] as const).map(
    (name) => `${total(({ seen }) => seen[name])} ${name}`
  )
  return `${rows.length} scenarios, ${total(({ seen }) => seen.tries)} tries: ${bad.join(", ")}.`
}

/** The document with the results of this run in the place of earlier ones. */
export const record = (document: string, rows: ReadonlyArray<Titled>): string =>
  replaced(document, begin, end, [
    dated(),
    totals(rows),
    markdown(rows),
    "The moments that tries aim at (column “Hit”):",
    windows(rows)
      .map((window) => `- ${window}`)
      .join("\n")
  ])

/** The document with what a soak came to in the place of an earlier one. */
export const recordSoak = (document: string, seconds: number, soaked: Soaked): string => {
  const faults = Object.entries(soaked.faults).toSorted(([one], [other]) => one.localeCompare(other))
  const count = Intl.NumberFormat("en")
  const struck = faults.filter(([fault]) => fault !== unharmed).reduce((sum, [, times]) => sum + times, 0)
  const { corrupt, double, leaked, lost } = soaked
  return replaced(document, beginSoak, endSoak, [
    dated(),
    `A soak of ${seconds} s (seed ${soaked.seed}) had ${count.format(soaked.hosts)} hosts, ${count.format(struck)} faults and ` +
      `${count.format(soaked.calls)} calls, ${count.format(soaked.recovered)} of them recovered, ` +
      `${count.format(soaked.unrecorded)} of those after their effect: ` +
      `${lost.length} lost, ${double.length} double, ${corrupt.length} corrupt, ${leaked.length} leaked.`,
    ["| Fault | Times |", "| --- | ---: |", ...faults.map(([fault, times]) => `| ${fault} | ${times} |`)].join("\n")
  ])
}

const dated = (): string => `${new Date().toISOString().slice(0, 10)} · ${environment()}`

/** The same document with other paragraphs between two marks. */
const replaced = (document: string, from: string, to: string, paragraphs: ReadonlyArray<string>): string => {
  const [head = "", rest = ""] = document.split(from)
  const [, tail = ""] = rest.split(to)
  return `${head}${[from, ...paragraphs, to].join("\n\n")}${tail}`
}

/** Where a run took place. */
export const environment = (): string => {
  const effect = JSON.parse(Fs.readFileSync(new URL("../node_modules/effect/package.json", import.meta.url), "utf8"))
  const sqlite = process.versions["sqlite"]
  return `Node ${process.versions.node}, SQLite ${sqlite}, Effect ${effect.version}, ${Os.type()} ${Os.release().split(".", 2).join(".")}, ${Os.availableParallelism()} cores`
}

/** Scenarios that the document does not name, and those that it names and nobody ran. Without results there are none. */
export const differences = (document: string, rows: ReadonlyArray<Titled>): ReadonlyArray<string> => {
  const [, part = ""] = (document.split(end)[0] ?? "").split(begin)
  const told = part
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => cells(line).slice(0, 3).join(" | "))
  const run = rows.map((row) =>
    cells(markdown([row]).split("\n")[2] ?? "")
      .slice(0, 3)
      .join(" | ")
  )
  if (told.length === 0) return []
  return [
    ...run.filter((row) => !told.includes(row)).map((row) => `not in the document: ${row}`),
    ...told.filter((row) => !run.includes(row)).map((row) => `not in the suite: ${row}`)
  ]
}

/** Formatting a document may change the spaces around cells. */
const cells = (line: string): ReadonlyArray<string> =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
