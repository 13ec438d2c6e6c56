import { assert, beforeAll, afterAll, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { prepared } from "../bin/prepared.js"
import { project } from "./support/command.ts"

/** Bundles are made and processes started, on a machine that other tests share. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const place = Fs.mkdtempSync(join(tmpdir(), "haft-prepared-"))
let entry = ""

beforeAll(() => {
  entry = fileURLToPath(prepared(place) ?? "")
})

afterAll(() => Fs.rmSync(place, { recursive: true }))

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.callback<{ readonly code: number; readonly out: string; readonly err: string }>((resume) => {
    const child = execFile(process.execPath, args, { env: { PATH: process.env["PATH"], ...env } }, (error, out, err) =>
      resume(Effect.succeed({ code: Number(error?.code ?? 0), out, err }))
    )
    child.stdin?.end()
  })

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
}

/** Compares the class of the fiber that runs it with the one that its own `effect` starts. */
const pluginText = `
import { Tool, Tools } from "@haft/core"
import { Plugin } from "@haft/plugin-api"
import { Trie } from "effect"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const isOurs = Effect.withFiber((fiber) =>
  Effect.sync(() => fiber.constructor === Effect.runFork(Effect.void).constructor && Trie.empty() !== undefined)
)

export default Plugin.make({
  id: "same",
  install: Effect.gen(function* () {
    const tools = yield* Tools.Service
    const ask = { description: "Same?", input: Schema.Struct({}), output: Schema.Boolean, execute: () => isOurs }
    yield* tools.register({ same: Tool.make(ask) })
  })
})
`

describe("a command that starts from a bundle", () => {
  it.live("does what its sources do, in threads and in parts that load late, too", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project({ "a.txt": "hello" })
      const haft = (...args: ReadonlyArray<string>) => run([entry, ...args, "--root", root], { HAFT_STATE: state })
      assert.strictEqual((yield* haft("call", "read", `{"path":"a.txt"}`)).out, "1\thello\n[End of a.txt, 1 line.]\n")
      assert.include((yield* haft("call", "grep", `{"pattern":"hel+o"}`)).out, "a.txt")
      assert.include((yield* haft("call", "shell", `{"command":"echo $((6*7))"}`, "--yes")).out, "42")
      assert.match((yield* haft("log")).out, /shell +Succeeded[^]*read +Succeeded/)
    })
  )

  it.live("gives plugins its own effect, also modules that it does not use itself", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project()
      Fs.mkdirSync(join(root, ".haft/plugins"), { recursive: true })
      Fs.writeFileSync(join(root, ".haft/plugins/same.js"), pluginText)
      const { err, out } = yield* run([entry, "call", "same", "--root", root], { HAFT_STATE: state })
      assert.deepStrictEqual([out, err], ["true\n", ""])
    })
  )

  it.live.skipIf(!Fs.existsSync("/proc/self/status"))("idles under 120 MB when it serves", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project()
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["--max-semi-space-size=2", entry, "serve", "--root", root], {
            env: { HAFT_STATE: state, PATH: process.env["PATH"] }
          })
        ),
        (server) => Effect.promise(() => (server.stdin.end(), once(server, "exit")))
      )
      const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
      for (const message of [initialize, { jsonrpc: "2.0", id: 2, method: "tools/list" }]) {
        server.stdin.write(`${JSON.stringify(message)}\n`)
        assert.property(JSON.parse(String((yield* Effect.promise(() => lines.next())).value)), "result")
      }
      const status = Fs.readFileSync(`/proc/${server.pid}/status`, "utf8")
      assert.isBelow(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]), 120_000)
    })
  )
})

describe("a bundle", () => {
  it("is used again until a source changes, and whoever comes while another is made starts from the sources", () => {
    const note = join(place, "current.json")
    assert.strictEqual(fileURLToPath(prepared(place) ?? ""), entry)
    const { files, ...bundle } = JSON.parse(Fs.readFileSync(note, "utf8"))
    const [[path, mtimeMs, size], ...others] = files
    Fs.writeFileSync(note, JSON.stringify({ ...bundle, files: [[path, mtimeMs - 1, size], ...others] }))
    Fs.mkdirSync(join(place, "lock"))
    assert.isUndefined(prepared(place))
    Fs.rmdirSync(join(place, "lock"))
    const another = fileURLToPath(prepared(place) ?? "")
    assert.notStrictEqual(another, entry)
    assert.strictEqual(fileURLToPath(prepared(place) ?? ""), another)
  })

  it("depends on the sources of every package that it is made of, and on what is installed", () => {
    const { files } = JSON.parse(Fs.readFileSync(join(place, "current.json"), "utf8"))
    const paths = files.map(([path]: readonly [string]) => path)
    for (const part of ["cli/src/internal/process.ts", "core/src/Tool.ts", "node/src/internal/sqliteWorker.ts"]) {
      assert.isTrue(
        paths.some((path: string) => path.endsWith(`/packages/${part}`)),
        part
      )
    }
    assert.isTrue(paths.some((path: string) => path.endsWith("/pnpm-lock.yaml")))
  })
})

describe("the command on a Node that is too old", () => {
  it.live("says which one it needs and where to get it", () =>
    Effect.gen(function* () {
      const old = `data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.19.0" } })`
      const main = fileURLToPath(new URL("../bin/haft.js", import.meta.url))
      const { code, err, out } = yield* run(["--import", old, main, "serve"])
      assert.deepStrictEqual([code, out], [2, ""])
      assert.include(err, "haft needs Node 24 or later, and this is 20.19.0")
      assert.include(err, "https://nodejs.org")
    })
  )
})
