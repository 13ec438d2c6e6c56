import { assert, describe, it } from "@effect/vitest"
import { Audit, CommitLedger, IdempotencyStore } from "@haft/gateway"
import * as Conformance from "@haft/gateway/conformance"
import * as Sql from "@haft/gateway/sql"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const database = Sql.layerSql.pipe(Layer.provideMerge(NodeSqlClient.layer({ filename: ":memory:" })))

describe.each([
  ["in memory", Layer.mergeAll(IdempotencyStore.layerMemory, Audit.layerMemory, CommitLedger.layerMemory)],
  ["on SQLite", database]
])("stores %s", (_, layer) => {
  for (const { effect, name } of Conformance.idempotencyStore) {
    it.live(`an idempotency store ${name}`, () => Effect.provide(effect, Layer.fresh(layer)))
  }
  for (const { effect, name } of Conformance.audit) {
    it.live(`an account ${name}`, () => Effect.provide(effect, Layer.fresh(layer)))
  }
  for (const { effect, name } of Conformance.commitLedger) {
    it.live(`a ledger ${name}`, () => Effect.provide(effect, Layer.fresh(layer)))
  }
})

const brokenStore = (mistake: (store: IdempotencyStore.Interface) => Partial<IdempotencyStore.Interface>) =>
  Layer.effect(
    IdempotencyStore.Service,
    Effect.map(IdempotencyStore.Service, (store) => ({ ...store, ...mistake(store) }))
  ).pipe(Layer.provide(IdempotencyStore.layerMemory))

const storeMistakes: Readonly<Record<string, Layer.Layer<IdempotencyStore.Service>>> = {
  "gives a key to everybody": brokenStore(() => ({ claim: () => Effect.succeed({ _tag: "Mine" }) })),
  "forgets outcomes": brokenStore((store) => ({ settle: (holder) => store.release(holder) })),
  "never lets go": brokenStore(() => ({ release: () => Effect.void })),
  "takes over what runs": brokenStore((store) => ({ claim: (claim) => store.claim({ ...claim, takeOver: true }) })),
  "knows no time": brokenStore((store) => ({ claim: (claim) => store.claim({ ...claim, now: 0 }) })),
  "mixes keys up": brokenStore((store) => ({ claim: (claim) => store.claim({ ...claim, storeKey: "key" }) })),
  "sweeps nothing": brokenStore(() => ({ sweep: () => Effect.succeed(0) }))
}

const brokenAudit = (mistake: (audit: Audit.Interface) => Partial<Audit.Interface>) =>
  Layer.effect(
    Audit.Service,
    Effect.map(Audit.Service, (audit) => ({ ...audit, ...mistake(audit) }))
  ).pipe(Layer.provide(Audit.layerMemory))

const auditMistakes: Readonly<Record<string, Layer.Layer<Audit.Service>>> = {
  "forgets requests": brokenAudit(() => ({ request: () => Effect.void })),
  "forgets closings": brokenAudit(() => ({ close: () => Effect.void })),
  "mixes calls up": brokenAudit((audit) => ({ find: () => audit.find("call") })),
  "counts nothing": brokenAudit(() => ({ counts: Effect.succeed({ requested: 0, settled: 0, skipped: 0 }) })),
  "gives up too early": brokenAudit((audit) => ({ unclosed: () => audit.unclosed(Number.MAX_SAFE_INTEGER) }))
}

const brokenLedger = (mistake: (ledger: CommitLedger.Interface) => Partial<CommitLedger.Interface>) =>
  Layer.effect(
    CommitLedger.Service,
    Effect.map(CommitLedger.Service, (ledger) => ({ ...ledger, ...mistake(ledger) }))
  ).pipe(Layer.provide(CommitLedger.layerMemory))

const ledgerMistakes: Readonly<Record<string, Layer.Layer<CommitLedger.Service>>> = {
  "lets everybody move": brokenLedger((ledger) => ({
    move: (token, from, to) => Effect.as(ledger.move(token, from, to), true)
  })),
  "gives each settlement several rows": brokenLedger((ledger) => ({
    prepare: (row) => ledger.prepare({ ...row, prepareId: row.commitToken })
  })),
  "forgets what is prepared": brokenLedger(() => ({ prepared: Effect.succeed([]) })),
  "moves nothing": brokenLedger(() => ({ move: () => Effect.succeed(false) }))
}

describe("the suites", () => {
  for (const [mistake, layer] of Object.entries(ledgerMistakes)) {
    it.live(`catch a ledger that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.commitLedger, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
      })
    )
  }
  for (const [mistake, layer] of Object.entries(storeMistakes)) {
    it.live(`catch an idempotency store that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.idempotencyStore, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
        assert.isTrue(exits.some(Exit.isSuccess))
      })
    )
  }
  for (const [mistake, layer] of Object.entries(auditMistakes)) {
    it.live(`catch an account that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.audit, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
      })
    )
  }
})

describe("a database", () => {
  const temporary = Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-gateway-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
  )

  const open = (filename: string) => Sql.layerSql.pipe(Layer.provideMerge(NodeSqlClient.layer({ filename })))

  it.live("gives a key to one of two that opened it apart", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporary, "gateway.db")
      const claim = (owner: string) =>
        Effect.flatMap(IdempotencyStore.Service, (store) =>
          store.claim({ storeKey: "k", owner, inputDigest: "d", now: 0, leaseUntil: 1000, takeOver: false })
        )
      const [first, second] = yield* Effect.all([
        Effect.provide(claim("a"), Layer.fresh(open(filename))),
        Effect.provide(claim("b"), Layer.fresh(open(filename)))
      ])
      assert.deepStrictEqual([first._tag, second._tag], ["Mine", "Running"])
    }).pipe(Effect.scoped)
  )

  it.live("of a later release is left as it is", () =>
    Effect.gen(function* () {
      const filename = join(yield* temporary, "gateway.db")
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`INSERT INTO haft_gateway_migrations ${sql.insert({ migration_id: 99, name: "later" })}`
      ).pipe(Effect.provide(Layer.fresh(open(filename))))
      const error = yield* Effect.flip(Layer.build(Layer.fresh(open(filename))))
      assert.deepInclude(error, { _tag: "sql.VersionError", found: 99, supported: 1 })
    }).pipe(Effect.scoped)
  )
})
