/**
 * Settles a few calls that each leave a visible effect, and notes outside the store how far it came. It loads no barrel:
 * most of what a run under a tracer costs is loading.
 */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as Settlement from "@haft/core/Settlement"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolCall from "@haft/core/ToolCall"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import * as Sql from "@haft/registry/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Fs from "node:fs"
import { join } from "node:path"

/** What one run leaves in its directory. */
export const files = (directory: string) => ({
  database: join(directory, "calls.db"),
  owners: join(directory, "owners"),
  /** A line for each time that a call had its effect. */
  effects: join(directory, "effects"),
  /** A line for each call whose beginning was acknowledged. */
  begun: join(directory, "begun"),
  /** A line for each call whose end was acknowledged. */
  ended: join(directory, "ended"),
  /** A line for each call whose end was refused, with what the store said about it next. */
  refused: join(directory, "refused")
})

/** Few enough that a process can be killed at each of their writes within a minute. */
const count = 3

/** The same calls in every run. */
export const calls: ReadonlyArray<SettlementStore.Begun> = Array.from({ length: count }, (_, index) => ({
  context: {
    sessionID: Session.ID.make("session"),
    agent: Agent.ID.make("agent"),
    assistantMessageID: Session.MessageID.make("message"),
    toolCallID: ToolCall.ID.make(`call-${index}`)
  },
  name: "append",
  registrationDigest: "digest",
  inputFingerprint: "fingerprint",
  determinism: "side_effectful",
  effectPossible: true,
  begunAt: index
}))

/** The store as a host on one machine has it, and its database. */
export const layer = (directory: string) => {
  const { database, owners } = files(directory)
  return Sql.layerSql({ owners: NodeOwners.make({ directory: owners }) }).pipe(
    Layer.provideMerge(NodeSqlClient.layer({ filename: database }))
  )
}

/** Runs every call that nobody has begun yet, as the registry does: begin, effect, end. Each fails for itself. */
export const settleAll = (directory: string, concurrency: number) =>
  Effect.forEach(calls, (call) => Effect.result(settle(directory, call)), { concurrency })

const settle = Effect.fnUntraced(function* (directory: string, call: SettlementStore.Begun) {
  const store = yield* SettlementStore.Service
  const { begun, effects, ended, refused } = files(directory)
  const id = call.context.toolCallID
  if (Option.isSome(yield* store.begin(call))) return
  append(begun, id)
  append(effects, id)
  const end = yield* Effect.result(store.complete(call.context, settled(call)))
  if (Result.isSuccess(end)) return append(ended, id)
  append(refused, `${id} ${yield* stateOf(store, call)}`)
  return yield* Effect.fail(end.failure)
})

const stateOf = (store: SettlementStore.Interface, { context }: SettlementStore.Begun) =>
  Effect.match(store.find(context), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: Option.match({ onNone: () => "absent", onSome: ({ _tag }) => _tag })
  })

const settled = ({ context, name }: SettlementStore.Begun): SettlementStore.Ended => ({
  _tag: "Settled",
  settlement: Settlement.succeeded({
    context,
    name,
    effect: SideEffect.committed([]),
    warnings: [],
    timing: { startedAt: 0, endedAt: 1 },
    managed: [],
    output: { structured: null, content: [] }
  })
})

/** With other system calls than the database's, so that a kill aimed at the database never hits it. */
const append = (path: string, line: string): void => {
  const file = Fs.openSync(path, "a")
  Fs.writeSync(file, `${line}\n`)
  Fs.fdatasyncSync(file)
  Fs.closeSync(file)
}
