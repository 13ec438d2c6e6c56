/** How the answer of a person becomes a decision, and what else it decides. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Approval from "../Approval.ts"
import * as Approvals from "../Approvals.ts"
import type * as Rule from "../Rule.ts"
import type { Policy } from "./policy.ts"
import { rulesOf } from "./savedRules.ts"

/** Not interruptible: whoever waits hears of every decision that was recorded. */
export const reply = (policy: Policy): Approvals.Interface["reply"] =>
  Effect.fn("Approvals.reply")(function* (ref, reply, by) {
    return yield* Effect.uninterruptible(policy.turnstile.withPermit(answer(policy, ref, reply, by)))
  })

const answer = Effect.fnUntraced(function* (
  policy: Policy,
  ref: Approvals.Ref,
  reply: Approvals.Reply,
  by: string | undefined
) {
  const { board, location, store } = policy
  const pending = board.find(ref)
  if (pending === undefined) return yield* notThere(policy, ref)
  if (!pending.isWaiting && !Approval.isOpenAt(pending, yield* Clock.currentTimeMillis)) {
    board.end(ref.id, "expired")
    return yield* notThere(policy, ref)
  }
  const save = reply._tag === "Always" ? rulesOf(pending.request) : []
  const { saved } = yield* store.read(location)
  const decided = yield* store.decide(pending, decisionOf(reply, by), save)
  if (Option.isNone(decided)) return yield* gone(policy, pending)
  board.end(ref.id, "answered")
  if (!decided.value.isFirst) return yield* new Approvals.EndedError({ id: ref.id, as: "answered" })
  if (reply._tag === "RejectAndStop") board.stop(pending.context)
  if (save.length > 0) yield* cover(policy, [...saved, ...save])
})

/** Taken a moment ago: by the call that waits, which says itself how that ended, or by another process. */
const gone = ({ board }: Policy, { id, isWaiting }: Approvals.Pending) => {
  if (!isWaiting) board.end(id, "withdrawn")
  return new Approvals.EndedError({ id, as: "withdrawn" })
}

const notThere = (
  { board }: Policy,
  ref: Approvals.Ref
): Effect.Effect<never, Approvals.UnknownError | Approvals.EndedError> => {
  const as = board.endOf(ref)
  return as === undefined ? new Approvals.UnknownError({ id: ref.id }) : new Approvals.EndedError({ id: ref.id, as })
}

const decisionOf = (reply: Approvals.Reply, by: string | undefined): Approval.Decision => {
  const who = by === undefined ? {} : { by }
  if (reply._tag === "Once" || reply._tag === "Always") return { _tag: "Granted", ...who }
  if (reply._tag === "Unattended") return reply
  const { _tag, ...feedback } = reply
  return { _tag: "Rejected", stops: _tag === "RejectAndStop", ...feedback, ...who }
}

/** Nobody has to be asked any more for what the rules allow now, in whichever process a call may wait for it. */
const cover = Effect.fnUntraced(function* ({ board, judge, store }: Policy, saved: ReadonlyArray<Rule.Saved>) {
  for (const pending of board.all) {
    if (judge(saved, pending.request)._tag !== "Allow") continue
    if (!pending.isWaiting) yield* Effect.ignore(store.decide(pending, { _tag: "Granted" }, []))
    board.end(pending.id, "covered")
  }
})
