/** Runs the exported suite of the policy store with Vitest, and opens stores on files. */
import { describe, it } from "@effect/vitest"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import type { PolicyStore } from "@haft/policy"
import * as Conformance from "@haft/policy/conformance"
import * as Sql from "@haft/policy/sql"
import { Effect, Layer, type Scope } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

type Store = Layer.Layer<PolicyStore.Service, unknown>

/** Each case gets a store of its own. */
export const conformance = (name: string, make: Effect.Effect<Store, never, Scope.Scope>) =>
  describe(`${name} as a policy store`, () => {
    for (const { effect, name } of Conformance.policyStore) {
      it.effect(name, () => Effect.flatMap(make, (layer) => Effect.provide(effect, layer)))
    }
  })

/** A directory that is gone after the test. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-policy-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

export const databaseFile = Effect.map(directory, (path) => join(path, "policy.db"))

export const layerFile = (filename: string) => Sql.layerSql.pipe(Layer.provide(NodeSqlClient.layer({ filename })))
