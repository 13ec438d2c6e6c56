/** How a request of a tool comes to be granted or refused. */
import * as EffectSignal from "@haft/core/EffectSignal"
import type * as Permission from "@haft/core/Permission"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Approval from "../Approval.ts"
import type { Ending } from "../Approvals.ts"
import type * as PolicyStore from "../PolicyStore.ts"
import * as Denials from "./denials.ts"
import { open, type Question, type Waiting } from "./opening.ts"
import type { Policy } from "./policy.ts"
import * as Sentences from "./sentences.ts"
import { expanded } from "./shellRequest.ts"

/** What the host's rules decide needs no store. */
export const assert = (policy: Policy): Permission.Interface["assert"] =>
  Effect.fn("Permissions.assert")(function* (asked, context) {
    const request = yield* expanded(asked)
    const verdict = policy.judge([], request)
    if (verdict._tag === "Deny") return yield* Denials.byRule(request, verdict.rule)
    return yield* verdict._tag === "Allow" ? granted : ask(policy, { request, context })
  })

/** By a rule. Without an approval, none can be spent. */
const granted = Effect.flatMap(EffectSignal.Service, (signal) => Effect.orDie(signal.granted()))

/** Interruptible only while it waits for the answer: until then and from then on a request is taken back for sure. */
const ask = (policy: Policy, question: Question): Effect.Effect<void, Permission.DeniedError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const signal = yield* EffectSignal.Service
      yield* signal.asking
      const opened = yield* policy.turnstile.withPermit(open(policy, question))
      switch (opened._tag) {
        case "Covered":
          return yield* granted
        case "Answered":
          return yield* conclude(
            policy,
            question,
            opened.approval,
            yield* policy.store.take(opened.approval),
            "answered"
          )
        case "Waiting":
          return yield* wait(policy, question, opened, restore)
      }
    }).pipe(Effect.catchTag("PolicyStore.StorageError", (error) => unrecorded(question, error)))
  )

/** A model is told that it was refused, and the host what is wrong with its store. */
const unrecorded = ({ request }: Question, error: PolicyStore.StorageError) =>
  Effect.andThen(
    Effect.logError("A request for permission could not be recorded", error),
    Denials.byPolicy(request, Sentences.unrecorded)
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The limit is kept by a timer, which no change of the clock can shorten or prolong. */
const wait = Effect.fnUntraced(function* (
  policy: Policy,
  question: Question,
  { approval, bell, limitMs }: Waiting,
  restore: Restore
) {
  const heard = yield* Effect.exit(restore(Effect.timeoutOption(Deferred.await(bell), limitMs)))
  const as: Ending = Exit.isSuccess(heard) ? Option.getOrElse(heard.value, () => "expired") : "withdrawn"
  const taken = policy.store.take(approval).pipe(Effect.ensuring(Effect.sync(() => policy.board.end(approval.id, as))))
  if (Exit.isFailure(heard)) return yield* Effect.andThen(Effect.ignore(taken), Effect.failCause(heard.cause))
  // Whoever closed the Location has taken it, and the store may be closed by now.
  if (as === "closed") return yield* refusalOf(policy, approval, as)
  return yield* conclude(policy, question, approval, yield* taken, as)
})

/** What was taken from the store decides: an answer that came at the last moment counts, and counts once. */
const conclude = (
  policy: Policy,
  { context, request }: Question,
  approval: Approval.Approval,
  taken: Option.Option<Approval.Approval>,
  as: Ending
): Effect.Effect<void, Permission.DeniedError> => {
  const decided = Option.getOrUndefined(taken)
  if (decided?.decision?._tag === "Granted") return redeem(request, decided.id, decided.decision.by)
  if (decided?.decision?._tag === "Rejected") {
    if (decided.decision.stops) policy.board.stop(context)
    return Effect.fail(Denials.byUser(request, decided.decision))
  }
  if (decided?.decision?._tag === "Unattended") {
    return Effect.fail(Denials.unattended(request, decided.decision.advice))
  }
  if (as === "covered") return granted
  return Effect.fail(refusalOf(policy, approval, as))
}

/** Without an answer of its own. */
const refusalOf = ({ timeLimitMs }: Policy, approval: Approval.Approval, as: Ending): Permission.DeniedError => {
  const { request } = approval
  if (as === "closed") return Denials.byPolicy(request, Sentences.closed)
  if (as === "stopped") return Denials.byUser(request, { stops: true })
  if (as === "answered") return Denials.byPolicy(request, Sentences.spent)
  return Denials.late(approval, Sentences.expired(timeLimitMs))
}

/** The approval is spent in the record of the call, in the same step that makes an effect possible. */
const redeem = (
  request: Permission.Request,
  id: Approval.ID,
  by: string | undefined
): Effect.Effect<void, Permission.DeniedError> =>
  Effect.flatMap(EffectSignal.Service, (signal) => signal.granted(id, by)).pipe(
    Effect.catchTag("SettlementStore.ApprovalSpentError", () => Effect.fail(Denials.byPolicy(request, Sentences.spent)))
  )
