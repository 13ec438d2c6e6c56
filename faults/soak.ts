/**
 * Soaks hosts for five minutes, or for as many seconds as are given. `HAFT_SEED` repeats the choices of an earlier run, and
 * `HAFT_RECORD` writes what came of it to `docs/reliability.md`.
 */
import { Effect } from "effect"
import * as Fs from "node:fs"
import { recordSoak } from "./support/document.ts"
import { chosenSeed } from "./support/random.ts"
import { soak, told } from "./support/soak.ts"
import { watched } from "./support/watched.ts"

const fiveMinutes = 300

const seconds = Number(process.argv[2] ?? fiveMinutes)
const seed = chosenSeed()
process.stdout.write(`soaking for ${seconds} s; to repeat: HAFT_SEED=${seed} pnpm soak ${seconds}\n`)

const { left, result } = await Effect.runPromise(watched(soak(seconds * 1000, seed)))
const soaked = { ...result, leaked: [...result.leaked, ...left] }
process.stdout.write(`${told(soaked)}\n`)
if (process.env["HAFT_RECORD"] !== undefined) {
  const document = new URL("../docs/reliability.md", import.meta.url)
  Fs.writeFileSync(document, recordSoak(Fs.readFileSync(document, "utf8"), seconds, soaked))
}
const { corrupt, double, leaked, lost, recovered } = soaked
if (lost.length + double.length + corrupt.length + leaked.length > 0 || recovered === 0) process.exitCode = 1
