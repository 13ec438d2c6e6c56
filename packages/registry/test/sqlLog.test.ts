import { assert, describe, it } from "@effect/vitest"
import { ManagedOutput, Session, SettlementStore, ToolCall } from "@haft/core"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Sql from "@haft/registry/sql"
import { Effect, Exit, Layer, Scope } from "effect"
import { dirname, join } from "node:path"
import { begun, settled } from "./support/calls.ts"
import { databaseFile, layerFile } from "./support/settlementStore.ts"

const readLog = (filename: string, query: Sql.LogQuery) =>
  Effect.provide(
    Sql.log(query, { owners: NodeOwners.make({ directory: join(dirname(filename), "owners") }) }),
    NodeSqlClient.layer({ filename })
  )

const at = (call: SettlementStore.Begun, begunAt: number): SettlementStore.Begun => ({ ...call, begunAt })

const ids = (records: ReadonlyArray<SettlementStore.CallRecord>) =>
  records.map(({ _tag, begun }) => `${begun.context.toolCallID} ${_tag}`)

describe("the log of a database", () => {
  it.effect("is empty before the first store was opened", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readLog(yield* databaseFile, { limit: 10 }), [])
    })
  )

  it.effect("tells running, unfinished and ended calls apart, the latest first", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const open = Effect.fnUntraced(function* (
        use: (store: SettlementStore.Interface) => Effect.Effect<unknown, unknown>
      ) {
        const scope = yield* Scope.make()
        const services = yield* Layer.buildWithScope(layerFile(filename), scope)
        yield* use(yield* Effect.provide(SettlementStore.Service, services))
        return scope
      })
      const first = begun("first")
      const closed = yield* open((store) =>
        Effect.gen(function* () {
          yield* store.begin(at(first, 1))
          yield* store.complete(first.context, settled(first))
          yield* store.begin(at(begun("second"), 2))
        })
      )
      yield* Scope.close(closed, Exit.void)
      const held = yield* open((store) => store.begin(at(begun("third"), 3)))
      yield* Effect.addFinalizer((exit) => Scope.close(held, exit))
      const records = yield* readLog(filename, { limit: 10 })
      assert.deepStrictEqual(ids(records), ["third Running", "second Unfinished", "first Ended"])
      assert.deepStrictEqual(ids(yield* readLog(filename, { limit: 1 })), ["third Running"])
    })
  )

  it.effect("finds a call by its session, its id and what it refers to, and nothing that is only alike", () =>
    Effect.gen(function* () {
      const filename = yield* databaseFile
      const ref = ManagedOutput.Ref.make("out_aaaaaaaaaaaaaaaaaaaaaa")
      const call = begun("call")
      const other: SettlementStore.Begun = {
        ...call,
        context: {
          ...call.context,
          sessionID: Session.ID.make(`${call.context.sessionID}2`),
          toolCallID: ToolCall.ID.make("a-call")
        }
      }
      const end = settled(call)
      const referring: SettlementStore.Ended =
        end._tag === "Settled" ? { ...end, settlement: { ...end.settlement, managed: [ref] } } : end
      yield* Effect.provide(
        Effect.gen(function* () {
          const store = yield* SettlementStore.Service
          yield* store.begin(call)
          yield* store.complete(call.context, referring)
          yield* store.begin(other)
          yield* store.complete(other.context, settled(other))
        }),
        layerFile(filename)
      )
      const only = ["call Ended"]
      assert.strictEqual((yield* readLog(filename, { limit: 10 })).length, 2)
      assert.deepStrictEqual(ids(yield* readLog(filename, { limit: 10, sessionID: call.context.sessionID })), only)
      assert.deepStrictEqual(ids(yield* readLog(filename, { limit: 10, toolCallID: call.context.toolCallID })), only)
      assert.deepStrictEqual(ids(yield* readLog(filename, { limit: 10, managed: ref })), only)
    })
  )
})
