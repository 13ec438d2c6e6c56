import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { scenario, temporary } from "./support/scenario.ts"

const main = fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url))

/** As many as the demo may be cut off; each time after another number of its lines. */
const cuts = [1, 3, 5, 8, 11, 14, 17, 19, 22, 24]

const environment = (state: string) => ({ ...process.env, HAFT_STATE: state })

/** Starts the demo and kills it after some lines. Says whether it was killed before it ended by itself. */
const cutOff = (state: string, lines: number) =>
  Effect.promise(async () => {
    const demo = spawn(process.execPath, [main, "demo"], { env: environment(state) })
    const exited = once(demo, "exit")
    let seen = 0
    for await (const _ of createInterface({ input: demo.stderr })) if (++seen === lines) demo.kill("SIGKILL")
    const [, signal] = await exited
    return signal === "SIGKILL"
  })

const haft = (state: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [main, ...args], { env: environment(state), maxBuffer: 64 * 1_048_576 })
  )

interface Logged {
  readonly _tag: string
  readonly begun: { readonly name: string; readonly context: { readonly toolCallID: string } }
}

describe("the demo", () => {
  scenario(
    "killed at ten moments goes on each time, ends well, and does nothing twice",
    {
      fault: "kill -9 of `haft demo` after ten numbers of lines",
      keeps: ["V1", "V3", "V4", "V8", "V11", "V12", "V13"],
      window: "the demo is not over yet",
      atLeast: { tries: cuts.length, hits: 5 },
      timeout: 180_000
    },
    Effect.gen(function* () {
      const state = yield* temporary
      const killed = yield* Effect.forEach(cuts, (lines) => cutOff(state, lines))
      yield* haft(state, "demo")
      const project = join(state, "demo/project")
      assert.strictEqual(Fs.readFileSync(join(project, "src/greeting.txt"), "utf8"), "hello, world\n")
      assert.strictEqual(Fs.readFileSync(join(project, "src/note.txt"), "utf8"), "mended\n")
      assert.isFalse(Fs.existsSync(join(project, "secrets/note.txt")))
      const own = join(state, "demo/state")
      const { stdout } = yield* haft(own, "log", "--json", "--limit", "1000", "--session", "demo", "--root", project)
      const calls: ReadonlyArray<Logged> = JSON.parse(stdout)
      const ids = calls.map(({ begun }) => begun.context.toolCallID)
      return {
        tries: cuts.length,
        hits: killed.filter((wasKilled) => wasKilled).length,
        lost: calls.filter(({ _tag }) => _tag !== "Ended").length,
        double: ids.length - new Set(ids).size
      }
    })
  )
})
