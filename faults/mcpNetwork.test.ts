import { assert, describe } from "@effect/vitest"
import { SettlementStore, Tool } from "@haft/core"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Http from "node:http"
import { files, layer, linesOf, prepare } from "./support/host.ts"
import { descriptorsOf, fixture, keepNotes, launch, type Launched } from "./support/launch.ts"
import { type Ailment, ailments, type Blow, leftOpen, type Proxy, proxy, type Side } from "./support/proxy.ts"
import { scenario, type Seen, sum, temporary } from "./support/scenario.ts"

/** What a client says, one after the other. */
const phases = ["initialize", "tools/list", "tools/call", "tools/call in a stream"] as const
type Phase = (typeof phases)[number]

const messageOf = (phase: Phase, value: string): object => {
  if (phase === "initialize") {
    const clientInfo = { name: "client", version: "1" }
    return { method: phase, params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } }
  }
  if (phase === "tools/list") return { method: phase, params: {} }
  const params = { name: "act", arguments: { value } }
  // Who asks for progress is answered in a stream that begins before the call ends.
  const progress = phase === "tools/call" ? {} : { _meta: { progressToken: value } }
  return { method: "tools/call", params: { ...params, ...progress } }
}

const frameOf = (phase: Phase, value: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, ...messageOf(phase, value) })

/** All have the same length, so that a byte of one exchange is at the same place in every other. */
const valueOf = (kind: "value" | "whole" | "again", index: number): string => `${kind}-${`${index}`.padStart(3, "0")}`

/** A client waits for long, but gives up soon after its connection was struck by something that lets nothing pass. */
const [patientMillis, impatientMillis] = [30_000, 300]

const passes = (what: Ailment): boolean => what === "late" || what === "split"

interface Answer {
  /** The result that came, or `broken` if the answer did not come to its end. */
  readonly result: string
  readonly session: string | undefined
}

const broken: Answer = { result: "broken", session: undefined }

/** One message over a connection of its own. Whatever happens, there is one answer. */
const post = (port: number, frame: string, signal: AbortSignal, session?: string): Promise<Answer> =>
  new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" })
    }
    const request = Http.request({ port, path: "/mcp", method: "POST", headers, agent: false, signal })
    request.once("error", () => resolve(broken))
    request.once("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.once("error", () => resolve(broken))
      response.once("end", () => {
        const given = response.headers["mcp-session-id"]
        resolve({ result: resultOf(text), session: typeof given === "string" ? given : session })
      })
    })
    request.end(frame)
  })

/** The message that answers, from whichever form it comes in. */
const resultOf = (text: string): string => {
  const lines = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))
  const answer = (lines.length === 0 ? [text] : lines).find((line) => /"(result|error)":/.test(line))
  return answer === undefined || !("result" in JSON.parse(answer)) ? `no result: ${text}` : answer
}

const patience = (): AbortSignal => AbortSignal.timeout(patientMillis)

/** Until some time after the proxy has struck. */
const afterStrike = Effect.fnUntraced(function* ({ struck }: Proxy) {
  const controller = new AbortController()
  const isStruck = Effect.delay(
    Effect.sync(() => struck.length > 0),
    pollMillis
  )
  yield* Effect.repeat(isStruck, { until: (is) => is }).pipe(
    Effect.andThen(Effect.sleep(impatientMillis)),
    Effect.andThen(Effect.sync(() => controller.abort())),
    Effect.forkScoped
  )
  return controller.signal
})

const pollMillis = 5

interface Serving {
  readonly directory: string
  readonly server: Launched
  readonly port: number
  readonly session: string
}

const serving = Effect.gen(function* () {
  const directory = prepare(yield* temporary)
  const server = yield* launch("mcpServer", [directory, "http"])
  const [line] = yield* server.lines(1)
  const port = Number(line)
  const { session } = yield* Effect.promise(() => post(port, frameOf("initialize", ""), patience()))
  const made: Serving = { directory, server, port, session: session ?? "" }
  return made
})

/** A client whose message or answer meets the blow, then the same over a good connection. */
const struck = Effect.fnUntraced(function* ({ port, session }: Serving, phase: Phase, value: string, blow: Blow) {
  const between = yield* proxy({ port }, () => blow)
  const signal = passes(blow.what) ? patience() : yield* afterStrike(between)
  const own = phase === "initialize" ? undefined : session
  const { result } = yield* Effect.promise(() => post(between.port, frameOf(phase, value), signal, own))
  const good = frameOf(phase, value.replace("value", "again"))
  const again = yield* Effect.promise(() => post(port, good, patience(), own))
  const told = `${phase}, ${JSON.stringify(blow)}: ${result}`
  if (passes(blow.what)) assert.match(result, /"result"/, told)
  assert.match(again.result, /"result"/, `the server goes on after ${told}`)
  const leaked = yield* leftOpen(between)
  return { value, result, hits: between.struck.length, leaked }
}, Effect.scoped)

type Struck = Effect.Success<ReturnType<typeof struck>>

const places = 6

/** The first byte, the last one and some between them. */
const spread = (length: number): ReadonlyArray<number> =>
  Array.from({ length: places }, (_, index) => Math.floor((index * (length - 1)) / (places - 1)))

const sides: ReadonlyArray<Side> = ["request", "answer"]

/** Blows at the bytes that an exchange over a good connection has. */
const blowsFor = Effect.fnUntraced(function* ({ port, session }: Serving, phase: Phase, what: Ailment) {
  const between = yield* proxy({ port }, () => undefined)
  const own = phase === "initialize" ? undefined : session
  const value = valueOf("whole", phases.indexOf(phase))
  const { result } = yield* Effect.promise(() => post(between.port, frameOf(phase, value), patience(), own))
  assert.match(result, /"result"/)
  const passed = between.passed()
  return sides.flatMap((side) => spread(passed[side]).map((at): Blow => ({ what, side, at })))
}, Effect.scoped)

const Acted = Schema.fromJsonString(
  Schema.Struct({
    value: Schema.String,
    context: Schema.Struct({
      sessionID: Schema.String,
      agent: Schema.String,
      assistantMessageID: Schema.String,
      toolCallID: Schema.String
    })
  })
)
const decodeActed = Schema.decodeSync(Acted)

/** Compares what clients were told, what really happened and what is on record. */
const compare = Effect.fnUntraced(function* (directory: string, told: ReadonlyArray<Struck>) {
  const acted = linesOf(files(directory).effects).map((line) => decodeActed(line))
  const values = acted.map(({ value }) => value)
  const store = yield* SettlementStore.Service
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql`SELECT call_key FROM haft_calls WHERE ended_as IS NULL`.values
  const findings = yield* sql`PRAGMA integrity_check`.values
  const records = yield* Effect.forEach(acted, ({ context }) => store.find(Schema.decodeSync(Tool.Context)(context)))
  const effects = records.map((record) => Option.map(record, effectOf))
  const succeeded = told.filter(({ result, value }) => result.includes(`"${value}"`))
  const seen: Seen = {
    tries: 0,
    lost: open.length + succeeded.filter(({ value }) => !values.includes(value)).length,
    double: values.length - new Set(values).size,
    corrupt:
      effects.filter((effect) => !["Committed", "Unknown"].includes(Option.getOrElse(effect, () => "no record")))
        .length + findings.filter(([finding]) => finding !== "ok").length
  }
  return seen
})

const effectOf = (record: SettlementStore.CallRecord): string => {
  if (record._tag !== "Ended") return record._tag
  const { ended } = record
  return (ended._tag === "Settled" ? ended.settlement : ended).effect._tag
}

const atOnce = 6

/** Connections of a server that is left in peace are closed after this. */
const peaceMillis = 10_000

/** More descriptors than before, once there was time to close them. */
const keptOpen = Effect.fnUntraced(function* ({ child }: Launched, before: number) {
  const more = Effect.sync(() => Math.max(0, descriptorsOf(child.pid ?? 0) - before))
  yield* Effect.timeoutOption(
    Effect.repeat(Effect.delay(more, 10), { until: (count: number) => count === 0 }),
    peaceMillis
  )
  return yield* more
})

const overHttp = Effect.fnUntraced(function* (what: Ailment) {
  const served = yield* serving
  const blows = yield* Effect.forEach(phases, (phase) =>
    Effect.map(blowsFor(served, phase, what), (blows) => blows.map((blow) => ({ phase, blow })))
  )
  const before = descriptorsOf(served.server.child.pid ?? 0)
  const told = yield* Effect.forEach(
    blows.flat(),
    ({ blow, phase }, index) => struck(served, phase, valueOf("value", index), blow),
    { concurrency: atOnce }
  )
  const leaked = yield* keptOpen(served.server, before)
  const compared = yield* Effect.provide(compare(served.directory, told), Layer.fresh(layer(served.directory)))
  const tries = told.map((one): Seen => ({ tries: 1, hits: one.hits, leaked: one.leaked }))
  return sum([...tries, compared, { tries: 0, leaked }])
})

const tries = phases.length * sides.length * places

describe("a server of MCP behind a bad network", () => {
  for (const what of ailments) {
    scenario(
      `answers once or not at all, records what it did, closes what broke and goes on: ${what}`,
      {
        fault: `loopback proxy: connections ${what} at 12 bytes of initialize, tools/list and tools/call, also streamed`,
        keeps: ["V1", "V2", "V4", "V6", "V8", "V13"],
        window: "a byte of an exchange that came, and was struck",
        atLeast: { tries, hits: tries }
      },
      overHttp(what)
    )
  }
})

/** A client over standard streams that says all of it and is gone after so many bytes. */
const cutAfter = Effect.fnUntraced(function* (bytes: number) {
  const directory = prepare(yield* temporary)
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
  const frames = [frameOf("initialize", ""), initialized, frameOf("tools/list", ""), frameOf("tools/call", "value")]
  const text = `${frames.join("\n")}\n`
  const server = spawn(process.execPath, [fixture("mcpServer"), directory, "stdio"], {
    stdio: ["pipe", "pipe", "inherit", "pipe"]
  })
  keepNotes(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => void server.kill("SIGKILL")))
  const exited = once(server, "close")
  server.stdout?.resume()
  server.stdin?.end(text.slice(0, Math.floor(bytes * text.length)))
  const [code] = yield* Effect.promise(() => exited)
  assert.strictEqual(code, 0, "a server ends with its client")
  const compared = yield* Effect.provide(compare(directory, []), Layer.fresh(layer(directory)))
  return sum([{ tries: 1, hits: bytes < 1 ? 1 : 0 }, compared])
}, Effect.scoped)

const cuts = 12

describe("a server of MCP over standard streams", () => {
  scenario(
    "whose client is gone in the middle of a message ends too, and records what it did",
    {
      fault: `standard input ends after ${cuts} numbers of bytes of a conversation`,
      keeps: ["V1", "V4", "V7", "V8", "V12", "V13"],
      window: "a message that is cut off",
      atLeast: { tries: cuts, hits: cuts - 1 }
    },
    Effect.gen(function* () {
      const shares = Array.from({ length: cuts }, (_, index) => (index + 1) / cuts)
      return sum(yield* Effect.forEach(shares, cutAfter, { concurrency: 2 }))
    })
  )
})
