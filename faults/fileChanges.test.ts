import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { countOf, failAt, killAt, type Program, trace } from "./support/strace.ts"

const changer = fileURLToPath(new URL("fixtures/changer.ts", import.meta.url))

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

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-changes-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

interface Run extends Program {
  readonly contents: () => Readonly<Record<string, string>>
}

/** A project with these files, all of them old, and a program that makes them new. */
const makeRun = (
  above: string,
  name: string,
  existing: ReadonlyArray<string>,
  added: ReadonlyArray<string> = []
): Run => {
  const directory = join(above, name)
  const root = join(directory, "root")
  Fs.mkdirSync(root, { recursive: true })
  for (const path of existing) Fs.writeFileSync(join(root, path), old)
  const contents = () =>
    Object.fromEntries(Fs.readdirSync(root).map((path) => [path, Fs.readFileSync(join(root, path), "utf8")]))
  const args = [changer, root, ...existing, ...added]
  return { args, directory, cache: join(above, "cache"), fileThreads: 1, contents }
}

const calls = ["pwrite64", "fsync", "link", "rename", "unlink"]

/** Each place at which the program can be killed while it changes these files. */
const placesOf = Effect.fnUntraced(function* (
  above: string,
  existing: ReadonlyArray<string>,
  added: ReadonlyArray<string>
) {
  // The first run also writes what Node compiled.
  yield* trace(makeRun(above, "first", existing, added), calls)
  const lines = yield* trace(makeRun(above, "trace", existing, added), calls)
  return calls.flatMap((call) => Array.from({ length: countOf(lines, call) }, (_, index) => ({ call, nth: index + 1 })))
})

describe("a process that is killed while it changes files", () => {
  it.live.each([
    ["one file", ["a"], []],
    ["a new file", [], ["a"]],
    ["several files", ["a", "b"], ["c"]]
  ] as const)("leaves each file old or new: %s", ([, existing, added]) =>
    Effect.gen(function* () {
      const above = yield* temporary
      const places = yield* placesOf(above, existing, added)
      const killed = yield* Effect.forEach(
        places,
        Effect.fnUntraced(function* ({ call, nth }) {
          const run = makeRun(above, `${call}-${nth}`, existing, added)
          const isKilled = yield* killAt(run, call, nth)
          const contents = run.contents()
          for (const path of existing) assert.include([old, next], contents[path], `${path} at ${call} ${nth}`)
          for (const path of added) assert.include([undefined, next], contents[path], `${path} at ${call} ${nth}`)
          return isKilled
        }),
        { concurrency: processes }
      )
      assert.isAtLeast(killed.filter(Boolean).length, 3)
    })
  )
})

describe("a system that fails while files are changed", () => {
  it.live.each([
    ["no space", "pwrite64", "ENOSPC", "1+"],
    ["a disk that cannot be flushed", "fsync", "EIO", "1"],
    ["a name that cannot be changed", "rename", "EIO", "1"],
    ["the second name that cannot be changed", "rename", "EIO", "2"]
  ] as const)("leaves all files as they were, and nothing beside them: %s", ([, call, error, when]) =>
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", ["a", "b"], ["c"])
      assert.isFalse(yield* failAt(run, call, error, when))
      assert.deepStrictEqual(run.contents(), { a: old, b: old })
    })
  )

  it.live("after the files were changed does not call them unchanged", () =>
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", ["a"])
      assert.isFalse(yield* failAt(run, "fsync", "EIO", "2"))
      assert.deepStrictEqual(run.contents(), { a: next })
    })
  )

  it.live("by having no second names for files makes the changes in another way", () =>
    Effect.gen(function* () {
      const run = makeRun(yield* temporary, "run", ["a", "b"], ["c"])
      assert.isTrue(yield* failAt(run, "link", "EPERM", "1+"))
      assert.deepStrictEqual(run.contents(), { a: next, b: next, c: next })
    })
  )
})
