/** How long a client waits for `haft serve`, and what the server takes while it idles, as it is started in a clone. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../packages/cli/bin/haft.js", import.meta.url))

const starts = 7

/** Long enough for whatever is put off until after the start. */
const idleMs = 2_000

const place = Fs.mkdtempSync(join(tmpdir(), "haft-start-"))
Fs.mkdirSync(join(place, "project"))

const memoryOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } }

const measure = async () => {
  const begun = performance.now()
  const args = ["--max-semi-space-size=2", main, "serve", "--root", join(place, "project")]
  const env = { ...process.env, HAFT_STATE: join(place, "state") }
  const server = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    await lines.next()
    return performance.now() - begun
  }
  const first = await ask(1, "initialize", initialize)
  const list = await ask(2, "tools/list", {})
  await sleep(idleMs)
  const memory = memoryOf(server.pid)
  server.stdin.end()
  await once(server, "exit")
  return { first, list, memory }
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

// The first one may have to make the bundle.
await measure()
const found = []
// oxlint-disable-next-line no-await-in-loop -- starts that share the machine would measure each other
for (let start = 0; start < starts; start++) found.push(await measure())

const show = (what: string, unit: string, numbers: ReadonlyArray<number>): void => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  process.stdout.write(
    `${what.padEnd(28)} ${median(numbers).toFixed(0)} ${unit} (${least.toFixed(0)} to ${most.toFixed(0)})\n`
  )
}

show(
  "initialize answered after",
  "ms",
  found.map(({ first }) => first)
)
show(
  "tools/list answered after",
  "ms",
  found.map(({ list }) => list)
)
show(
  "idle",
  "MB",
  found.map(({ memory }) => memory)
)

Fs.rmSync(place, { recursive: true })
