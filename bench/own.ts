/** Runs the measurements that have nothing to be compared with, one process after the other: all, or those named. */
import { spawnSync } from "node:child_process"
import * as Path from "node:path"

/** Nothing is collected while something is counted. */
const youngGeneration = ["--max-semi-space-size=256", "--min-semi-space-size=256"]

const programs: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["settling", youngGeneration],
  ["outputs", []],
  ["outputStore", []],
  ["settledOutput", []],
  ["settlementStore", []],
  ["files", []],
  ["search", []],
  ["gateway", youngGeneration],
  ["serve", []]
])

const named = process.argv.slice(2)
const unknown = named.filter((name) => !programs.has(name))
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join(", ")}; there are ${[...programs.keys()].join(", ")}`)

for (const [name, flags] of programs) {
  if (named.length > 0 && !named.includes(name)) continue
  const program = Path.join(import.meta.dirname, "own", `${name}.ts`)
  const { status } = spawnSync(process.execPath, ["--expose-gc", ...flags, program], { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
