/** Takes back what nobody committed in time. */
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as CommitLedger from "../CommitLedger.ts"
import type * as Gateway from "../Gateway.ts"
import { aimedAt, type Phases } from "./phases.ts"

export interface Rollbacks {
  /** At its deadline, or when the process ends before. */
  readonly schedule: (row: CommitLedger.Row) => Effect.Effect<void>
  /** Now, unless somebody commits or rolls back already. */
  readonly rollBack: (row: CommitLedger.Row) => Effect.Effect<void>
  /** What could not even be noted. */
  readonly undo: (row: CommitLedger.Row) => Effect.Effect<void>
}

/** Also takes over what a process that died has left. */
export const rollbacks = Effect.fnUntraced(function* (
  gateway: Gateway.Interface,
  ledger: CommitLedger.Interface,
  tools: ReadonlyMap<string, Phases>
): Effect.fn.Return<Rollbacks, CommitLedger.StorageError, Scope.Scope> {
  const own = new Map<string, CommitLedger.Row>()
  const roll = (row: CommitLedger.Row) => rollBack(gateway, ledger, tools.get(row.toolId), row)
  yield* Effect.addFinalizer(() => Effect.forEach([...own.values()], roll, { discard: true }))
  const scope = yield* Effect.scope
  const schedule = Effect.fnUntraced(function* (row: CommitLedger.Row) {
    if (own.has(row.commitToken) || row.state !== "Prepared") return
    own.set(row.commitToken, row)
    const now = yield* Clock.currentTimeMillis
    const later = Effect.sleep(Math.max(0, row.deadline - now)).pipe(
      Effect.andThen(Effect.uninterruptible(roll(row))),
      Effect.andThen(Effect.sync(() => own.delete(row.commitToken)))
    )
    yield* Effect.forkIn(later, scope)
  })
  for (const row of yield* ledger.prepared) if (tools.has(row.toolId)) yield* schedule(row)
  const undo = (row: CommitLedger.Row) => {
    const phases = tools.get(row.toolId)
    return phases === undefined ? Effect.void : Effect.asVoid(gateway.call(aimedAt(phases.rollback, requestOf(row))))
  }
  return { schedule, rollBack: roll, undo }
})

/** Whoever moves the row rolls back; nobody else does. What fails stays where it is, for somebody to look at. */
const rollBack = Effect.fnUntraced(
  function* (
    gateway: Gateway.Interface,
    ledger: CommitLedger.Interface,
    phases: Phases | undefined,
    row: CommitLedger.Row
  ) {
    const { commitToken } = row
    if (phases === undefined || !(yield* ledger.move(commitToken, "Prepared", "RollingBack"))) return
    const outcome = yield* gateway.call(aimedAt(phases.rollback, requestOf(row)))
    if (outcome.leaf._tag.startsWith("Success.")) yield* ledger.move(commitToken, "RollingBack", "RolledBack")
    else yield* Effect.logError("A rollback failed", { prepareId: row.prepareId, outcome: outcome.leaf._tag })
  },
  Effect.catchTag("CommitLedger.StorageError", ({ operation }) =>
    Effect.logError("The ledger failed during a rollback", { operation })
  )
)

/** Of whoever prepared. The key makes sure that it is done once, also by two processes. */
const requestOf = ({ actor, prepareId, prepared, tenantId, toolId }: CommitLedger.Row): CallRequest => ({
  callId: `rollback-${prepareId}`,
  toolName: toolId,
  fn: "rollback",
  input: prepared,
  actor,
  ...(tenantId === null ? {} : { tenantId }),
  idempotencyKey: `rollback:${prepareId}`,
  scopes: [],
  principalChain: [],
  evidenceRefs: [],
  dryRun: false,
  attempt: 1
})
