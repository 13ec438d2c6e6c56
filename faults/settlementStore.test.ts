import { afterAll, assert, describe, it } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import { Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { calls, files, layer, settleAll } from "./support/settling.ts"
import { countOf, failAt, killAt, nthAfter, type Program, trace } from "./support/strace.ts"

const settler = fileURLToPath(new URL("fixtures/settler.ts", import.meta.url))

/** So that some records share a transaction. */
const concurrency = 2
/** One process on each core of a small machine. */
const processes = 2

/** Every run is of the same program. */
const cache = Fs.mkdtempSync(join(tmpdir(), "haft-faults-cache-"))
afterAll(() => Fs.rmSync(cache, { recursive: true }))

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-faults-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

const programIn = (root: string, name: string, concurrency: number): Program => {
  const directory = join(root, name)
  Fs.mkdirSync(directory, { mode: 0o700 })
  return { args: [settler, directory, `${concurrency}`], directory, cache }
}

const linesOf = (path: string): ReadonlyArray<string> =>
  Fs.existsSync(path) ? Fs.readFileSync(path, "utf8").split("\n").slice(0, -1) : []

/** What the store says about each call, and what the world outside says. */
const inspect = Effect.fnUntraced(function* (directory: string) {
  const store = yield* SettlementStore.Service
  const { begun, effects, ended } = files(directory)
  const states = new Map<string, string>()
  for (const { context } of calls) {
    const record = yield* store.find(context)
    states.set(context.toolCallID, Option.isSome(record) ? record.value._tag : "absent")
  }
  const unfinished = (yield* store.unfinished).map(({ begun }) => String(begun.context.toolCallID))
  return { states, unfinished, begun: linesOf(begun), effects: linesOf(effects), ended: linesOf(ended) }
})

type Inspection = Effect.Success<ReturnType<typeof inspect>>

const idsIn = ({ states }: Inspection, state: string): ReadonlyArray<string> =>
  [...states].filter((entry) => entry[1] === state).map(([id]) => id)

/** Nothing lost, nothing double, nothing that ran unrecorded. */
const assertSound = (found: Inspection): void => {
  assert.deepStrictEqual(idsIn(found, "Running"), [], "its process is dead")
  assert.deepStrictEqual(found.unfinished, idsIn(found, "Unfinished"))
  for (const id of found.begun) assert.notStrictEqual(found.states.get(id), "absent", `${id} began and is lost`)
  for (const id of found.effects) assert.notStrictEqual(found.states.get(id), "absent", `${id} ran unrecorded`)
  for (const id of found.ended) assert.strictEqual(found.states.get(id), "Ended", `the end of ${id} is lost`)
  for (const id of idsIn(found, "Ended")) assert.include(found.effects, id, `${id} ended without running`)
  assert.strictEqual(new Set(found.effects).size, found.effects.length, "a call ran twice")
}

/** Opens what a killed process left, looks at it, then runs the same calls again. */
const recover = Effect.fnUntraced(function* (directory: string) {
  const left = yield* inspect(directory)
  assertSound(left)
  const sql = yield* SqlClient.SqlClient
  assert.deepStrictEqual(yield* sql`PRAGMA integrity_check`.values, [["ok"]])
  assert.isTrue((yield* settleAll(directory, concurrency)).every(Result.isSuccess))
  const again = yield* inspect(directory)
  assertSound(again)
  assert.deepStrictEqual(again.unfinished, left.unfinished, "a call that was begun never begins by itself")
  assert.deepStrictEqual([...again.effects].toSorted(), [...left.effects, ...idsIn(left, "absent")].toSorted())
  return left
})

/** What a sweep aims at: the effect is done and nothing says so. */
const hitsWindow = (left: Inspection): boolean => left.effects.some((id) => left.states.get(id) === "Unfinished")

/**
 * Does something to a process at each of its calls of one kind, and looks at what is left. `share` is how much of it came
 * as `strike` says, and `windows` how often it hit the worst moment.
 */
const sweep = Effect.fnUntraced(function* (
  call: string,
  strike: (program: Program, nth: number) => Effect.Effect<boolean>
) {
  const root = yield* temporary
  const count = countOf(yield* trace(programIn(root, "whole", concurrency), [call]), call)
  assert.isAbove(count, 0)
  const outcomes = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    Effect.fnUntraced(function* (nth) {
      const program = programIn(root, `${call}-${nth}`, concurrency)
      const struck = yield* strike(program, nth)
      return { struck, left: yield* Effect.provide(recover(program.directory), layer(program.directory)) }
    }),
    { concurrency: processes }
  )
  return {
    share: outcomes.filter(({ struck }) => struck).length / count,
    windows: outcomes.filter(({ left }) => hitsWindow(left)).length
  }
})

const killed = (call: string) => sweep(call, (program, nth) => killAt(program, call, nth))

/** Two calls at once do not always share the same transactions, so the last points may lie beyond the end of a run. */
const mostPoints = 0.8

describe("a settlement store on SQLite whose process is killed", () => {
  it.live("at any write loses no call and lets none run twice, also when its effect was done and not recorded", () =>
    Effect.gen(function* () {
      const { share, windows } = yield* killed("pwrite64")
      assert.isAtLeast(share, mostPoints)
      assert.isAtLeast(windows, 1)
    })
  )

  it.live("at any sync loses no call and lets none run twice", () =>
    Effect.gen(function* () {
      assert.isAtLeast((yield* killed("fsync")).share, mostPoints)
    })
  )

  it.live("while it removes its log loses no call and lets none run twice", () =>
    Effect.gen(function* () {
      assert.isAtLeast((yield* killed("unlink")).share, mostPoints)
    })
  )
})

/** Runs the calls one after the other, with a fault from the first write on that comes after the first effect. */
const failAfterEffect = Effect.fnUntraced(function* (call: string, error: string, forGood: boolean) {
  const root = yield* temporary
  const whole = programIn(root, "whole", 1)
  const isEffect = (line: string) => line.includes(`"${files(whole.directory).effects}"`)
  const nth = nthAfter(yield* trace(whole, [call, "openat"]), call, isEffect)
  const program = programIn(root, "failing", 1)
  const lines = yield* trace(program, [call, "openat"], { call, error, when: forGood ? `${nth}+` : `${nth}` })
  const left = yield* Effect.provide(recover(program.directory), layer(program.directory))
  return { left, lines, refused: linesOf(files(program.directory).refused), path: files(program.directory).database }
})

const ids = calls.map(({ context }) => String(context.toolCallID))

describe("a settlement store on SQLite whose disk fails", () => {
  it.live("at any sync begins nothing of that transaction, and records every end all the same", () =>
    Effect.gen(function* () {
      const { share, windows } = yield* sweep("fsync", (program, nth) => failAt(program, "fsync", "EIO", `${nth}`))
      assert.isAtLeast(share, 0.5, "the process ends only if its store cannot be opened")
      assert.strictEqual(windows, 0)
    })
  )

  it.live("at the sync of an end opens its database again and syncs all of it before the end is told", () =>
    Effect.gen(function* () {
      const { left, lines, path } = yield* failAfterEffect("fsync", "EIO", false)
      const after = (line: number, matches: (line: string) => boolean) =>
        lines.findIndex((text, index) => index > line && matches(text))
      const failed = after(-1, (line) => line.includes("EIO"))
      const opened = after(failed, (line) => line.includes(`"${path}"`))
      const synced = after(opened, (line) => / fsync\(.* = 0$/.test(line))
      const told = after(failed, (line) => line.includes(`"${files(dirname(path)).ended}"`))
      assert.isTrue(0 <= failed && failed < opened && opened < synced && synced < told)
      assert.deepStrictEqual(left.ended, ids)
    })
  )

  it.live("at every sync from an end on acknowledges nothing, says nothing and begins nothing", () =>
    Effect.gen(function* () {
      const { left, refused } = yield* failAfterEffect("fsync", "EIO", true)
      assert.deepStrictEqual(refused, ["call-0 SettlementStore.StorageError"])
      assert.deepStrictEqual(left.begun, ["call-0"])
      assert.deepStrictEqual(left.ended, [])
      assert.deepStrictEqual(idsIn(left, "absent"), ["call-1", "call-2"])
    })
  )

  it.live("because it is full for a moment records the end all the same", () =>
    Effect.gen(function* () {
      const { left, lines } = yield* failAfterEffect("pwrite64", "ENOSPC", false)
      assert.isTrue(lines.some((line) => line.includes("ENOSPC")))
      assert.deepStrictEqual(left.ended, ids)
    })
  )

  it.live("because it is full for good says that the call is unfinished, and goes on when there is space again", () =>
    Effect.gen(function* () {
      const { left, refused } = yield* failAfterEffect("pwrite64", "ENOSPC", true)
      assert.deepStrictEqual(refused, ["call-0 Unfinished"])
      assert.deepStrictEqual(left.effects, ["call-0"])
      assert.isTrue(hitsWindow(left))
    })
  )
})

describe("a settlement store on SQLite whose machine may lose power", () => {
  it.live("has synced what it wrote before an effect begins and before an end is told", () =>
    Effect.gen(function* () {
      const program = programIn(yield* temporary, "traced", 1)
      const lines = yield* trace(program, ["pwrite64", "fsync", "openat"])
      const { effects, ended } = files(program.directory)
      let synced = false
      let told = 0
      for (const line of lines) {
        if (/^\d+ +pwrite64\(/.test(line)) synced = false
        if (/fsync.* = 0$/.test(line)) synced = true
        if (!line.includes(`"${effects}"`) && !line.includes(`"${ended}"`)) continue
        assert.isTrue(synced, line)
        told++
      }
      assert.strictEqual(told, calls.length * 2)
    })
  )
})
