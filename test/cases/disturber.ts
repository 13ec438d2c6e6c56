/** A thread that keeps changing one place while a test looks at it, until it is told to stop. */
import * as Fs from "node:fs"
import { parentPort, workerData } from "node:worker_threads"

interface Disturbance {
  readonly op: string
  readonly path: string
  /** What a link in the place of the path leads to. */
  readonly target: string
  /** Anything but zero ends it. */
  readonly stop: Int32Array
}

const { op, path, stop, target }: Disturbance = workerData

/** Few enough bytes that an hour of this fills no disk. */
const maxBytes = 1024 * 1024

const quietly = (step: () => void): void => {
  try {
    step()
  } catch {
    // Whatever is in the way is what the test is about.
  }
}

const swap = (): void => {
  Fs.renameSync(path, `${path}.real`)
  Fs.renameSync(`${path}.link`, path)
  Fs.renameSync(path, `${path}.link`)
  Fs.renameSync(`${path}.real`, path)
}

const refill = (): void => Fs.writeFileSync(path, "line\n".repeat(1000))

const turns: Readonly<Record<string, () => void>> = {
  swapper: swap,
  grower: () => (Fs.statSync(path).size > maxBytes ? Fs.truncateSync(path) : Fs.appendFileSync(path, "line\n")),
  shrinker: () => {
    refill()
    Fs.truncateSync(path, 10)
  },
  deleter: () => {
    refill()
    Fs.rmSync(path)
  }
}

if (op === "swapper") Fs.symlinkSync(target, `${path}.link`)
else refill()
parentPort?.postMessage("ready", [])
while (Atomics.load(stop, 0) === 0) quietly(turns[op] ?? swap)
