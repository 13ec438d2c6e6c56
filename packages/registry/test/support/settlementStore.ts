/** Runs the exported suite of the settlement store with Vitest, and opens stores on files. */
import { describe, it } from "@effect/vitest"
import type { SettlementStore } from "@haft/core"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Conformance from "@haft/registry/conformance"
import * as Sql from "@haft/registry/sql"
import { Effect, Layer, type Scope } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

type Store = Layer.Layer<SettlementStore.Service, unknown>

/** Each case gets a store of its own. */
export const conformance = (name: string, make: Effect.Effect<Store, never, Scope.Scope>) =>
  describe(`${name} as a settlement store`, () => {
    for (const { effect, name } of Conformance.settlementStore) {
      it.effect(name, () => Effect.flatMap(make, (layer) => Effect.provide(effect, layer)))
    }
  })

/** For a store that outlives its process. */
export const reopening = (name: string, make: Effect.Effect<Store, never, Scope.Scope>) =>
  describe(`${name} as a settlement store that is opened again`, () => {
    for (const { name, run } of Conformance.settlementStoreReopened) it.effect(name, () => Effect.flatMap(make, run))
  })

/** A name for a database, in a directory that is gone after the test. */
export const databaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-settlements-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
  ),
  (directory) => join(directory, "calls.db")
)

/** How the processes of one machine open their store. */
export const layerFile = (filename: string): Store =>
  Sql.layerSql({ owners: NodeOwners.make({ directory: join(dirname(filename), "owners") }) }).pipe(
    Layer.provide(NodeSqlClient.layer({ filename }))
  )
