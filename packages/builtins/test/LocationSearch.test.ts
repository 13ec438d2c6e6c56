import { assert, describe, it } from "@effect/vitest"
import type { LocationFiles, LocationSearch } from "@haft/builtins"
import { Progress } from "@haft/core"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import { makePlace, openDescriptors } from "./support/place.ts"
import {
  complaintOf,
  hasBubblewrap,
  isolated,
  layerOn,
  makeSearchPlace,
  notIsolated,
  script,
  type SearchPlace,
  textOf
} from "./support/searching.ts"

const query: LocationSearch.GrepQuery = {
  pattern: "x",
  ignoreCase: false,
  context: 0,
  glob: undefined,
  all: false,
  limit: 100
}

/** A record of the engine for one line of one file. */
const record = (path: string, text: string) =>
  [
    {
      type: "match",
      data: { path: { text: path }, lines: { text }, line_number: 1, absolute_offset: 0, submatches: [] }
    },
    { type: "end", data: {} }
  ]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("")

/** A place whose engine prints what it is told and then does what the shell is told. */
const withEngine = Effect.fnUntraced(function* (printed: string, then: string) {
  const beside = yield* makePlace()
  Fs.writeFileSync(`${beside.above}/printed`, printed)
  const ripgrep = script(beside, "engine", `cat '${beside.above}/printed'\n${then}`)
  return yield* makeSearchPlace({ ...notIsolated, ripgrep })
})

const rootOf = (place: SearchPlace): Effect.Effect<LocationFiles.Target, unknown> =>
  Effect.flatMap(place.files.resolve("."), (target) =>
    target._tag === "Target" ? Effect.succeed(target) : Effect.die("outside")
  )

describe("where the engine runs", () => {
  it.effect.skipIf(!hasBubblewrap)("is a namespace with nothing but the directory, if the system has that", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace({})
      assert.strictEqual(place.search.isolation, "namespace")
    })
  )

  it.effect("is beside this process if the program that isolates is missing or does not work", () =>
    Effect.gen(function* () {
      const place = yield* makePlace()
      const broken = script(place, "broken", "exit 1")
      for (const bubblewrap of ["/no/such/program", broken]) {
        const { search } = yield* makeSearchPlace({ bubblewrap })
        assert.strictEqual(search.isolation, "none")
        const error = yield* Effect.flip(Effect.scoped(Layer.build(layerOn(place, { ...isolated, bubblewrap }))))
        assert.deepStrictEqual([error._tag, error.reason], ["LocationSearch.UnavailableError", "NotIsolated"])
      }
    })
  )

  it.effect("is beside this process where a directory cannot be held, and the findings are proven", () =>
    Effect.gen(function* () {
      const place = yield* makeSearchPlace({}, { descriptors: "/no/such/directory" })
      place.write("a", "x\n")
      assert.deepStrictEqual([place.files.confinement, place.search.isolation], ["best-effort", "none"])
      assert.strictEqual(yield* textOf(place, "grep", { pattern: "x" }), "a\n1:\tx\n\n[1 match in 1 file.]")
      assert.strictEqual(yield* textOf(place, "glob", { pattern: "*" }), "a\n[1 file.]")
    })
  )
})

describe("findings that nobody vouches for", () => {
  it.effect("are shown only as they stand in the file that the path leads to now", () =>
    Effect.gen(function* () {
      const printed = [
        record("./a", "x inside\n"),
        record("./changed", "x CANARY\n"),
        record("./gone", "x CANARY\n"),
        record("./link/b", "x CANARY\n"),
        record("../beside/b", "x CANARY\n")
      ]
      const place = yield* withEngine(printed.join(""), "")
      place.write("a", "x inside\nmore\n")
      place.write("changed", "x now\n")
      place.write("../beside/b", "x CANARY\n")
      Fs.symlinkSync("../beside", place.at("link"))
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x" }),
        "a\n1:\tx inside\n\n[1 match in 1 file.]\n[Left out: 4 results that changed during the search. Search again.]"
      )
    })
  )

  it.effect("are listed only if a file is there", () =>
    Effect.gen(function* () {
      const place = yield* withEngine("./a\0./gone\0./link/b\0", "")
      place.write("a", "")
      place.write("../beside/b", "")
      Fs.symlinkSync("../beside", place.at("link"))
      assert.strictEqual(
        yield* textOf(place, "glob", { pattern: "*" }),
        "a\n[1 file.]\n[Left out: 2 results that changed during the search. Search again.]"
      )
    })
  )
})

describe("an engine", () => {
  it.effect("that is not done when the time is over is ended, and what it found stays", () =>
    Effect.gen(function* () {
      const place = yield* withEngine(record("./a", "x\n"), "exec sleep 31.4159")
      place.write("a", "x\n")
      const target = yield* rootOf(place)
      const reported = yield* Deferred.make<void>()
      const search = place.search.lines(target, query).pipe(
        Effect.provideService(Progress.Service, {
          report: () => Effect.asVoid(Deferred.succeed(reported, undefined))
        })
      )
      const before = openDescriptors()
      const fiber = yield* Effect.forkChild(search)
      yield* Deferred.await(reported)
      yield* TestClock.adjust("30 seconds")
      const found = yield* Fiber.join(fiber)
      assert.deepStrictEqual([found.end, found.count], ["deadline", 1])
      assert.isFalse(runs("31.4159"))
      assert.strictEqual(openDescriptors(), before)
    })
  )

  it.effect("that goes on after the limit is ended", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 3 }, (_, index) => record(`./${index}`, "x\n"))
      const place = yield* withEngine(lines.join(""), "exec sleep 27.1828")
      for (let index = 0; index < 3; index++) place.write(`${index}`, "x\n")
      const found = yield* place.search.lines(yield* rootOf(place), { ...query, limit: 2 })
      assert.deepStrictEqual([found.end, found.count], ["limit", 2])
      assert.isFalse(runs("27.1828"))
    })
  )

  it.effect("that could not read everything has found something all the same", () =>
    Effect.gen(function* () {
      const place = yield* withEngine(record("./a", "x\n"), "exit 2")
      place.write("a", "x\n")
      assert.strictEqual(
        yield* textOf(place, "grep", { pattern: "x" }),
        "a\n1:\tx\n\n[1 match in 1 file.]\n[Incomplete: some files or directories could not be read, or only in part.]"
      )
    })
  )

  it.effect("that fails in any other way is no search without results", () =>
    Effect.gen(function* () {
      const failed =
        "Unavailable: The search could not be run.\nTry once more. If it fails again, tell the user, and read files instead."
      for (const then of ["exit 3", "echo trouble >&2; exit 1", "kill -9 $$"]) {
        const place = yield* withEngine("", then)
        assert.strictEqual(yield* complaintOf(place, "grep", { pattern: "x" }), failed)
        assert.strictEqual(yield* complaintOf(place, "glob", { pattern: "*" }), failed)
      }
      const none = yield* withEngine("", "exit 1")
      assert.include(yield* textOf(none, "grep", { pattern: "x" }), "[Nothing matches.")
    })
  )

  it.effect("is ended when the search is interrupted", () =>
    Effect.gen(function* () {
      const place = yield* withEngine(record("./a", "x\n"), "exec sleep 16.1803")
      place.write("a", "x\n")
      const reported = yield* Deferred.make<void>()
      const search = Effect.provideService(place.search.lines(yield* rootOf(place), query), Progress.Service, {
        report: () => Effect.asVoid(Deferred.succeed(reported, undefined))
      })
      const fiber = yield* Effect.forkChild(search)
      yield* Deferred.await(reported)
      yield* Fiber.interrupt(fiber)
      assert.isFalse(runs("16.1803"))
    })
  )
})

/** Whether any process has this argument. */
const runs = (argument: string): boolean =>
  Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => commandLine(pid).split("\0").includes(argument))

const commandLine = (pid: string): string => {
  try {
    return Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}
