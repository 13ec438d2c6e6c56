import { assert, describe } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as DiagnosticsChannel from "node:diagnostics_channel"
import * as Fs from "node:fs"
import { dirname, join } from "node:path"
import { Worker } from "node:worker_threads"
import { fixture } from "./support/launch.ts"
import { type Fault, scenario, sum, temporary } from "./support/scenario.ts"
import { calls, files, layer, settleAll } from "./support/settling.ts"
import { countOf, failAt, killAt, nthAfter, type Program, trace } from "./support/strace.ts"

/** So that some records share a transaction. */
const concurrency = 2
/** One process on each core of a small machine. */
const processes = 2

const programIn = (root: string, name: string, concurrency: number): Program => {
  const directory = join(root, name)
  Fs.mkdirSync(directory, { mode: 0o700 })
  return { args: [fixture("settler"), directory, `${concurrency}`], directory }
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

/** What the store and the world outside disagree about. */
const lossesIn = (found: Inspection) => {
  const { begun, effects, ended, states, unfinished } = found
  assert.deepStrictEqual(idsIn(found, "Running"), [], "its process is dead")
  assert.deepStrictEqual(unfinished, idsIn(found, "Unfinished"))
  return {
    tries: 0,
    lost: [
      ...[...begun, ...effects].filter((id) => states.get(id) === "absent"),
      ...ended.filter((id) => states.get(id) !== "Ended")
    ].length,
    double: effects.length - new Set(effects).size,
    corrupt: idsIn(found, "Ended").filter((id) => !effects.includes(id)).length
  }
}

/** Opens what a killed process left, looks at it, then runs the same calls again. */
const recover = Effect.fnUntraced(function* (directory: string) {
  const left = yield* inspect(directory)
  const sql = yield* SqlClient.SqlClient
  assert.deepStrictEqual(yield* sql`PRAGMA integrity_check`.values, [["ok"]])
  assert.isTrue((yield* settleAll(directory, concurrency)).every(Result.isSuccess))
  const again = yield* inspect(directory)
  assert.deepStrictEqual(again.unfinished, left.unfinished, "a call that was begun never begins by itself")
  assert.deepStrictEqual([...again.effects].toSorted(), [...left.effects, ...idsIn(left, "absent")].toSorted())
  return { left, seen: sum([lossesIn(left), lossesIn(again)]) }
})

/** What a sweep aims at: the effect is done and nothing says so. */
const hitsWindow = (left: Inspection): boolean => left.effects.some((id) => left.states.get(id) === "Unfinished")

/** Does something to a process at each of its calls of one kind, and looks at what is left. */
const sweep = Effect.fnUntraced(function* (
  call: string,
  strike: (program: Program, nth: number) => Effect.Effect<boolean>,
  leastShare: number
) {
  const root = yield* temporary
  const count = countOf(yield* trace(programIn(root, "whole", concurrency), [call]), call)
  const outcomes = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    Effect.fnUntraced(function* (nth) {
      const program = programIn(root, `${call}-${nth}`, concurrency)
      const struck = yield* strike(program, nth)
      return { struck, ...(yield* Effect.provide(recover(program.directory), layer(program.directory))) }
    }),
    { concurrency: processes }
  )
  assert.isAtLeast(outcomes.filter(({ struck }) => struck).length / count, leastShare, "tries that came as they should")
  const hits = outcomes.filter(({ left }) => hitsWindow(left)).length
  return { ...sum(outcomes.map(({ seen }) => seen)), tries: count, hits }
})

const killed = (call: string) => sweep(call, (program, nth) => killAt(program, call, nth), mostPoints)

/** Two calls at once do not always share the same transactions, so the last points may lie beyond the end of a run. */
const mostPoints = 0.8

const unrecorded = "the effect is done and the end is not recorded"

const afterKill: Fault["keeps"] = ["V1", "V3", "V4", "V12", "V13"]

describe("a settlement store on SQLite whose process is killed", () => {
  scenario(
    "at any write loses no call and lets none run twice, also when its effect was done and not recorded",
    {
      fault: "kill -9 at each pwrite64",
      keeps: afterKill,
      window: unrecorded,
      atLeast: { tries: 30, hits: 1 }
    },
    killed("pwrite64")
  )

  scenario(
    "at any sync loses no call and lets none run twice",
    { fault: "kill -9 at each fsync", keeps: afterKill, atLeast: { tries: 5 } },
    killed("fsync")
  )

  scenario(
    "while it shortens or removes a file loses no call and lets none run twice",
    { fault: "kill -9 at each unlink and ftruncate", keeps: afterKill, atLeast: { tries: 2 } },
    Effect.map(Effect.forEach(["unlink", "ftruncate"], killed), sum)
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
  const { left, seen } = yield* Effect.provide(recover(program.directory), layer(program.directory))
  return {
    left,
    lines,
    seen: { ...seen, tries: 1, hits: lines.some((line) => line.includes(error)) ? 1 : 0 },
    refused: linesOf(files(program.directory).refused),
    path: files(program.directory).database
  }
})

const ids = calls.map(({ context }) => String(context.toolCallID))

const atTheEnd = "a write that comes after the first effect"

describe("a settlement store on SQLite whose disk fails", () => {
  scenario(
    "at any sync begins nothing of that transaction, and records every end all the same",
    { fault: "EIO at each fsync, once", keeps: ["V1", "V2", "V3", "V12"], atLeast: { tries: 5 } },
    Effect.gen(function* () {
      // The process ends early only if its store cannot be opened.
      const { hits, ...seen } = yield* sweep("fsync", (program, nth) => failAt(program, "fsync", "EIO", `${nth}`), 0.5)
      assert.strictEqual(hits, 0, "no end is left unrecorded")
      return seen
    })
  )

  scenario(
    "at the sync of an end opens its database again and syncs all of it before the end is told",
    {
      fault: "EIO at the fsync of an end",
      keeps: ["V1", "V2", "V12"],
      window: atTheEnd,
      atLeast: { tries: 1, hits: 1 }
    },
    Effect.gen(function* () {
      const { left, lines, path, seen } = yield* failAfterEffect("fsync", "EIO", false)
      const after = (line: number, matches: (line: string) => boolean) =>
        lines.findIndex((text, index) => index > line && matches(text))
      const failed = after(-1, (line) => line.includes("EIO"))
      const opened = after(failed, (line) => line.includes(`"${path}"`))
      const synced = after(opened, (line) => / fsync\(.* = 0$/.test(line))
      const told = after(failed, (line) => line.includes(`"${files(dirname(path)).ended}"`))
      assert.isTrue(0 <= failed && failed < opened && opened < synced && synced < told)
      assert.deepStrictEqual(left.ended, ids)
      return seen
    })
  )

  scenario(
    "at every sync from an end on acknowledges nothing, says nothing and begins nothing",
    {
      fault: "EIO at every fsync from an end on",
      keeps: ["V1", "V3", "V4", "V12"],
      window: atTheEnd,
      atLeast: { tries: 1, hits: 1 }
    },
    Effect.gen(function* () {
      const { left, refused, seen } = yield* failAfterEffect("fsync", "EIO", true)
      assert.deepStrictEqual(refused, ["call-0 SettlementStore.StorageError"])
      assert.deepStrictEqual(left.begun, ["call-0"])
      assert.deepStrictEqual(left.ended, [])
      assert.deepStrictEqual(idsIn(left, "absent"), ["call-1", "call-2"])
      return seen
    })
  )

  scenario(
    "because it is full for a moment records the end all the same",
    {
      fault: "ENOSPC at the pwrite64 of an end, once",
      keeps: ["V1", "V2", "V12"],
      window: atTheEnd,
      atLeast: { tries: 1, hits: 1 }
    },
    Effect.gen(function* () {
      const { left, lines, seen } = yield* failAfterEffect("pwrite64", "ENOSPC", false)
      assert.isTrue(lines.some((line) => line.includes("ENOSPC")))
      assert.deepStrictEqual(left.ended, ids)
      return seen
    })
  )

  scenario(
    "because it is full for good says that the call is unfinished, and goes on when there is space again",
    {
      fault: "ENOSPC at every pwrite64 from an end on",
      keeps: ["V1", "V4", "V12"],
      window: unrecorded,
      atLeast: { tries: 1, hits: 1 }
    },
    Effect.gen(function* () {
      const { left, refused, seen } = yield* failAfterEffect("pwrite64", "ENOSPC", true)
      assert.deepStrictEqual(refused, ["call-0 Unfinished"])
      assert.deepStrictEqual(left.effects, ["call-0"])
      return { ...seen, hits: hitsWindow(left) ? 1 : 0 }
    })
  )
})

/** Ends the first thread that is started meanwhile at the nth question that it is asked, and counts them. */
const threadEndingAt = (nth: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const asked = { count: 0, isOver: false }
      const onWorker = (message: unknown) => {
        const { worker }: { readonly worker?: unknown } = Object(message)
        if (!(worker instanceof Worker) || asked.isOver) return
        const post = worker.postMessage.bind(worker)
        worker.postMessage = (question: unknown) => {
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
          post(question)
          if (++asked.count !== nth) return
          asked.isOver = true
          void worker.terminate()
        }
      }
      DiagnosticsChannel.subscribe("worker_threads", onWorker)
      return { asked, stop: () => DiagnosticsChannel.unsubscribe("worker_threads", onWorker) }
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** Runs the calls on a client whose thread ends so, and gives how many questions there were until then. */
const settleWithout = Effect.fnUntraced(function* (directory: string, nth: number) {
  const { asked } = yield* threadEndingAt(nth)
  yield* Effect.ignore(Effect.provide(settleAll(directory, concurrency), Layer.fresh(layer(directory))))
  return asked
}, Effect.scoped)

describe("a settlement store on SQLite whose thread dies", () => {
  scenario(
    "at any question goes on with another one, loses no call and lets none run twice",
    {
      fault: "the thread of the database ended at each question",
      keeps: ["V1", "V3", "V4", "V8", "V12", "V13"],
      window: "the thread dies and every call is settled all the same",
      atLeast: { tries: 10, hits: 1 }
    },
    Effect.gen(function* () {
      const root = yield* temporary
      const { count } = yield* settleWithout(programIn(root, "whole", concurrency).directory, 0)
      const outcomes = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => index + 1),
        Effect.fnUntraced(function* (nth) {
          const { directory } = programIn(root, `thread-${nth}`, concurrency)
          const { isOver } = yield* settleWithout(directory, nth)
          const { left, seen } = yield* Effect.provide(recover(directory), Layer.fresh(layer(directory)))
          assert.deepStrictEqual(idsIn(left, "Unfinished"), [], "every end is recorded by the next thread")
          return { seen, hit: isOver && left.ended.length === calls.length }
        })
      )
      const hits = outcomes.filter(({ hit }) => hit).length
      return { ...sum(outcomes.map(({ seen }) => seen)), tries: outcomes.length, hits }
    })
  )
})

describe("a settlement store on SQLite whose machine may lose power", () => {
  scenario(
    "has synced what it wrote before an effect begins and before an end is told",
    {
      fault: "power loss: order of pwrite64, fsync and what is told in a trace",
      keeps: ["V2", "V3"],
      atLeast: { tries: calls.length * 2 }
    },
    Effect.gen(function* () {
      const program = programIn(yield* temporary, "traced", 1)
      const lines = yield* trace(program, ["pwrite64", "fsync", "openat"])
      const { effects, ended } = files(program.directory)
      let synced = false
      let [tries, lost] = [0, 0]
      for (const line of lines) {
        if (/^\d+ +pwrite64\(/.test(line)) synced = false
        if (/fsync.* = 0$/.test(line)) synced = true
        if (!line.includes(`"${effects}"`) && !line.includes(`"${ended}"`)) continue
        if (!synced) lost++
        tries++
      }
      assert.strictEqual(tries, calls.length * 2)
      return { tries, lost }
    })
  )
})
