import { assert, describe, it } from "@effect/vitest"
import { ApplyPatch, Edit, LocationFiles, Read, Write } from "@haft/builtins"
import { Permission, type Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Layer, Result, type Scope } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import { join } from "node:path"
import { scenario } from "./support/scenario.ts"
import { swapping } from "./support/swapping.ts"

/** Of each operation. */
const tries = 20_000

/** With fewer the race was not run: everything failed, or the thread never got its turn. */
const leastSuccesses = 500

/** Calls at once, each with files of its own. */
const lanes = 8

/** Memory, if the system offers it: the race is about names, and 20,000 flushes of a disk take minutes. */
const place = Fs.existsSync("/dev/shm") ? "/dev/shm" : Fs.realpathSync(Os.tmpdir())

const layerPermission = Layer.succeed(Permission.Service, {
  assert: () => Effect.void,
  stops: () => Effect.succeed(false)
})

interface Arena {
  readonly root: string
  /** Everything that no call may read or change. */
  readonly outside: () => ReadonlyArray<readonly [string, string]>
  /** What the calls have made of the files inside. */
  readonly inside: () => ReadonlyArray<string>
  readonly swapping: Effect.Effect<unknown, never, Scope.Scope>
  readonly services: Layer.Layer<LocationFiles.Service | Permission.Service, LocationFiles.RootError>
}

/** A directory with files for each lane, the same beside the root with a secret in them, and a thread that swaps both. */
const makeArena = Effect.gen(function* () {
  const above = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(place, "haft-race-"))),
    (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
  )
  const [root, out] = [join(above, "root"), join(above, "out")]
  fill(join(root, "race"), "inside")
  fill(out, "inside CANARY")
  const race = join(root, "race")
  return {
    root,
    outside: () => Fs.readdirSync(out).map((name) => [name, Fs.readFileSync(join(out, name), "utf8")] as const),
    inside: () => contentsOf([`${race}.real`, race].find(isDirectory) ?? race),
    swapping: swapping(race, "../out"),
    services: Layer.merge(LocationFiles.layer({ root, confinement: "strict" }), layerPermission)
  } satisfies Arena
})

const isDirectory = (path: string): boolean => Fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const contentsOf = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory).map((name) => Fs.readFileSync(join(directory, name), "utf8").toLowerCase())

const fill = (directory: string, content: string): void => {
  Fs.mkdirSync(directory, { recursive: true })
  for (let lane = 0; lane < lanes; lane++) Fs.writeFileSync(join(directory, `${lane}`), content)
}

type Making = Effect.Effect<Tool.Any, never, LocationFiles.Service | Permission.Service>

/** The arguments of one try. `turn` counts the successes of the lane, for operations that have to go back and forth. */
type Input = (lane: number, turn: number) => unknown

const operations: ReadonlyArray<readonly [string, Making, Input]> = [
  ["read", Read.make, (lane) => ({ path: `race/${lane}` })],
  ["write", Write.make, (lane, turn) => ({ path: `race/new-${lane}`, content: `inside ${turn}` })],
  [
    "edit",
    Edit.make,
    (lane, turn) => ({
      path: `race/${lane}`,
      edits: [turn % 2 === 0 ? { old: "inside", new: "INSIDE" } : { old: "INSIDE", new: "inside" }]
    })
  ],
  [
    "move",
    ApplyPatch.make,
    (lane, turn) => {
      const [from, to] =
        turn % 2 === 0 ? [`race/${lane}`, `race/moved-${lane}`] : [`race/moved-${lane}`, `race/${lane}`]
      return { patch: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n*** End Patch` }
    }
  ]
]

const runLane = Effect.fnUntraced(function* (tool: Tool.Any, input: Input, lane: number) {
  let successes = 0
  for (let attempt = 0; attempt < tries / lanes; attempt++) {
    const result = yield* Effect.result(Testing.call(tool, input(lane, successes)))
    if (Result.isFailure(result)) continue
    successes++
    assert.notInclude(JSON.stringify(result.success.output), "CANARY")
  }
  return successes
})

/** What stands at the path at this moment, by its name alone. */
const plainRead = (path: string): string => {
  try {
    return Fs.readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

describe("a directory that is exchanged for a link all the time", () => {
  it.live("lets a plain path out, and in again", () =>
    Effect.gen(function* () {
      const { root, swapping } = yield* makeArena
      const reading = Effect.sync(() => Array.from({ length: tries }, () => plainRead(join(root, "race/0"))))
      const seen = new Set(yield* Effect.scoped(Effect.andThen(swapping, reading)))
      assert.isTrue(seen.has("inside CANARY"))
      assert.isTrue(seen.has("inside"))
    })
  )

  for (const [name, make, input] of operations) {
    scenario(
      `never lets ${name} out`,
      {
        fault: "a thread exchanges a directory for a link without a pause",
        keeps: ["V8", "V9", "V11", "V13"],
        window: "a call that succeeded meanwhile",
        atLeast: { tries, hits: leastSuccesses }
      },
      racing(make, input)
    )
  }
})

const racing = (make: Making, input: Input) =>
  Effect.gen(function* () {
    const { inside, outside, services, swapping } = yield* makeArena
    const before = outside()
    const tool = yield* Effect.provide(make, yield* Effect.map(Layer.build(services), Layer.succeedContext))
    const race = Effect.forEach(
      Array.from({ length: lanes }, (_, lane) => lane),
      (lane) => runLane(tool, input, lane),
      { concurrency: "unbounded" }
    )
    const successes = yield* Effect.scoped(Effect.andThen(swapping, race))
    assert.deepStrictEqual(outside(), before)
    // None of the files that were there from the beginning is lost, whatever name it has now.
    const left = inside().filter((content) => content === "inside").length
    assert.isAtMost(left, lanes)
    return { tries, hits: successes.reduce((sum, one) => sum + one, 0), lost: lanes - left }
  })
