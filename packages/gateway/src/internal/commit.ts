/** The second of two phases. */
import * as SideEffect from "@haft/core/SideEffect"
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Leaf from "@haft/wire/Leaf"
import * as Outcome from "@haft/wire/Outcome"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as CommitLedger from "../CommitLedger.ts"
import type * as Gateway from "../Gateway.ts"
import { aimedAt, type Phases } from "./phases.ts"
import { actorOf, tenantOf } from "./prepare.ts"
import type { Rollbacks } from "./rollbacks.ts"
import * as Sentences from "./sentences.ts"

interface Parts {
  readonly gateway: Gateway.Interface
  readonly ledger: CommitLedger.Interface
  readonly phases: Phases
  readonly pending: Rollbacks
}

const Input = Schema.Struct({ commit_token: Schema.String })
const decode = Schema.decodeUnknownOption(Input)

/** Cannot be interrupted once it has begun: what becomes of the row is known when it ends. */
export const commit = (
  parts: Parts,
  request: CallRequest,
  options: Gateway.CallOptions | undefined
): Effect.Effect<Outcome.Outcome> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const row = yield* owned(parts, request, options)
      if (row === undefined) return yield* refused(parts.gateway, request, "unknown")
      const { commitToken, deadline } = row
      if (request.dryRun) return yield* rehearsed(parts, row, request, options)
      if ((yield* Clock.currentTimeMillis) >= deadline) yield* parts.pending.rollBack(row)
      if (!(yield* parts.ledger.move(commitToken, "Prepared", "Committing"))) {
        return yield* refused(parts.gateway, request, tokenState(yield* parts.ledger.find(commitToken)))
      }
      const asked = { ...request, input: row.prepared, idempotencyKey: `commit:${row.prepareId}` }
      return yield* concluded(parts, row, yield* parts.gateway.call(aimedAt(parts.phases.commit, asked), options))
    }).pipe(
      Effect.catchTag("CommitLedger.StorageError", () =>
        Effect.succeed(
          ending(request, Leaf.make("Operational.RetentionFailed", { ref: request.callId }), SideEffect.unknown)
        )
      )
    )
  )

/** Looks at what a commit would come to, and leaves the row as it is. */
const rehearsed = (
  { gateway, phases }: Parts,
  row: CommitLedger.Row,
  request: CallRequest,
  options: Gateway.CallOptions | undefined
): Effect.Effect<Outcome.Outcome> =>
  row.state === "Prepared"
    ? gateway.call(aimedAt(phases.commit, { ...request, input: row.prepared }), options)
    : refused(gateway, request, tokenState(Option.some(row)))

/** The row of the token that is named, if whoever names it may have it. */
const owned = Effect.fnUntraced(function* (
  { ledger }: Parts,
  request: CallRequest,
  options: Gateway.CallOptions | undefined
) {
  const input = decode(request.input)
  if (Option.isNone(input)) return undefined
  const row = Option.getOrUndefined(yield* ledger.find(input.value.commit_token))
  const isOwn =
    row?.toolId === (request.toolId ?? request.toolName) &&
    row.actor === actorOf(request, options) &&
    row.tenantId === tenantOf(request, options)
  return isOwn ? row : undefined
})

/** What did nothing can be tried again, or is rolled back if it is too late. What may have done something stays as it is. */
const concluded = Effect.fnUntraced(function* (
  { ledger, pending }: Parts,
  row: CommitLedger.Row,
  outcome: Outcome.Outcome
) {
  const { commitToken, deadline } = row
  if (outcome.leaf._tag.startsWith("Success.")) {
    yield* ledger.move(commitToken, "Committing", "Committed")
    return outcome
  }
  const didNothing = outcome.effect._tag === "NotStarted" || outcome.effect._tag === "None"
  if (!didNothing) return outcome
  yield* ledger.move(commitToken, "Committing", "Prepared")
  if ((yield* Clock.currentTimeMillis) >= deadline) yield* pending.rollBack(row)
  return outcome
})

type TokenState = "unknown" | "committing" | "committed" | "rolled_back"

const tokenState = (row: Option.Option<CommitLedger.Row>): TokenState => {
  switch (Option.getOrUndefined(row)?.state) {
    case "Committed":
      return "committed"
    case "RollingBack":
    case "RolledBack":
      return "rolled_back"
    case "Committing":
      return "committing"
    default:
      return "unknown"
  }
}

const refused = (gateway: Gateway.Interface, request: CallRequest, state: TokenState): Effect.Effect<Outcome.Outcome> =>
  dropped(
    gateway,
    request,
    Leaf.make("Failure.Precondition", { message: Sentences.tokenState(state), details: { token_state: state } })
  )

/** Refuses a call that goes no further, and puts that on the account. */
export const dropped = (
  gateway: Gateway.Interface,
  request: CallRequest,
  leaf: Leaf.Leaf
): Effect.Effect<Outcome.Outcome> => {
  const reason = "message" in leaf ? leaf.message : leaf._tag
  return Effect.match(gateway.skip(request, { reason_code: "policy", reason }), {
    onSuccess: () => ending(request, leaf, SideEffect.notStarted),
    onFailure: () =>
      ending(request, Leaf.make("Operational.RetentionFailed", { ref: request.callId }), SideEffect.notStarted)
  })
}

const ending = (request: CallRequest, leaf: Leaf.Leaf, effect: SideEffect.SideEffect): Outcome.Outcome =>
  Outcome.make({
    leaf,
    effect,
    call: {
      callId: request.callId,
      toolName: request.toolName,
      toolId: request.toolId ?? request.toolName,
      fn: request.fn
    },
    ...(request.trace === undefined ? {} : { trace: request.trace })
  })
