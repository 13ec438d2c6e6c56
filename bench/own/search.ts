/** What `grep` and `glob` cost on many files, beside the engine alone and the start of its sandbox. */
import { Glob, Grep, LocationFiles, LocationSearch } from "@haft/builtins"
import { Permission, type Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { rgPath } from "@vscode/ripgrep"
import { Console, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stopwatch } from "../measure.ts"

const fileCount = 50_000

/** The best of these: the machine is shared, and noise only ever adds. */
const rounds = 15

const layerPermission = Layer.succeed(Permission.Service, {
  assert: () => Effect.void,
  stops: () => Effect.succeed(false)
})

/** A hundred files in each directory, a needle in one of a thousand files. */
const writeTree = (root: string): void => {
  const text = "some words of a line that is as long as lines usually are in a program\n".repeat(20)
  for (let index = 0; index < fileCount; index++) {
    const directory = join(root, `d${index % 20}`, `e${Math.floor(index / 100)}`)
    Fs.mkdirSync(directory, { recursive: true })
    Fs.writeFileSync(
      join(directory, `${index}.${index % 1000 === 0 ? "md" : "txt"}`),
      text + (index % 1000 === 7 ? "needle\n" : "")
    )
  }
}

/** Until the program has ended and all it printed was read. */
const ran = (program: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.callback<void>((resume) => {
    const child = spawn(program, args, { cwd, env: {}, stdio: ["ignore", "pipe", "ignore"] })
    child.stdout.resume()
    child.once("close", () => resume(Effect.void))
  })

const best = Effect.fnUntraced(function* <A, E>(run: Effect.Effect<A, E>) {
  let millis = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const elapsed = stopwatch()
    yield* run
    millis = Math.min(millis, elapsed())
  }
  return millis
})

const engine = ["--no-config", "--threads", "2"]

const sandbox = (root: string) =>
  ran(
    "/bin/sh",
    [
      "-c",
      'exec bwrap --die-with-parent --ro-bind-fd 3 /location --ro-bind "$0" /ripgrep -- /ripgrep --version 3<.',
      rgPath
    ],
    root
  )

const report = Effect.fnUntraced(function* (
  name: string,
  tool: Tool.Any,
  input: unknown,
  plain: number,
  start: number
) {
  const called = yield* best(Testing.call(tool, input))
  const ratio = called / (plain + start)
  yield* Console.log(
    `${name}: ${called.toFixed(1)} ms; engine alone ${plain.toFixed(1)} ms, start of the sandbox ${start.toFixed(1)} ms: ${ratio.toFixed(2)} ×`
  )
})

const measures = Effect.fnUntraced(function* (root: string) {
  const { isolation } = yield* LocationSearch.Service
  const start = isolation === "namespace" ? yield* best(sandbox(root)) : 0
  const grep = yield* best(ran(rgPath, [...engine, "--json", "-e", "needle", "./"], root))
  const glob = yield* best(ran(rgPath, [...engine, "--files", "-g", "*.md", "./"], root))
  yield* Console.log(`${fileCount} files, isolation ${isolation}`)
  yield* report("grep", yield* Grep.make, { pattern: "needle" }, grep, start)
  yield* report("glob", yield* Glob.make, { pattern: "*.md" }, glob, start)
})

const measured = (root: string, options: LocationSearch.Options) =>
  Effect.provide(
    measures(root),
    LocationSearch.layer(options).pipe(
      Layer.provide(NodeChildProcessSpawner.layer),
      Layer.provideMerge(Layer.merge(LocationFiles.layer({ root }), layerPermission))
    )
  )

const benchSearch = Effect.acquireUseRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-bench-"))),
  (root) =>
    Effect.gen(function* () {
      writeTree(root)
      yield* measured(root, {})
      yield* measured(root, { bubblewrap: "/no/such/program" })
    }),
  (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true }))
)

await Effect.runPromise(benchSearch)
