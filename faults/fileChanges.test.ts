import { afterAll, assert, beforeAll, describe, vi } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { fixture } from "./support/launch.ts"
import { scenario, temporary } from "./support/scenario.ts"
import { countOf, failAt, killAt, type Program, trace } from "./support/strace.ts"

/** One process on each core of a small machine. */
const processes = 2

const old = "old\n".repeat(50_000)
const next = "new\n".repeat(100_000)

/** Calls are counted for each thread, so that there is only one that makes them. */
beforeAll(() => {
  vi.stubEnv("UV_THREADPOOL_SIZE", "1")
})
afterAll(() => {
  vi.unstubAllEnvs()
})

interface Run extends Program {
  /** By path; directories have none. */
  readonly contents: () => Readonly<Record<string, string | undefined>>
  /** What stands in the journal. */
  readonly entries: () => ReadonlyArray<string>
  /** A process that starts and does nothing, after this one. */
  readonly successor: Program
}

interface Files {
  /** All of them old at first. */
  readonly existing: ReadonlyArray<string>
  readonly added?: ReadonlyArray<string>
  readonly removed?: ReadonlyArray<string>
}

/** A project with these files, and a program that makes them new. */
const makeRun = (above: string, name: string, { added = [], existing, removed = [] }: Files, isNoted = false): Run => {
  const directory = join(above, name)
  const [root, journal] = [join(directory, "root"), join(directory, "journal")]
  Fs.mkdirSync(root, { recursive: true })
  for (const path of [...existing, ...removed]) Fs.writeFileSync(join(root, path), old)
  const shared = { directory, fileThreads: 1 }
  const args = [fixture("changer"), root, isNoted ? journal : ""]
  return {
    ...shared,
    args: [...args, ...existing, ...added, ...removed.map((path) => `-${path}`)],
    successor: { ...shared, args },
    contents: () => contentsBelow(root),
    entries: () => Fs.readdirSync(journal).filter((entry) => entry !== "owners")
  }
}

const contentsBelow = (root: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Fs.readdirSync(root, { encoding: "utf8", recursive: true }).map((path) => {
      const place = join(root, path)
      return [path, Fs.statSync(place).isFile() ? Fs.readFileSync(place, "utf8") : undefined]
    })
  )

const calls = ["pwrite64", "fsync", "link", "rename", "unlink"]

/** Each place at which the program can be killed while it changes these files. */
const placesOf = Effect.fnUntraced(function* (make: (name: string) => Effect.Effect<Program>) {
  // The first run also writes what Node compiled.
  yield* trace(yield* make("first"), calls)
  const lines = yield* trace(yield* make("trace"), calls)
  return calls.flatMap((call) => Array.from({ length: countOf(lines, call) }, (_, index) => ({ call, nth: index + 1 })))
})

const killedAnywhere = "kill -9 at each pwrite64, fsync, link, rename and unlink"

const mixed = "some files are new and others old"

describe("a process that is killed while it changes files", () => {
  const cases = [
    ["one file", ["a"], []],
    ["a new file", [], ["a"]],
    ["several files", ["a", "b"], ["c"]]
  ] as const
  for (const [name, existing, added] of cases) {
    scenario(
      `leaves each file old or new: ${name}`,
      {
        fault: killedAnywhere,
        keeps: ["V11", "V13"],
        window: "the process is killed before it is done",
        atLeast: { tries: 3, hits: 3 }
      },
      killedWhileChanging(existing, added)
    )
  }
})

const killedWhileChanging = (existing: ReadonlyArray<string>, added: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const above = yield* temporary
    const places = yield* placesOf((name) => Effect.sync(() => makeRun(above, name, { existing, added })))
    const killed = yield* Effect.forEach(
      places,
      Effect.fnUntraced(function* ({ call, nth }) {
        const run = makeRun(above, `${call}-${nth}`, { existing, added })
        const isKilled = yield* killAt(run, call, nth)
        const contents = run.contents()
        const isMixture = (path: string, before: string | undefined) => ![before, next].includes(contents[path])
        const mixtures = [
          ...existing.filter((path) => isMixture(path, old)),
          ...added.filter((path) => isMixture(path, undefined))
        ]
        return { isKilled, mixtures }
      }),
      { concurrency: processes }
    )
    const corrupt = killed.flatMap(({ mixtures }) => mixtures).length
    return { tries: places.length, hits: killed.filter(({ isKilled }) => isKilled).length, corrupt }
  })

/** Everything at once: replaced, added in a directory that is not there, and removed. */
const all: Files = { existing: ["a", "b"], added: ["sub/deep/c"], removed: ["d"] }
const before = { a: old, b: old, d: old }
const after = { a: next, b: next, sub: undefined, "sub/deep": undefined, "sub/deep/c": next }

/** The next start has found everything as it should be: all of it old or all of it new, and nothing left beside it. */
const assertWhole = (run: Run, files: Readonly<Record<string, string | undefined>>, message: string) => {
  const contents = run.contents()
  assert.deepStrictEqual(contents, contents["a"] === old ? before : files, message)
  assert.deepStrictEqual(run.entries(), [], message)
  return contents["a"] === old ? "undone" : "finished"
}

const recovered = (run: Run) =>
  Effect.flatMap(killAt(run.successor, "rename", 1_000), (is) => Effect.sync(() => assert.isFalse(is)))

describe("a journal", () => {
  scenario(
    "makes a change whole after a kill at any moment, at the next start",
    { fault: killedAnywhere, keeps: ["V8", "V11", "V12", "V13"], window: mixed, atLeast: { tries: 20, hits: 6 } },
    Effect.gen(function* () {
      const above = yield* temporary
      const places = yield* placesOf((name) => Effect.sync(() => makeRun(above, name, all, true)))
      const endings = yield* Effect.forEach(
        places,
        Effect.fnUntraced(function* ({ call, nth }) {
          const run = makeRun(above, `${call}-${nth}`, all, true)
          const isKilled = yield* killAt(run, call, nth)
          const isMixed = !isOneOf([before, after], run.contents())
          yield* recovered(run)
          const ending = assertWhole(run, after, `${call} ${nth}`)
          return isKilled && isMixed ? ending : undefined
        }),
        { concurrency: processes }
      )
      assert.isAtLeast(endings.filter((ending) => ending === "undone").length, 5)
      assert.isAtLeast(endings.filter((ending) => ending === "finished").length, 1)
      return { tries: places.length, hits: endings.filter((ending) => ending !== undefined).length }
    })
  )

  scenario(
    "may be killed itself while it undoes a change",
    {
      fault: `${killedAnywhere} of the next start`,
      keeps: ["V8", "V11", "V12", "V13"],
      window: "the process is killed while it undoes",
      atLeast: { tries: 5, hits: 5 }
    },
    Effect.gen(function* () {
      const above = yield* temporary
      // The entry itself becomes durable with the second rename.
      const killed = Effect.fnUntraced(function* (name: string) {
        const run = makeRun(above, name, all, true)
        assert.isTrue(yield* killAt(run, "rename", 4))
        assert.isFalse(isOneOf([before, after], run.contents()))
        return run
      })
      const places = yield* placesOf((name) => Effect.map(killed(name), ({ successor }) => successor))
      const ends = yield* Effect.forEach(
        places,
        Effect.fnUntraced(function* ({ call, nth }) {
          const run = yield* killed(`${call}-${nth}`)
          const isKilled = yield* killAt(run.successor, call, nth)
          yield* recovered(run)
          assert.strictEqual(assertWhole(run, after, `${call} ${nth}`), "undone")
          return isKilled
        }),
        { concurrency: processes }
      )
      return { tries: places.length, hits: ends.filter(Boolean).length }
    })
  )
})

const isOneOf = (all: ReadonlyArray<object>, contents: object): boolean =>
  all.some(
    (one) => JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(contents).toSorted())
  )

describe("a system that fails while files are changed", () => {
  const failures = [
    ["no space", "pwrite64", "ENOSPC", "1+"],
    ["a disk that cannot be flushed", "fsync", "EIO", "1"],
    ["a name that cannot be changed", "rename", "EIO", "1"],
    ["the second name that cannot be changed", "rename", "EIO", "2"]
  ] as const
  for (const [name, call, error, when] of failures) {
    scenario(
      `leaves all files as they were, and nothing beside them: ${name}`,
      { fault: `${error} at ${call} ${when}`, keeps: ["V8", "V11"], atLeast: { tries: 1 } },
      Effect.gen(function* () {
        const run = makeRun(yield* temporary, "run", { existing: ["a", "b"], added: ["c"] })
        assert.isFalse(yield* failAt(run, call, error, when))
        assert.deepStrictEqual(run.contents(), { a: old, b: old })
        return once
      })
    )
  }

  scenario(
    "after the files were changed does not call them unchanged",
    { fault: "EIO at fsync 2", keeps: ["V11"], atLeast: { tries: 1 } },
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", { existing: ["a"] })
      assert.isFalse(yield* failAt(run, "fsync", "EIO", "2"))
      assert.deepStrictEqual(run.contents(), { a: next })
      return once
    })
  )

  scenario(
    "by having no second names for files makes the changes in another way",
    { fault: "EPERM at link 1+", keeps: ["V11"], atLeast: { tries: 1 } },
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", { existing: ["a", "b"], added: ["c"] })
      assert.isTrue(yield* failAt(run, "link", "EPERM", "1+"))
      assert.deepStrictEqual(run.contents(), { a: next, b: next, c: next })
      return once
    })
  )

  scenario(
    "and does not let the change be undone either keeps the old contents beside the new ones",
    { fault: "EIO at rename 2+", keeps: ["V11"], atLeast: { tries: 1 } },
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", { existing: ["a", "b"] })
      assert.isFalse(yield* failAt(run, "rename", "EIO", "2+"))
      const contents = Object.entries(run.contents())
      assert.deepStrictEqual(run.contents()["a"], next)
      const kept = contents.filter(([path, content]) => path.endsWith(".old") && content === old).length
      return { tries: 1, lost: 2 - kept }
    })
  )

  scenario(
    "and does not let the change be undone either leaves that to the next start",
    { fault: "EIO at rename 4+", keeps: ["V8", "V11", "V12"], atLeast: { tries: 1 } },
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", all, true)
      assert.isFalse(yield* failAt(run, "rename", "EIO", "4+"))
      assert.notDeepEqual(run.contents(), before)
      yield* recovered(run)
      assert.strictEqual(assertWhole(run, after, ""), "undone")
      return once
    })
  )
})

const once = { tries: 1 }
