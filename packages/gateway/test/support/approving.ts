/** A gateway whose calls need somebody's approval. */
import { Location, Permission, Tool, Tools } from "@haft/core"
import { ApprovalGate, Authorizer, Budgets, Gateway } from "@haft/gateway"
import { layerSql } from "@haft/gateway/sql"
import { NodeSqlClient } from "@haft/node"
import { Approvals, Permissions, PolicyStore } from "@haft/policy"
import * as PolicySql from "@haft/policy/sql"
import * as Testing from "@haft/registry/testing"
import { type Clock, Effect, Layer, Queue, Schema, Stream } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { layerCatalog } from "./governing.ts"

/** Whatever is called, somebody has to approve it. */
export const careful: Authorizer.Interface = {
  version: "1",
  authorize: () => Effect.succeed(Authorizer.ask("it is risky", ["rule-1"], "gate-1"))
}

const layerPolicy = Permissions.layer({ location: Location.Ref.make("/project"), unattended: "wait" })

const gate = Layer.effect(
  ApprovalGate.Service,
  Effect.map(Permission.Service, (permission) => ApprovalGate.fromPermission(permission))
)

const hooks = (authorizer: Authorizer.Interface) => Layer.merge(gate, Layer.succeed(Authorizer.Service, authorizer))

export const layerMemory = (authorizer = careful) =>
  Gateway.layerMemory().pipe(
    Layer.provide(hooks(authorizer)),
    Layer.provideMerge(layerPolicy.pipe(Layer.provideMerge(PolicyStore.layerMemory))),
    Layer.provideMerge(layerCatalog),
    Layer.provideMerge(Testing.layer)
  )

/** What a process leaves behind in a directory. */
export const effectsOf = (directory: string): string => join(directory, "effects")

/** The same on stores that survive the process. */
export const layerIn = (directory: string) =>
  Gateway.layer({ callTimeoutMs: 1000 }).pipe(
    Layer.provide(hooks(careful)),
    Layer.provideMerge(layerPolicy),
    Layer.provideMerge(Layer.mergeAll(layerSql, PolicySql.layerSql, Budgets.layerMemory)),
    Layer.provideMerge(NodeSqlClient.layer({ filename: join(directory, "gateway.db") })),
    Layer.provideMerge(layerCatalog),
    Layer.provideMerge(Testing.layer)
  )

/** Leaves a line, and then does whatever it is told to. */
export const acting = (directory: string, then: Effect.Effect<void> = Effect.void): Tool.Any =>
  Tool.annotate(
    Tool.make({
      description: "Acts",
      input: Schema.Struct({ text: Schema.String }),
      output: Schema.String,
      execute: ({ text }) =>
        Effect.andThen(
          Effect.sync(() => Fs.appendFileSync(effectsOf(directory), `${text}\n`)),
          Effect.as(then, text)
        )
    }),
    { determinism: "side_effectful" }
  )

export const register = (tool: Tool.Any) => Effect.flatMap(Tools.Service, (tools) => tools.register({ tool }))

/** Every request that somebody is asked about, from now on. */
export const pendings = Effect.gen(function* () {
  const approvals = yield* Approvals.Service
  const heard = yield* Queue.unbounded<Approvals.Pending>()
  yield* Effect.forkScoped(
    Stream.runForEach(approvals.changes, (change) =>
      change._tag === "Asked" ? Queue.offer(heard, change.pending) : Effect.void
    ),
    { startImmediately: true }
  )
  return heard
})

/** So long after the others that their leases are over. */
export const later = (clock: Clock.Clock, ms: number): Clock.Clock =>
  Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms,
    currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + ms)
  })
