/** Governs many calls of a tool that fails in every way it can, and notes outside the stores what really happened. */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Tool from "@haft/core/Tool"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Tools from "@haft/core/Tools"
import * as Budgets from "@haft/gateway/Budgets"
import * as Catalog from "@haft/gateway/Catalog"
import * as Gateway from "@haft/gateway/Gateway"
import * as Sql from "@haft/gateway/sql"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
import * as Registry from "@haft/registry/testing"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"

/** Each key is called twice. */
export const keys = 5000

const concurrency = 32

/** What one run leaves in its directory. */
export const files = (directory: string) => ({
  database: join(directory, "gateway.db"),
  /** A line for each time that a call acted: its key. */
  effects: join(directory, "effects"),
  /** A line for each time that a call was about to act: its key. */
  begun: join(directory, "begun"),
  /** A line for each time that a handler was entered: its key. */
  entries: join(directory, "entries"),
  /** A line for each outcome that was given: the call, its leaf and its effect. */
  outcomes: join(directory, "outcomes")
})

export const linesOf = (path: string): ReadonlyArray<string> =>
  Fs.existsSync(path) ? Fs.readFileSync(path, "utf8").split("\n").slice(0, -1) : []

/** The same in every run: a share from 0 up to 1. */
const share = (text: string): number => Number.parseInt(hash("sha256", text).slice(0, 8), 16) / 2 ** 32

const bug = () => Effect.die(new Error("bug"))

/** What becomes of one attempt. Nothing is signalled, and so nothing done, before the first three. */
const fate = (directory: string, key: string, attempt: number): Effect.Effect<string, ToolFailure.ToolFailure> => {
  const drawn = share(`${key}:${attempt}`)
  if (drawn < 0.05) return Effect.fail(ToolFailure.upstream({ message: "down", status: 503 }))
  if (drawn < 0.07) return bug()
  if (drawn < 0.075) return Effect.never
  const note = (path: string) => Effect.sync(() => Fs.appendFileSync(path, `${key}\n`))
  const act = note(files(directory).effects)
  return Effect.flatMap(EffectSignal.Service, (signal) => {
    const { committed } = signal
    const starting = Effect.andThen(signal.starting, note(files(directory).begun))
    if (drawn < 0.095) return Effect.andThen(starting, bug())
    if (drawn < 0.1) return Effect.andThen(starting, Effect.never)
    if (drawn < 0.12) return Effect.andThen(starting, Effect.andThen(act, bug()))
    return starting.pipe(
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(act),
      Effect.andThen(committed([{ kind: "line", target: key }])),
      Effect.as(key)
    )
  })
}

const makeTool = (directory: string) => {
  const attempts = new Map<string, number>()
  const tool = Tool.make({
    description: "Acts, or does not",
    input: Schema.Struct({ key: Schema.String }),
    output: Schema.String,
    execute: ({ key }) =>
      Effect.suspend(() => {
        const attempt = (attempts.get(key) ?? 0) + 1
        attempts.set(key, attempt)
        Fs.appendFileSync(files(directory).entries, `${key}\n`)
        return fate(directory, key, attempt)
      })
  })
  return Tool.annotate(tool, { determinism: "side_effectful", asksFirst: true })
}

export const calls: ReadonlyArray<{ readonly id: string; readonly key: string }> = Array.from(
  { length: 2 * keys },
  (_, index) => ({ id: `call-${index}`, key: `key-${Math.floor(index / 2)}` })
)

const requestOf = (id: string, key: string, now: number): CallRequest => ({
  callId: id,
  toolName: "act",
  fn: "invoke",
  input: { key },
  actor: "agent",
  tenantId: "tenant",
  idempotencyKey: key,
  timeoutMs: 100,
  deadlineUnixMs: now + 60_000,
  retryPolicy: { maxAttempts: 3, baseMs: 0, capMs: 0, jitter: "none" },
  scopes: [],
  principalChain: [],
  evidenceRefs: [],
  dryRun: false,
  attempt: 1
})

const hourMs = 3_600_000

/** Each process lives an hour later than the one before, so that what that one left is old. */
const later = (clock: Clock.Clock, hours: number): Clock.Clock =>
  Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + hours * hourMs,
    currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + hours * hourMs)
  })

const layer = (directory: string) =>
  Gateway.layer({ observability: "none" }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Budgets.layerMemory,
        Sql.layerSql.pipe(Layer.provideMerge(NodeSqlClient.layer({ filename: files(directory).database })))
      )
    ),
    Layer.provide(Layer.unwrap(Effect.map(ToolRegistry.Service, (registry) => Catalog.layer(registry.materialize())))),
    Layer.provideMerge(Registry.layer)
  )

/** Runs `effect` against the stores of a directory, as the process with this number. */
export const within = <A, E>(
  directory: string,
  number: number,
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layer>>>
) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Tools.Service, (tools) => tools.register({ act: makeTool(directory) }))
    return yield* effect
  }).pipe(
    Effect.scoped,
    Effect.provide(layer(directory)),
    Effect.updateService(Clock.Clock, (clock) => later(clock, number))
  )

/** Makes every call that has no outcome yet, and says so for each one. */
export const governAll = Effect.fnUntraced(function* (directory: string, told: () => void) {
  const gateway = yield* Gateway.Service
  const { outcomes } = files(directory)
  const done = new Set(linesOf(outcomes).map((line) => line.split(" ")[0]))
  yield* gateway.recover
  yield* Effect.forEach(
    calls.filter(({ id }) => !done.has(id)),
    Effect.fnUntraced(function* ({ id, key }) {
      const outcome = yield* gateway.call(requestOf(id, key, yield* Clock.currentTimeMillis))
      Fs.appendFileSync(outcomes, `${id} ${key} ${outcome.leaf._tag} ${outcome.effect._tag}\n`)
      told()
    }),
    { concurrency, discard: true }
  )
})
