import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Fault, scenario } from "./support/scenario.ts"

const main = fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url))

const calls = 10_000

/** Compilers and caches have what they need by then. */
const warmUp = 3_000

/** What the collector leaves lying around differs by this much; a leak of one call in ten would be more. */
const maxGrowthKb = 60_000

const concurrency = 32

const token = "a-token-of-the-test"

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = Fs.mkdtempSync(join(tmpdir(), "haft-calls-"))
    Fs.mkdirSync(join(directory, "project"))
    Fs.writeFileSync(join(directory, "project/a.txt"), "hello\n")
    return directory
  }),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const serving = (directory: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = { ...process.env, HAFT_STATE: join(directory, "state"), HAFT_TOKEN: token }
      return spawn(process.execPath, [main, "serve", "--root", join(directory, "project"), ...args], { env })
    }),
    (server) =>
      Effect.promise(async () => {
        const exited = once(server, "exit")
        if (server.exitCode === null && server.signalCode === null && server.kill()) await exited
      })
  )

const memoryOf = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

const descriptorsOf = ({ pid }: ChildProcess): number => Fs.readdirSync(`/proc/${pid}/fd`).length

interface Message {
  readonly id?: number
  readonly result?: { readonly isError?: boolean }
}

/** Makes so many calls, several at a time. */
const callAll = (count: number, call: () => Promise<Message>) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.map(Effect.promise(call), ({ result }) => {
        assert.isDefined(result)
        assert.isUndefined(result?.isError)
      }),
    { concurrency, discard: true }
  )

const leaksNothing = Effect.fnUntraced(function* (server: ChildProcess, call: () => Promise<Message>) {
  yield* callAll(warmUp, call)
  const before = { memory: memoryOf(server), descriptors: descriptorsOf(server) }
  yield* callAll(calls, call)
  assert.isAtMost(memoryOf(server) - before.memory, maxGrowthKb)
  return { tries: calls, leaked: Math.max(0, descriptorsOf(server) - before.descriptors - concurrency) }
})

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "many", version: "1" } }
}

const read = { method: "tools/call", params: { name: "read", arguments: { path: "a.txt" } } }

/** A client that writes a line and waits for the line that answers it. */
const overStdio = (server: ChildProcess) => {
  const waiting = new Map<number, (message: Message) => void>()
  const { stdin, stdout } = server
  if (stdin === null || stdout === null) throw new Error("the server has no streams")
  createInterface({ input: stdout }).on("line", (line) => {
    const message: Message = JSON.parse(line)
    waiting.get(message.id ?? -1)?.(message)
    waiting.delete(message.id ?? -1)
  })
  let last = 0
  return (request: object): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, ...request })}\n`)
    })
}

/** Posts a message, and reads the answer from whichever form it comes in. */
const overHttp = (url: string) => {
  let session: string | null = null
  let last = 0
  return async (request: object): Promise<Message> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === null ? {} : { "mcp-session-id": session })
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++last, ...request })
    })
    session = response.headers.get("mcp-session-id") ?? session
    const text = await response.text()
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  }
}

const flood: Fault = {
  fault: "10,000 calls, 32 at a time",
  keeps: ["V1", "V8"],
  atLeast: { tries: calls },
  timeout: 300_000
}

describe("a server of MCP", () => {
  scenario(
    "leaks nothing in 10,000 calls over standard streams",
    flood,
    Effect.gen(function* () {
      const server = yield* serving(yield* project)
      const send = overStdio(server)
      yield* Effect.promise(() => send(initialize))
      return yield* leaksNothing(server, () => send(read))
    })
  )

  scenario(
    "leaks nothing in 10,000 calls over HTTP",
    flood,
    Effect.gen(function* () {
      const server = yield* serving(yield* project, "--http", "0")
      const [line] = yield* Effect.promise(() => once(createInterface({ input: server.stderr }), "line"))
      const send = overHttp(/http:\S+/.exec(String(line))?.[0] ?? "")
      yield* Effect.promise(() => send(initialize))
      return yield* leaksNothing(server, () => send(read))
    })
  )
})
