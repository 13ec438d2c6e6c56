import { assert, describe } from "@effect/vitest"
import { Audit, Gateway } from "@haft/gateway"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fixture } from "./support/launch.ts"
import { scenario, temporary } from "./support/scenario.ts"
import { calls, files, keys, linesOf, within } from "./support/governing.ts"

/** Runs until it has ended, or until it has told about so many calls and is killed. */
const run = (directory: string, number: number, killedAfter: number) =>
  Effect.callback<"ended" | "killed" | "failed">((resume) => {
    const child = spawn(process.execPath, [fixture("governor"), directory, `${number}`], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let told = 0
    child.stdout.on("data", (chunk: Buffer) => {
      told += chunk.length
      if (told >= killedAfter) child.kill("SIGKILL")
    })
    child.on("exit", (code, signal) => {
      if (signal === "SIGKILL") return resume(Effect.succeed("killed"))
      return resume(Effect.succeed(code === 0 ? "ended" : "failed"))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const countsOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** Where processes die: after so many calls of their own. */
const kills = [37, 411, 1203, 5, 1999, 800, 1500]

/** What is written for a call, each of which has to fail at least once. */
const operations = [
  "audit.request",
  "audit.close",
  "keys.claim",
  "keys.settle",
  "keys.release",
  "settlements.begin",
  "settlements.advance",
  "settlements.complete"
]

describe("ten thousand governed calls", () => {
  scenario(
    "act once for each key at most, are never repeated after they may have acted, and are all accounted for",
    {
      fault:
        "kill -9 of seven processes in turn; stores that fail before or after they wrote; a tool that fails in every way",
      keeps: ["V1", "V3", "V4", "V5", "V12", "V13"],
      window: "a call whose outcome is unknown",
      atLeast: { tries: calls.length, hits: 1 },
      timeout: 600_000
    },
    Effect.gen(function* () {
      const directory = yield* temporary
      const { begun, effects, entries, failures, outcomes } = files(directory)
      for (const [number, killedAfter] of kills.entries()) {
        assert.strictEqual(yield* run(directory, number, killedAfter), "killed")
      }
      assert.strictEqual(yield* run(directory, kills.length, Number.POSITIVE_INFINITY), "ended")

      const told = linesOf(outcomes).map((line) => line.split(" "))
      const ids = new Set(told.map(([id]) => id))
      const lost = calls.filter(({ id }) => !ids.has(id)).length
      const acted = countsOf(linesOf(effects))
      const double = [...acted.values()].filter((count) => count > 1).length
      const tried = [...countsOf(linesOf(begun))].filter(([, count]) => count > 1)
      assert.deepStrictEqual(tried, [], "nothing is repeated that may have acted")
      const succeeded = new Set(told.filter(([, , leaf]) => leaf === "Success.Effect").map(([, key]) => key))
      for (const key of succeeded) assert.isTrue(acted.has(key ?? ""), `${key} acted`)
      assert.isAbove(succeeded.size, keys * 0.7)
      const failed = countsOf(linesOf(failures))
      for (const operation of operations) {
        for (const when of ["before", "after"]) {
          assert.isAtLeast(failed.get(`${operation} ${when}`) ?? 0, 1, `${operation} failed ${when} it wrote`)
        }
      }
      // Of a store that failed, somebody who came later may know less.
      const unkept = new Set(told.filter(([, , leaf]) => leaf === "Operational.RetentionFailed").map(([, key]) => key))
      const known = new Set(
        told.filter(([, , , effect]) => effect === "Committed" || effect === "Unknown").map(([, key]) => key)
      )
      const denied = [...acted.keys()].filter((key) => !unkept.has(key) && !known.has(key))
      assert.deepStrictEqual(denied, [], "nobody is told that nothing happened when something did")
      const unsure = told.filter(([, , , effect]) => effect === "Unknown").map(([, key]) => key)
      assert.isTrue(
        [...countsOf(linesOf(entries)).values()].some((count) => count > 1),
        "something was repeated"
      )

      const { counts, open } = yield* within(
        directory,
        kills.length + 1,
        Effect.gen(function* () {
          const audit = yield* Audit.Service
          yield* Effect.flatMap(Gateway.Service, (gateway) => Effect.retry(gateway.recover, { times: 10 }))
          return { counts: yield* audit.counts, open: yield* audit.unclosed(Number.MAX_SAFE_INTEGER) }
        })
      )
      assert.deepStrictEqual(open, [])
      assert.strictEqual(counts.requested, counts.settled + counts.skipped)
      const unnoted = failed.get("audit.request before") ?? 0
      assert.isAtLeast(counts.requested, calls.length - unnoted)
      return { tries: calls.length, hits: unsure.length, lost, double }
    })
  )
})
