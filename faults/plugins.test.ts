import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Option, Stream, SubscriptionRef } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { scenario } from "./support/scenario.ts"

const program = join(import.meta.dirname, "fixtures/pluginHost.ts")

interface State {
  readonly _tag: string
  readonly manifest?: { readonly version?: string }
  readonly failure?: { readonly reason: string; readonly message: string }
  readonly leaks: ReadonlyArray<string>
}

interface Report {
  readonly states?: Readonly<Record<string, State>>
  readonly counts?: Readonly<Record<"sibling" | "lost" | "loop" | "stale" | "wrong", number>>
  readonly names?: ReadonlyArray<string>
}

/** A process with a host in it, which says how its plugins stand. It ends with the Scope. */
const start = Effect.fnUntraced(function* (folder: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const reports = yield* SubscriptionRef.make<Report>({})
  createInterface(child.stdout).on("line", (line) => {
    Effect.runSync(SubscriptionRef.update(reports, (before) => ({ ...before, ...JSON.parse(line) })))
  })
  /** What it said when this was first the case. */
  const until = (holds: (report: Report) => boolean) =>
    Effect.map(Stream.runHead(Stream.filter(SubscriptionRef.changes(reports), holds)), Option.getOrThrow)
  /** What came of all calls. */
  const end = Effect.suspend(() => {
    child.stdin.end()
    return until(({ counts }) => counts !== undefined)
  })
  return { until, end }
})

/** A folder with one good plugin in it, and the host that follows it. */
const hosting = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(Os.tmpdir(), "haft-plugins-"))),
    (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true }))
  )
  const write = (file: string, source: string) => Effect.sync(() => Fs.writeFileSync(join(folder, file), source))
  const remove = (file: string) => Effect.sync(() => Fs.rmSync(join(folder, file)))
  yield* write("sibling.ts", saying("sibling", "still here"))
  const host = yield* start(folder)
  yield* host.until(isActive("sibling.ts"))
  return { ...host, write, remove }
})

const installing = (id: string, install: string) => `import { Plugin } from "@haft/plugin-api"
import { Tools, Tool } from "@haft/core"
import { Effect, Schema } from "effect"
const tool = Tool.make({
  description: "", input: Schema.Struct({}), output: Schema.String, execute: () => Effect.succeed("")
})
const register = (name: string) => Effect.flatMap(Tools.Service, (tools) => tools.register({ [name]: tool }))
export default Plugin.make({ id: "${id}", install: ${install} })
`

const saying = (id: string, text: string) => `import { PromisePlugin } from "@haft/plugin-api"
export default PromisePlugin.make({
  id: "${id}",
  version: "${text}",
  install: ({ register }) =>
    register({
      ${id}: {
        description: "${text}",
        input: { type: "object" },
        execute: async () => (await new Promise((resolve) => setTimeout(resolve, 5)), "${text}")
      }
    })
})
`

/** Each with the reason that it fails for, and a part of the sentence that says so. */
const hostile: Readonly<Record<string, readonly [source: string, reason: string, says: string]>> = {
  "throws.ts": [`throw new Error("at the top")`, "NotLoaded", "at the top"],
  "never-loads.ts": [`await new Promise(() => {})`, "TimedOut", "5s"],
  "never-installs.ts": [installing("never", `Effect.andThen(register("never"), Effect.never)`), "TimedOut", "5s"],
  "bad-name.ts": [
    installing("bad", `Effect.andThen(register("fine"), register("not a name"))`),
    "BadRegistration",
    "not a name"
  ],
  "dies.ts": [installing("dies", `Effect.andThen(register("dying"), Effect.die(new Error("bug")))`), "Died", "bug"],
  "syntax.ts": ["export default {", "NotLoaded", "syntax"],
  "enum.ts": ["enum A { B }\nexport default A", "NotLoaded", "enums"],
  "no-plugin.ts": ["export default {}", "NotAPlugin", "Plugin.make"],
  "twin.ts": [installing("sibling", "Effect.void"), "DuplicateID", "sibling.ts"]
}

const isActive =
  (file: string, version?: string) =>
  ({ states }: Report): boolean =>
    states?.[file]?._tag === "Active" && (version === undefined || states[file]?.manifest?.version === version)

describe("plugins that mean no good, as files in a folder", () => {
  scenario(
    "fail alone, each with its reason, and the process and the good one go on",
    {
      fault: "plugins that throw, hang, die, leak, are half written or registered badly",
      keeps: ["V1", "V6", "V8", "V13"],
      window: "a plugin that failed",
      atLeast: { tries: 9, hits: 9 }
    },
    Effect.gen(function* () {
      const { end, until, write } = yield* hosting
      yield* Effect.forEach(Object.entries(hostile), ([file, [source]]) => write(file, source))
      const { states } = yield* until((report) =>
        Object.keys(hostile).every((file) => report.states?.[file]?._tag === "Failed")
      )
      for (const [file, [, reason, says]] of Object.entries(hostile)) {
        assert.strictEqual(states?.[file]?.failure?.reason, reason, file)
        assert.include(states?.[file]?.failure?.message, says, file)
      }
      yield* write("leaks.ts", installing("leaks", `Effect.forkDetach(Effect.never)`))
      yield* until(isActive("leaks.ts"))
      yield* write("leaks.ts", installing("leaks", "Effect.void"))
      yield* until((report) => (report.states?.["leaks.ts"]?.leaks.length ?? 0) > 0)
      const { counts, names } = yield* end
      assert.deepStrictEqual(names, ["sibling"])
      assert.isAbove(counts?.sibling ?? 0, 20)
      const failed = Object.keys(hostile).filter((file) => states?.[file]?._tag === "Failed").length
      return { tries: Object.keys(hostile).length, hits: failed, lost: counts?.lost ?? 0 }
    })
  )
})

describe("a plugin whose file is written again and again", () => {
  const reloads = 50

  scenario(
    "is replaced each time, loses no call, and answers none with a version that its turn did not offer",
    {
      fault: `a plugin reloaded ${reloads} times under calls`,
      keeps: ["V1", "V8", "V13"],
      window: "a call of the plugin meanwhile",
      atLeast: { tries: reloads, hits: 1_000 }
    },
    Effect.gen(function* () {
      const { end, until, write } = yield* hosting
      for (let version = 1; version <= reloads; version++) {
        yield* write("loop.ts", saying("loop", `v${version}`))
        yield* until(isActive("loop.ts", `v${version}`))
      }
      const { counts, states } = yield* end
      assert.isAbove(counts?.sibling ?? 0, 20)
      const { lost = 0, loop = 0, wrong = 0 } = counts ?? {}
      return { tries: reloads, hits: loop, lost, corrupt: wrong, leaked: states?.["loop.ts"]?.leaks.length ?? 0 }
    })
  )

  scenario(
    "without a pause does not keep the others from coming and going",
    {
      fault: "a plugin file rewritten every millisecond, often half written",
      keeps: ["V1", "V8", "V11"],
      atLeast: { tries: 10 }
    },
    Effect.gen(function* () {
      const { end, remove, until, write } = yield* hosting
      let version = 0
      const rewrite = Effect.suspend(() => write("loop.ts", saying("loop", `v${++version}`)))
      const writing = yield* Effect.forkChild(Effect.forever(Effect.andThen(rewrite, Effect.sleep(1))))
      yield* until(isActive("loop.ts"))
      yield* write("good.ts", saying("good", "1"))
      yield* until(isActive("good.ts", "1"))
      yield* remove("good.ts")
      yield* until(({ states }) => states?.["good.ts"] === undefined)
      yield* Fiber.interrupt(writing)
      yield* write("loop.ts", saying("loop", "last"))
      yield* until(isActive("loop.ts", "last"))
      const { counts } = yield* end
      return { tries: version, lost: counts?.lost ?? 0, corrupt: counts?.wrong ?? 0 }
    })
  )
})
