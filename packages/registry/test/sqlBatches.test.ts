import { assert, layer } from "@effect/vitest"
import { Session, SettlementStore } from "@haft/core"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as SettlementStores from "@haft/registry/SettlementStores"
import * as Sql from "@haft/registry/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { begun, interrupted, settled } from "./support/calls.ts"

const Act = Schema.Struct({
  verb: Schema.Literals(["begin", "begin ended", "repeat", "advance", "redeem", "settle", "interrupt"]),
  /** Few, so that operations meet. */
  call: Schema.Literals(["one", "two"])
})
type Act = typeof Act.Type

/** The result of an operation in a word. Each run has a session, and an approval, of its own. */
const perform = (store: SettlementStore.Interface, session: Session.ID, { call, verb }: Act) => {
  const one = begun(call)
  const inSession: SettlementStore.Begun = { ...one, context: { ...one.context, sessionID: session } }
  switch (verb) {
    case "begin":
      return begin(store, inSession)
    case "begin ended":
      return begin(store, inSession, { ended: interrupted })
    case "repeat":
      return begin(store, inSession, { repeat: true })
    case "advance":
      return wordOf(store.advance(inSession.context))
    case "redeem":
      return wordOf(store.advance(inSession.context, { approvalID: session }))
    case "settle":
      return wordOf(store.complete(inSession.context, settled(inSession)))
    case "interrupt":
      return wordOf(store.complete(inSession.context, interrupted))
  }
}

const begin = (
  store: SettlementStore.Interface,
  call: SettlementStore.Begun,
  options?: SettlementStore.BeginOptions
): Effect.Effect<string, SettlementStore.StorageError> =>
  Effect.map(store.begin(call, options), (known) => (Option.isNone(known) ? "begun" : "known"))

const wordOf = (
  effect: Effect.Effect<unknown, SettlementStore.StorageError | SettlementStore.ApprovalSpentError>
): Effect.Effect<string> => Effect.match(effect, { onFailure: (error) => error._tag, onSuccess: () => "done" })

let runs = 0

layer(Sql.layerSql().pipe(Layer.provide(NodeSqlClient.layer({ filename: ":memory:" }))))("a batch", (it) => {
  it.effect.prop(
    "of operations has the results that they have one after the other",
    { acts: Schema.Array(Act) },
    ({ acts }) =>
      Effect.gen(function* () {
        const session = Session.ID.make(`session-${runs++}`)
        const batched = yield* SettlementStore.Service
        const single = yield* Effect.provide(SettlementStore.Service, SettlementStores.layerMemory)
        const expected = yield* Effect.forEach(acts, (act) => perform(single, session, act))
        const results = yield* Effect.forEach(acts, (act) => perform(batched, session, act), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(results, expected)
      }),
    { arbitrary: { runs: 300 } }
  )
})
