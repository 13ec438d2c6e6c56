/** The first of two phases. */
import * as SideEffect from "@haft/core/SideEffect"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import type * as Outcome from "@haft/wire/Outcome"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as CommitLedger from "../CommitLedger.ts"
import * as Gateway from "../Gateway.ts"
import { aimedAt, type Phases } from "./phases.ts"
import type { Rollbacks } from "./rollbacks.ts"

interface Parts {
  readonly gateway: Gateway.Interface
  readonly ledger: CommitLedger.Interface
  readonly phases: Phases
  readonly pending: Rollbacks
}

const isObject = Schema.is(Schema.JsonObject)

/** What the first phase leaves is noted before anybody hears of it, also if they left, and rolled back if it cannot be. */
export const prepare = (
  parts: Parts,
  request: CallRequest,
  options: Gateway.CallOptions | undefined
): Effect.Effect<Outcome.Outcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const latest = now + Gateway.defaultMaxCallTimeoutMs
      const deadline = Math.min(request.deadlineUnixMs ?? now + Gateway.defaultCallTimeoutMs, latest)
      const asked = aimedAt(parts.phases.prepare, { ...request, deadlineUnixMs: deadline })
      const outcome = yield* restore(parts.gateway.call(asked, options))
      return yield* noted(parts, request, options, outcome, { preparedAt: now, deadline })
    })
  )

const noted = Effect.fnUntraced(function* (
  { ledger, pending }: Parts,
  request: CallRequest,
  options: Gateway.CallOptions | undefined,
  outcome: Outcome.Outcome,
  times: Pick<CommitLedger.Row, "preparedAt" | "deadline">
): Effect.fn.Return<Outcome.Outcome> {
  const { leaf } = outcome
  if ((leaf._tag !== "Success.Read" && leaf._tag !== "Success.Effect") || outcome.dryRun) return outcome
  const { output } = leaf
  if (!isObject(output)) return ended(outcome, Leaf.make("Operational.InvalidOutput", { ref: outcome.id }))
  const row: CommitLedger.Row = {
    commitToken: token(),
    prepareId: outcome.id,
    toolId: request.toolId ?? request.toolName,
    tenantId: tenantOf(request, options),
    actor: actorOf(request, options),
    prepared: output,
    ...times,
    state: "Prepared"
  }
  const written = yield* Effect.result(ledger.prepare(row))
  if (Result.isFailure(written)) {
    yield* pending.undo(row)
    return ended(outcome, Leaf.make("Operational.RetentionFailed", { ref: outcome.id }))
  }
  yield* pending.schedule(written.success)
  const { commitToken, deadline: commitDeadline } = written.success
  return ended(outcome, Leaf.make("Prepared", { output, commitToken, commitDeadline }), SideEffect.none)
})

/** Two random ids: more than anybody guesses. */
const token = (): string => `cmt_${SecureRandom.uuidV4Unsafe()}${SecureRandom.uuidV4Unsafe()}`.replaceAll("-", "")

/** Who prepared it is who may commit it. */
export const tenantOf = ({ tenantId }: CallRequest, options: Gateway.CallOptions | undefined): string | null =>
  options?.caller?.tenantId ?? tenantId ?? options?.run?.tenant_id ?? null

export const actorOf = ({ actor, agent }: CallRequest, options: Gateway.CallOptions | undefined): string =>
  options?.caller?.actor ?? actor ?? agent ?? ""

/** The same outcome with another end, which nobody repeats. */
const ended = (outcome: Outcome.Outcome, leaf: Leaf.Leaf, effect = outcome.effect): Outcome.Outcome => ({
  ...outcome,
  leaf,
  effect,
  retry: { runtime: "never", model: "n/a" }
})
