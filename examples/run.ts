/** Runs every example and compares what it prints with the `expected.txt` beside it. */
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const outcomes = globSync("*/main.ts", { cwd: import.meta.dirname })
  .toSorted()
  .map(async (example) => {
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, example)])
    const expected = readFileSync(join(import.meta.dirname, example, "../expected.txt"), "utf8")
    const passed = stdout === expected
    console.log(passed ? `ok ${example}` : `FAILED ${example}\n--- expected\n${expected}--- printed\n${stdout}`)
    return passed
  })

const results = await Promise.all(outcomes)
if (results.length === 0 || results.includes(false)) process.exitCode = 1
