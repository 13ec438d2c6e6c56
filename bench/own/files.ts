/** What the file tools cost on large files, and what confining a path costs beside opening it plainly. */
import { ApplyPatch, Edit, LocationFiles, Read } from "@haft/builtins"
import { Permission, type Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeOwners } from "@haft/node"
import { Console, Effect, Layer } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stopwatch } from "../measure.ts"

/** The best of these: in the others the code was not compiled yet, or the machine was shared. */
const rounds = 9

const layerPermission = Layer.succeed(Permission.Service, {
  assert: () => Effect.void,
  stops: () => Effect.succeed(false)
})

interface Cost {
  readonly millis: number
  /** Of the processor, on all threads: what others on the machine do does not count. */
  readonly busyMillis: number
}

const best = Effect.fnUntraced(function* <A, E>(run: (round: number) => Effect.Effect<A, E>) {
  let cost: Cost = { millis: Number.POSITIVE_INFINITY, busyMillis: Number.POSITIVE_INFINITY }
  for (let round = 0; round < rounds; round++) {
    const [elapsed, busy] = [stopwatch(), process.cpuUsage()]
    yield* run(round)
    const { system, user } = process.cpuUsage(busy)
    cost = {
      millis: Math.min(cost.millis, elapsed()),
      busyMillis: Math.min(cost.busyMillis, (system + user) / 1000)
    }
  }
  return cost
})

const call = (tool: Tool.Any, input: unknown) => Testing.call(tool, input)

/** Text of this many bytes, with one line that nothing else has. */
const writeText = (path: string, bytes: number): void => {
  const line = `${"some words of a line that is as long as lines usually are in a program".padEnd(79, ".")}\n`
  Fs.writeFileSync(path, `${line.repeat(Math.floor(bytes / 80))}state 0\n`)
}

/** Sparse behind its first megabytes, so that it costs no disk; reading it to its end would still take a second. */
const writeHuge = (path: string): void => {
  writeText(path, 4 * 1024 ** 2)
  Fs.truncateSync(path, 1024 ** 3)
}

const measures = Effect.fnUntraced(function* (root: string) {
  const files = yield* LocationFiles.Service
  const [edit, patch, read] = [yield* Edit.make, yield* ApplyPatch.make, yield* Read.make]
  writeText(join(root, "large"), 10 * 1024 ** 2)
  writeHuge(join(root, "huge"))
  Fs.mkdirSync(join(root, "a/b"), { recursive: true })
  Fs.writeFileSync(join(root, "a/b/c"), "")
  const edited = yield* best((round) =>
    call(edit, { path: "large", edits: [{ old: `state ${round}`, new: `state ${round + 1}` }] })
  )
  const patched = yield* best((round) => call(patch, { patch: patchOf(round) }))
  const page = yield* best(() => call(read, { path: "huge" }))
  const plain = yield* best(() => repeated(Effect.sync(() => Fs.closeSync(Fs.openSync(join(root, "a/b/c"), "r")))))
  const confined = yield* best(() => repeated(files.resolve("a/b/c")))
  yield* Console.log(`edit of a 10 MB file: ${shown(edited)}`)
  yield* Console.log(`patch that adds two files: ${shown(patched)}`)
  yield* Console.log(`first page of a 1 GB file: ${shown(page)}`)
  yield* Console.log(`${many} times three components resolved: ${shown(confined)}, opened plainly: ${shown(plain)}`)
})

const patchOf = (round: number): string =>
  ["*** Begin Patch", `*** Add File: x${round}`, "+x", `*** Add File: y${round}`, "+y", "*** End Patch"].join("\n")

const shown = ({ busyMillis, millis }: Cost): string => `${millis.toFixed(1)} ms (${busyMillis.toFixed(1)} ms busy)`

const many = 2000

const repeated = Effect.fnUntraced(function* <A, E>(step: Effect.Effect<A, E>) {
  for (let index = 0; index < many; index++) yield* step
})

/** With a journal, as a host has it that wants to be whole after a crash. */
const layerFiles = (directory: string, root: string) =>
  LocationFiles.layer({
    root,
    journal: {
      directory: join(directory, "journal"),
      owners: NodeOwners.make({ directory: join(directory, "owners") })
    }
  })

const bench = Effect.acquireUseRelease(
  Effect.sync(() => {
    const directory = Fs.mkdtempSync(join(tmpdir(), "haft-bench-"))
    Fs.mkdirSync(join(directory, "root"))
    return directory
  }),
  (directory) => {
    const root = join(directory, "root")
    return Effect.provide(measures(root), Layer.merge(layerFiles(directory, root), layerPermission))
  },
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true }))
)

await Effect.runPromise(bench)
