/** One scenario with one subject, in a process that does nothing else. Prints what was measured on a line of its own. */
import { calibrate } from "./measure.ts"
import { scenarios } from "./scenarios.ts"
import { entries } from "./subjects.ts"

export const resultMark = "haft-bench-result:"

const [scenarioId, subjectId, ...flags] = process.argv.slice(2)
const scenario = scenarios.find(({ id }) => id === scenarioId)
const entry = entries.find(({ id }) => id === subjectId)
if (scenario === undefined || entry === undefined) throw new Error(`There is no ${scenarioId} with ${subjectId}`)

const calibrationMillis = calibrate()
const measurement = await scenario.measure(await entry.load(), entry, { quick: flags.includes("--quick") })

process.stdout.write(`\n${resultMark}${JSON.stringify({ ...measurement, calibrationMillis })}\n`, () => process.exit())
