/** What was measured, as it is kept in `docs/performance.json`. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { type Summary, summarize } from "./measure.ts"
import type { Measurement } from "./scenario.ts"

export interface Outcome {
  readonly metrics: Readonly<Record<string, Summary>>
  readonly facts: Measurement["facts"]
  readonly calibrationMillis: number
}

/** One scenario, whose subjects have been measured one right after the other. */
export interface Run {
  readonly date: string
  readonly outcomes: Readonly<Record<string, Outcome>>
}

export interface Results {
  readonly machine: Readonly<Record<string, string | number>>
  readonly versions: Readonly<Record<string, string>>
  readonly runs: Readonly<Record<string, Run>>
}

export const docs = Path.join(import.meta.dirname, "..", "docs")
const file = Path.join(docs, "performance.json")

export const readResults = (): Results => {
  const runs = Fs.existsSync(file) ? (JSON.parse(Fs.readFileSync(file, "utf8")) as Results).runs : {}
  return { machine, versions: versions(), runs }
}

export const writeResults = (results: Results): void =>
  Fs.writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`)

/** More digits would say more than was measured. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

const mebibyte = 2 ** 20

const machine = {
  cpu: Os.cpus()[0]?.model ?? "unknown",
  cores: Os.availableParallelism(),
  memoryMiB: Math.round(Os.totalmem() / mebibyte),
  os: `${Os.type()} ${Os.release().split("-")[0]}`,
  node: process.version
}

const versions = (): Readonly<Record<string, string>> => {
  const read = (path: string) => JSON.parse(Fs.readFileSync(Path.join(import.meta.dirname, path), "utf8"))
  const names = Object.keys(read("package.json").dependencies).filter((name) => name !== "@vscode/ripgrep")
  return Object.fromEntries(names.map((name) => [name, read(`node_modules/${name}/package.json`).version]))
}

export type Printed = Measurement & { readonly calibrationMillis: number }

/** The processes of one subject, taken together. */
export const outcomeOf = (printed: ReadonlyArray<Printed>): Outcome => {
  const names = new Set(printed.flatMap(({ samples }) => Object.keys(samples)))
  const samplesOf = (name: string) => printed.flatMap(({ samples }) => samples[name] ?? [])
  return {
    metrics: Object.fromEntries([...names].map((name) => [name, summarize(samplesOf(name))])),
    facts: printed[0]?.facts ?? {},
    calibrationMillis: summarize(printed.map(({ calibrationMillis }) => calibrationMillis)).median
  }
}
