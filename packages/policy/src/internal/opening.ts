/** How a question comes before a person, or turns out to have its answer already. */
import * as Invocation from "@haft/core/Invocation"
import type * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Approval from "../Approval.ts"
import type { Ending } from "../Approvals.ts"
import type * as PolicyStore from "../PolicyStore.ts"
import { bindingOf } from "./binding.ts"
import * as Denials from "./denials.ts"
import type { Policy } from "./policy.ts"
import * as Sentences from "./sentences.ts"

export interface Question {
  readonly request: Permission.Request
  readonly context: Tool.Context
}

export interface Waiting {
  readonly _tag: "Waiting"
  readonly approval: Approval.Approval
  readonly bell: Deferred.Deferred<Ending>
  readonly limitMs: number
}

export type Opened =
  | Waiting
  | { readonly _tag: "Covered" }
  | { readonly _tag: "Answered"; readonly approval: Approval.Approval }

/** Finds the answer that is there already, or the question that an earlier process left, or asks anew. */
export const open = Effect.fnUntraced(function* (
  policy: Policy,
  question: Question
): Effect.fn.Return<Opened, Permission.DeniedError | PolicyStore.StorageError> {
  const { approvals, saved } = yield* policy.store.read(policy.location)
  const verdict = policy.judge(saved, question.request)
  // The host's rules ask, so what was saved can only allow.
  if (verdict._tag !== "Ask") return { _tag: "Covered" }
  const asked = yield* approvalFor(policy, question, verdict.protectedPaths)
  const earlier = approvals.find(
    (other) =>
      other.binding === asked.binding && !policy.board.isWaiting(other.id) && Approval.isOpenAt(other, asked.askedAt)
  )
  if (earlier?.decision !== undefined) return { _tag: "Answered", approval: earlier }
  const obstacle = obstacleTo(policy, question)
  if (obstacle !== undefined) return yield* obstacle
  if (earlier === undefined) yield* policy.store.add(asked)
  const approval = earlier ?? asked
  if (policy.board.isClosed) return yield* closedMeanwhile(policy, approval)
  return { _tag: "Waiting", approval, bell: policy.board.ask(approval), limitMs: approval.expiresAt - asked.askedAt }
})

/** Nobody would end what is asked now. */
const closedMeanwhile = ({ store }: Policy, approval: Approval.Approval) =>
  Effect.andThen(Effect.ignore(store.take(approval)), Denials.byPolicy(approval.request, Sentences.closed))

const approvalFor = Effect.fnUntraced(function* (
  { location, timeLimitMs }: Policy,
  { context, request }: Question,
  protectedPaths: ReadonlyArray<string>
) {
  const invocation = yield* Invocation.Service
  const askedAt = yield* Clock.currentTimeMillis
  const approval: Approval.Approval = {
    id: Approval.ID.make(`apr_${SecureRandom.uuidV4Unsafe()}`),
    location,
    binding: bindingOf(request, context, invocation),
    context,
    ...Option.match(invocation, { onNone: () => ({}), onSome: ({ input, name }) => ({ tool: name, input }) }),
    request,
    protectedPaths,
    askedAt,
    expiresAt: askedAt + timeLimitMs
  }
  return approval
})

/** Why nobody is asked. */
const obstacleTo = (
  { board, unattended }: Policy,
  { context, request }: Question
): Permission.DeniedError | undefined => {
  if (board.isClosed) return Denials.byPolicy(request, Sentences.closed)
  if (board.isStopped(context)) return Denials.byUser(request, { stops: true })
  if (unattended === "deny" && !board.isWatched) return Denials.unattended(request)
  return undefined
}
