/**
 * Measures every subject in every scenario, each in a process of its own, judges the goals, and writes the report to
 * `docs/`. With `--quick`, or with some of the subjects, it only prints.
 *
 *     pnpm bench [--quick] [--scenarios a,b,overlays] [--subjects haft,ai-sdk]
 */
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { parseArgs, promisify } from "node:util"
import { judge } from "./goals.ts"
import { mark } from "./mark.ts"
import { writeReport } from "./report.ts"
import { outcomeOf, type Outcome, type Printed, readResults, type Results, type Run, writeResults } from "./results.ts"
import type { Scenario } from "./scenario.ts"
import { scenarios } from "./scenarios.ts"
import type { Entry } from "./subject.ts"
import { entries } from "./subjects.ts"
import { goalsTable, scenarioTable } from "./tables.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    scenarios: { type: "string" },
    subjects: { type: "string" }
  }
})

const chosen = (list: string | undefined): ReadonlySet<string> | undefined =>
  list === undefined ? undefined : new Set(list.split(","))

const [scenarioNames, subjectNames] = [chosen(values.scenarios), chosen(values.subjects)]

const isChosen = ({ id, letter }: Scenario): boolean =>
  scenarioNames === undefined || scenarioNames.has(id) || scenarioNames.has(letter)

const takesPart = (scenario: Scenario, entry: Entry): boolean =>
  scenario.appliesTo(entry) &&
  (entry.only === undefined || entry.only.includes(scenario.id)) &&
  (subjectNames === undefined || subjectNames.has(entry.id))

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const child = Path.join(import.meta.dirname, "child.ts")

/** More than the slowest needs on a busy machine. */
const maxMillis = 120_000

const measureOnce = async (scenario: Scenario, entry: Entry): Promise<Printed> => {
  const flags = ["--expose-gc", ...(scenario.flags ?? [])]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, child, scenario.id, entry.id, ...(values.quick ? ["--quick"] : [])],
    { timeout: maxMillis, maxBuffer: 2 ** 26, env: { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: "1" } }
  )
  const line = stdout.split("\n").find((one) => one.startsWith(mark))
  if (line === undefined) throw new Error(`${entry.title} said nothing:\n${stdout}`)
  return JSON.parse(line.slice(mark.length))
}

const measure = async (scenario: Scenario, entry: Entry): Promise<Outcome> => {
  const printed: Array<Printed> = []
  for (let index = 0; index < (values.quick ? 1 : (scenario.processes ?? 1)); index++) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- a process must have the machine to itself
    printed.push(await measureOnce(scenario, entry))
  }
  return outcomeOf(printed)
}

const measureAll = async (scenario: Scenario): Promise<Run> => {
  const outcomes: Record<string, Outcome> = {}
  for (const entry of entries.filter((one) => takesPart(scenario, one))) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- likewise
    outcomes[entry.id] = await measure(scenario, entry)
  }
  return { date: new Date().toISOString().slice(0, 10), outcomes }
}

const earlier = readResults()
const isWhole = !values.quick && subjectNames === undefined
const runs: Record<string, Run> = isWhole ? { ...earlier.runs } : {}
const results: Results = { ...earlier, runs }
for (const scenario of scenarios.filter(isChosen)) {
  // oxlint-disable-next-line eslint/no-await-in-loop -- likewise
  runs[scenario.id] = await measureAll(scenario)
  print(`\n(${scenario.letter}) ${scenario.title}\n\n${scenarioTable(scenario.id, results)}`)
}

print(`\nGoals\n\n${goalsTable(judge(results))}`)
if (isWhole) {
  writeResults(results)
  writeReport(results)
  print("\nWritten to docs/performance.md, docs/performance.svg and docs/performance.json.")
}
