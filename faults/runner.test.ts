import { assert, describe } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import { type Event, History } from "@haft/runner"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { join } from "node:path"
import { fixture, launch } from "./support/launch.ts"
import { chosenSeed, seeded } from "./support/random.ts"
import { scenario, temporary } from "./support/scenario.ts"
import { effectsIn, layer, run, sessionID, unended } from "./support/session.ts"
import { countOf, killAt, type Program, trace } from "./support/strace.ts"

/** One process on each core of a small machine. */
const processes = 2

/** A session whose database has its tables already: making them is no part of what is tested here. */
const programIn = Effect.fnUntraced(function* (root: string, name: string) {
  const directory = join(root, name)
  Fs.mkdirSync(directory, { mode: 0o700 })
  yield* Effect.provide(Effect.void, layer(directory))
  const program: Program = { args: [fixture("runner"), directory, "Hello"], directory }
  return program
})

/** What the next process reports about the calls of the one that died. */
const reportedIn = (events: ReadonlyArray<Event.Event>): ReadonlyMap<string, string> =>
  new Map(
    events.flatMap((event) =>
      event._tag === "Recovered"
        ? event.calls.map(
            ({ call, end }) => [String(call.id), end._tag === "Settled" ? "Settled" : end.reason] as const
          )
        : []
    )
  )

/** Starts again where a killed process was, and looks at what came of both. */
const recover = Effect.fnUntraced(function* (directory: string) {
  const history = yield* History.Service
  const store = yield* SettlementStore.Service
  const sql = yield* SqlClient.SqlClient
  assert.deepStrictEqual(yield* sql`PRAGMA integrity_check`.values, [["ok"]])
  const before = yield* history.read(sessionID)
  const effects = effectsIn(directory)
  const unfinished = (yield* store.unfinished).map(({ begun }) => String(begun.context.toolCallID))
  const events = yield* run(directory, before.length === 0 ? "Hello" : undefined)
  const reported = reportedIn(events)
  for (const id of unfinished) assert.strictEqual(reported.get(id), "Unfinished", `${id} was not reported`)
  assert.deepStrictEqual(unended(yield* history.read(sessionID)), [])
  assert.deepStrictEqual(yield* store.unfinished, [])
  const after = effectsIn(directory)
  const double = after.length - new Set(after).size
  assert.deepStrictEqual(after.slice(0, effects.length), effects)
  for (const [id, end] of reported) {
    if (end !== "Settled")
      assert.isFalse(
        after.slice(effects.length).some((line) => line.endsWith(` ${id}`)),
        `${id} ran again`
      )
  }
  const last = events.at(-1)
  assert.isTrue(last?._tag === "Ended" && ["answered", "idle"].includes(last.conclusion.reason))
  return { double, ends: [...reported.values()], hasEffectUnrecorded: unfinished.length > 0 && effects.length > 0 }
})

/** Kills a session at each of its calls of one kind, one after the other. */
const sweep = Effect.fnUntraced(function* (call: string) {
  const root = yield* temporary
  const count = countOf(yield* trace(yield* programIn(root, "whole"), [call]), call)
  assert.isAbove(count, 0)
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    Effect.fnUntraced(function* (nth) {
      const program = yield* programIn(root, `${call}-${nth}`)
      const isKilled = yield* killAt(program, call, nth)
      const left = yield* Effect.scoped(Effect.provide(recover(program.directory), layer(program.directory)))
      return { isKilled, ...left }
    }),
    { concurrency: processes }
  )
})

/** Kills at random moments of the session. */
const rounds = 16

/** Calls that are settled at once do not always share a transaction, so the last of all points may lie beyond the end. */
const mostPoints = 0.8

describe("a session whose process is killed", () => {
  scenario(
    "at any write goes on in the next process: unfinished calls are reported, and no effect is repeated",
    {
      fault: "kill -9 at each pwrite64",
      keeps: ["V1", "V3", "V4", "V12", "V13"],
      window: "the effect is done and the end is not recorded",
      atLeast: { tries: 30, hits: 1 },
      timeout: 600_000
    },
    Effect.gen(function* () {
      const outcomes = yield* sweep("pwrite64")
      assert.isAtLeast(outcomes.filter(({ isKilled }) => isKilled).length / outcomes.length, mostPoints)
      const ends = outcomes.flatMap(({ ends }) => ends)
      assert.includeMembers(ends, ["NotRun", "Unfinished", "Settled"])
      const hits = outcomes.filter(({ hasEffectUnrecorded }) => hasEffectUnrecorded).length
      return { tries: outcomes.length, hits, double: outcomes.reduce((sum, { double }) => sum + double, 0) }
    })
  )

  scenario(
    "at random moments does so too",
    {
      fault: `kill -9 at ${rounds} random requests to its database, before they are sent or right after`,
      keeps: ["V1", "V3", "V4", "V12", "V13"],
      window: "the session is not over yet",
      atLeast: { tries: rounds, hits: rounds },
      timeout: 600_000
    },
    Effect.gen(function* () {
      const root = yield* temporary
      const random = seeded(chosenSeed())
      const requests = yield* requestsOf(yield* programIn(root, "whole"))
      let [killed, doubles] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        const program = yield* programIn(root, `random-${round}`)
        const nth = 1 + random.below(Math.floor(requests * mostPoints))
        if (yield* killedAtRequest(program, nth, random.pick(["before", "after"]))) killed++
        const { double } = yield* Effect.scoped(Effect.provide(recover(program.directory), layer(program.directory)))
        doubles += double
      }
      return { tries: rounds, hits: killed, double: doubles }
    })
  )
})

/** How often a session that nobody kills asks its database for something. */
const requestsOf = Effect.fnUntraced(function* ({ directory }: Program) {
  const whole = yield* launch("requestDeath", ["runner", "never", "", directory, "Hello"])
  assert.strictEqual(yield* whole.ended, "exit 0")
  return Number((yield* whole.lines(1)).at(-1))
}, Effect.scoped)

const killedAtRequest = Effect.fnUntraced(function* ({ directory }: Program, nth: number, moment: "before" | "after") {
  const session = yield* launch("requestDeath", ["runner", `${nth}`, moment, directory, "Hello"])
  return (yield* session.ended) === "SIGKILL"
}, Effect.scoped)
