import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const main = fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url))

/** As many as the demo may be cut off; each time after another number of its lines. */
const cuts = [1, 3, 5, 8, 11, 14, 17, 19, 22, 24]

const stateDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-demo-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const environment = (state: string) => ({ HAFT_STATE: state, PATH: process.env["PATH"] })

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
  it.live(
    "killed at ten moments goes on each time, ends well, and does nothing twice",
    () =>
      Effect.gen(function* () {
        const state = yield* stateDirectory
        const killed = yield* Effect.forEach(cuts, (lines) => cutOff(state, lines))
        assert.isAtLeast(killed.filter((wasKilled) => wasKilled).length, 5)
        yield* haft(state, "demo")
        const project = join(state, "demo/project")
        assert.strictEqual(Fs.readFileSync(join(project, "src/greeting.txt"), "utf8"), "hello, world\n")
        assert.strictEqual(Fs.readFileSync(join(project, "src/note.txt"), "utf8"), "mended\n")
        assert.isFalse(Fs.existsSync(join(project, "secrets/note.txt")))
        const own = join(state, "demo/state")
        const { stdout } = yield* haft(own, "log", "--json", "--limit", "1000", "--session", "demo", "--root", project)
        const calls: ReadonlyArray<Logged> = JSON.parse(stdout)
        const ids = calls.map(({ begun }) => begun.context.toolCallID)
        assert.deepStrictEqual(ids.toSorted(), [...new Set(ids)].toSorted())
        assert.isTrue(calls.every(({ _tag }) => _tag === "Ended"))
      }),
    180_000
  )
})
