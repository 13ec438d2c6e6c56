/**
 * Governs many calls of a tool that fails in every way it can, on stores that fail now and then, and notes outside of them
 * what really happened.
 */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Tool from "@haft/core/Tool"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Tools from "@haft/core/Tools"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Audit from "@haft/gateway/Audit"
import * as Budgets from "@haft/gateway/Budgets"
import * as Catalog from "@haft/gateway/Catalog"
import * as Gateway from "@haft/gateway/Gateway"
import * as IdempotencyStore from "@haft/gateway/IdempotencyStore"
import * as Sql from "@haft/gateway/sql"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as ApplicationTools from "@haft/registry/ApplicationTools"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as OutputStores from "@haft/registry/OutputStores"
import * as RegistrySql from "@haft/registry/sql"
import * as ToolRegistry from "@haft/registry/ToolRegistry"
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
  owners: join(directory, "owners"),
  /** A line for each time that a store was made to fail: the operation, and whether it had written by then. */
  failures: join(directory, "failures"),
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

/** A call whose key another one could not settle waits so long at most. */
const callMs = 5000

const requestOf = (id: string, key: string, now: number): CallRequest => ({
  callId: id,
  toolName: "act",
  fn: "invoke",
  input: { key },
  actor: "agent",
  tenantId: "tenant",
  idempotencyKey: key,
  timeoutMs: 100,
  deadlineUnixMs: now + callMs,
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

/** Of each operation of a store, how many fail before they have written, and how many afterwards. */
const failing = 0.005

/**
 * Lets an operation of a store fail now and then: before it has written, or after, when nobody can know that it has. The
 * second and the third do, because some operations are rare.
 */
const faulty = (directory: string, number: number) => {
  const made = new Map<string, number>()
  return <E>(operation: string, error: E) => {
    const count = (made.get(operation) ?? 0) + 1
    made.set(operation, count)
    const drawn = share(`${operation}:${number}:${count}`)
    const fail = (when: string) =>
      Effect.suspend(() => {
        Fs.appendFileSync(files(directory).failures, `${operation} ${when}\n`)
        return Effect.fail(error)
      })
    return <A, E2>(effect: Effect.Effect<A, E2>): Effect.Effect<A, E | E2> => {
      if (count === 2 || drawn < failing) return fail("before")
      return count === 3 || drawn < 2 * failing ? Effect.andThen(effect, fail("after")) : effect
    }
  }
}

type Faulty = ReturnType<typeof faulty>

const faultyKeys = (at: Faulty) =>
  Layer.effect(
    IdempotencyStore.Service,
    Effect.map(IdempotencyStore.Service, (store) => {
      const fails = (operation: IdempotencyStore.StorageError["operation"]) =>
        at(`keys.${operation}`, new IdempotencyStore.StorageError({ operation }))
      return {
        ...store,
        claim: (claim) => fails("claim")(store.claim(claim)),
        settle: (holder, settled) => fails("settle")(store.settle(holder, settled)),
        release: (holder) => fails("release")(store.release(holder))
      }
    })
  )

const faultyAudit = (at: Faulty) =>
  Layer.effect(
    Audit.Service,
    Effect.map(Audit.Service, (audit) => {
      const fails = (operation: Audit.StorageError["operation"]) =>
        at(`audit.${operation}`, new Audit.StorageError({ operation }))
      return {
        ...audit,
        request: (requested) => fails("request")(audit.request(requested)),
        close: (closing) => fails("close")(audit.close(closing))
      }
    })
  )

const faultySettlements = (at: Faulty) =>
  Layer.effect(
    SettlementStore.Service,
    Effect.map(SettlementStore.Service, (store) => {
      const fails = (operation: SettlementStore.StorageError["operation"]) =>
        at(`settlements.${operation}`, new SettlementStore.StorageError({ operation }))
      return {
        ...store,
        begin: (begun, options) => fails("begin")(store.begin(begun, options)),
        advance: (identity, options) => fails("advance")(store.advance(identity, options)),
        complete: (identity, ended) => fails("complete")(store.complete(identity, ended))
      }
    })
  )

/** All stores in one database. */
const layer = (directory: string, number: number) => {
  const at = faulty(directory, number)
  const { database, owners } = files(directory)
  const sql = NodeSqlClient.layer({ filename: database })
  const settlements = Layer.provide(
    faultySettlements(at),
    RegistrySql.layerSql({ owners: NodeOwners.make({ directory: owners }) })
  )
  const registry = ToolRegistry.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), settlements)),
    Layer.provideMerge(OutputStores.layerMemory())
  )
  const stores = Layer.merge(faultyKeys(at), faultyAudit(at)).pipe(Layer.provide(Sql.layerSql))
  return Gateway.layer({ observability: "none" }).pipe(
    Layer.provideMerge(Layer.mergeAll(Budgets.layerMemory, stores)),
    Layer.provide(Layer.unwrap(Effect.map(ToolRegistry.Service, (registry) => Catalog.layer(registry.materialize())))),
    Layer.provideMerge(registry),
    Layer.provideMerge(sql)
  )
}

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
    Effect.provide(layer(directory, number)),
    Effect.updateService(Clock.Clock, (clock) => later(clock, number))
  )

/** Makes every call that has no outcome yet, and says so for each one. */
export const governAll = Effect.fnUntraced(function* (directory: string, told: () => void) {
  const gateway = yield* Gateway.Service
  const { outcomes } = files(directory)
  const done = new Set(linesOf(outcomes).map((line) => line.split(" ")[0]))
  // The account may fail like everything else, and is looked at again.
  yield* Effect.retry(gateway.recover, { times: 10 })
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
