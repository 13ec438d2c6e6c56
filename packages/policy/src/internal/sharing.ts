/** What the policies of several processes on one store have to do with each other's requests. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Approval } from "../Approval.ts"
import type { Policy } from "./policy.ts"

/** Soon enough for somebody who waits, and one small query for it. */
const interval = Duration.seconds(1)

/** The process that asked takes its request itself when its time is over; what it left by then is a dead one's. */
const grace = Duration.minutes(1)

/** As long as something is on the board: what was decided, saved or taken elsewhere is heard of here. */
export const follow = (policy: Policy): Effect.Effect<never> =>
  Latch.await(policy.board.isBusy).pipe(
    Effect.andThen(Effect.sleep(interval)),
    Effect.andThen(Effect.ignore(policy.turnstile.withPermit(compare(policy)))),
    Effect.forever
  )

const compare = Effect.fnUntraced(function* ({ board, judge, location, store }: Policy) {
  if (board.all.length === 0) return
  const { approvals, saved } = yield* store.read(location)
  const kept = new Map<string, Approval>(approvals.map((approval) => [approval.id, approval]))
  for (const { id, isWaiting, request } of board.all) {
    const approval = kept.get(id)
    if (approval?.decision !== undefined) board.end(id, "answered")
    else if (approval === undefined && !isWaiting) board.end(id, "withdrawn")
    else if (isWaiting && judge(saved, request)._tag === "Allow") board.end(id, "covered")
  }
})

/** Ends what an earlier process left, and clears it away once nobody can want it any more. */
export const clearLater = Effect.fnUntraced(function* ({ board, store }: Policy, approval: Approval, leftMs: number) {
  yield* Effect.sleep(leftMs)
  // A call that waits for it now keeps its own time, and takes it away itself.
  if (!board.isWaiting(approval.id)) board.end(approval.id, "expired")
  yield* Effect.sleep(grace)
  if (!board.isWaiting(approval.id)) yield* Effect.ignore(store.take(approval))
})
