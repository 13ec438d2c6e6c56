/** One scenario with one subject, in a process that does nothing else. Prints what was measured on a line of its own. */
import { mark } from "./mark.ts"
import { calibrate } from "./measure.ts"
import { scenarios } from "./scenarios.ts"
import { entries } from "./subjects.ts"

const [scenarioId, subjectId, ...flags] = process.argv.slice(2)
const scenario = scenarios.find(({ id }) => id === scenarioId)
const entry = entries.find(({ id }) => id === subjectId)
if (scenario === undefined || entry === undefined) throw new Error(`There is no ${scenarioId} with ${subjectId}`)

const calibrationMillis = calibrate()
const measurement = await scenario.measure(entry, { quick: flags.includes("--quick") })

process.stdout.write(`\n${mark}${JSON.stringify({ ...measurement, calibrationMillis })}\n`, () => process.exit())
