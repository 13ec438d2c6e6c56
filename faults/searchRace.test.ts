import { assert, describe, it } from "@effect/vitest"
import { Glob, Grep, LocationFiles, LocationSearch } from "@haft/builtins"
import { Permission, type Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { Context, Effect, Layer, Result } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import { join } from "node:path"
import { scenario } from "./support/scenario.ts"
import { swapping } from "./support/swapping.ts"

/** Of each search, with each way to run the engine. */
const tries = 1_000

/** With fewer the race was not run: everything failed, or the thread never got its turn. */
const leastSuccesses = 500

/** In each of the directories that are exchanged. */
const files = 4

const layerPermission = Layer.succeed(Permission.Service, {
  assert: () => Effect.void,
  stops: () => Effect.succeed(false)
})

/** A directory that is exchanged for one beside the root, and one that stays. */
const makeArena = Effect.gen(function* () {
  const above = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(Fs.realpathSync(Os.tmpdir()), "haft-race-"))),
    (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
  )
  const root = join(above, "root")
  fill(join(root, "race"), "inside", "needle inside\n")
  fill(join(root, "stays"), "inside", "needle inside\n")
  fill(join(above, "out"), "CANARY", "needle CANARY\n")
  return { root, swapping: swapping(join(root, "race"), "../out") }
})

const fill = (directory: string, name: string, content: string): void => {
  Fs.mkdirSync(directory, { recursive: true })
  for (let file = 0; file < files; file++) Fs.writeFileSync(join(directory, `${name}-${file}`), content)
}

const modes: ReadonlyArray<readonly [string, LocationSearch.Options]> = [
  ["isolated", { isolation: "namespace" }],
  ["not isolated", { bubblewrap: "/no/such/program" }]
]

type Needs = LocationFiles.Service | LocationSearch.Service | Permission.Service

const searches: ReadonlyArray<readonly [string, Effect.Effect<Tool.Any, never, Needs>, unknown]> = [
  ["grep", Grep.make, { pattern: "needle" }],
  ["glob", Glob.make, { pattern: "*" }]
]

const cases = modes.flatMap(([mode, options]) =>
  searches.map(([name, make, input]) => [mode, name, make, input, options] as const)
)

const layerFor = (root: string, options: LocationSearch.Options) =>
  LocationSearch.layer(options).pipe(
    Layer.provide(NodeChildProcessSpawner.layer),
    Layer.provideMerge(Layer.merge(LocationFiles.layer({ root, confinement: "strict" }), layerPermission))
  )

/** A thousand processes, beside a thread that never rests. */
const longTime = 300_000

describe("a directory that is exchanged for a link all the time", { timeout: longTime }, () => {
  it.live("leads the bare engine out, and in again", () =>
    Effect.gen(function* () {
      const { root, swapping } = yield* makeArena
      const { rgPath } = yield* Effect.promise(() => import("@vscode/ripgrep"))
      const run = () => plainSearch(rgPath, join(root, "race"))
      const seen = yield* Effect.scoped(
        Effect.andThen(
          swapping,
          Effect.sync(() => Array.from({ length: 200 }, run).join(""))
        )
      )
      assert.include(seen, "CANARY")
      assert.include(seen, "inside")
    })
  )

  for (const [mode, name, make, input, options] of cases) {
    scenario(
      `${mode}, never leads ${name} out`,
      {
        fault: "a thread exchanges a directory for a link without a pause",
        keeps: ["V8", "V9", "V13"],
        window: "a search that found something meanwhile",
        atLeast: { tries, hits: leastSuccesses },
        timeout: longTime
      },
      racing(make, input, options)
    )
  }
})

const racing = (make: Effect.Effect<Tool.Any, never, Needs>, input: unknown, options: LocationSearch.Options) =>
  Effect.gen(function* () {
    const { root, swapping } = yield* makeArena
    const context = yield* Layer.build(layerFor(root, options))
    const tool = yield* Effect.provideContext(make, context)
    assert.strictEqual(Context.get(context, LocationSearch.Service).isolation, options.isolation ?? "none")
    const search = Effect.result(Testing.call(tool, input))
    const results = yield* Effect.scoped(Effect.andThen(swapping, Effect.replicateEffect(search, tries)))
    assert.notInclude(JSON.stringify(results), "CANARY")
    const inside = results.filter((result) => Result.isSuccess(result) && JSON.stringify(result).includes("inside-"))
    return { tries, hits: inside.length }
  })

const plainSearch = (program: string, path: string): string => {
  try {
    return execFileSync(program, ["--no-config", "needle", path], { encoding: "utf8", stdio: "pipe" })
  } catch {
    return ""
  }
}
