/**
 * The side of the person who is asked: which requests of one Location wait for an answer, and how to answer them. For
 * hosts; tools and models never see it.
 */
import type * as Tool from "@haft/core/Tool"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Approval } from "./Approval.ts"
import type * as PolicyStore from "./PolicyStore.ts"
import type * as Rule from "./Rule.ts"

/** A request without an answer. `Display.prompt` writes it for a person. */
export interface Pending extends Approval {
  /**
   * Whether a call of this process waits for the answer. If not, another process asked. An answer reaches its call within
   * a second; if that process is gone, the answer is kept, and used once if the same call is made again before it expires.
   */
  readonly isWaiting: boolean
}

/**
 * How a request came to its end: by an answer; by a rule that somebody saved meanwhile; without an answer in time; because
 * its call was interrupted; because another refusal ended the turn; because the Location was closed.
 */
export const Ending = Schema.Literals(["answered", "covered", "expired", "withdrawn", "stopped", "closed"])
export type Ending = typeof Ending.Type

/** What a host is told. A request that is told again, because a call waits for it now, takes the place of the one before. */
export type Change =
  | { readonly _tag: "Asked"; readonly pending: Pending }
  | { readonly _tag: "Ended"; readonly id: string; readonly as: Ending }

/** An answer to one request. */
export const Reply = Schema.TaggedUnion({
  Once: {},
  Always: {},
  Reject: { feedback: Schema.optionalKey(Schema.String) },
  RejectAndStop: { feedback: Schema.optionalKey(Schema.String) },
  Unattended: { advice: Schema.optionalKey(Schema.String) }
})
export type Reply = typeof Reply.Type

/** Yes, for this call. */
export const once: Reply = { _tag: "Once" }

/** Yes, and the same for whatever the patterns match that the request wants saved. Also answers others that wait for that. */
export const always: Reply = { _tag: "Always" }

/** No. The feedback tells the model what to do instead. */
export const reject = (feedback?: string): Reply => ({ _tag: "Reject", ...withFeedback(feedback) })

/** No, and the turn is to end. Whatever else waits in the session is refused, too. */
export const rejectAndStop = (feedback?: string): Reply => ({ _tag: "RejectAndStop", ...withFeedback(feedback) })

/**
 * Nobody can be asked where the call came from, which is no word of a person's: the model reads that nobody was asked. The
 * advice tells it what would help.
 */
export const unattended = (advice?: string): Reply => ({
  _tag: "Unattended",
  ...(advice === undefined ? {} : { advice })
})

const withFeedback = (feedback: string | undefined) => (feedback === undefined ? {} : { feedback })

/** Names a request together with its session. A `Pending` is one. */
export interface Ref {
  readonly id: string
  readonly context: Pick<Tool.Context, "sessionID">
}

/** There is no such request in this session and Location, and as far as is known there never was. */
export class UnknownError extends Schema.TaggedError<UnknownError>()("Approvals.UnknownError", {
  id: Schema.String
}) {}

/** The request was over before this answer came, and the answer changed nothing. */
export class EndedError extends Schema.TaggedError<EndedError>()("Approvals.EndedError", {
  id: Schema.String,
  as: Ending
}) {}

export interface Interface {
  /** First every request that waits, then each change. Whoever runs it counts as somebody who can be asked. */
  readonly changes: Stream.Stream<Change>
  /** Exactly one answer counts. Durable when it returns. `by` is who gives it, for the record. */
  readonly reply: (
    ref: Ref,
    reply: Reply,
    by?: string
  ) => Effect.Effect<void, UnknownError | EndedError | PolicyStore.StorageError>
  /** What people have allowed for this Location with `always`. */
  readonly saved: Effect.Effect<ReadonlyArray<Rule.Saved>, PolicyStore.StorageError>
  /** Takes back what somebody allowed, from the next request on. */
  readonly forget: (rule: Rule.Saved) => Effect.Effect<void, PolicyStore.StorageError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/policy/Approvals") {}
