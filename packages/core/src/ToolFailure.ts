/**
 * The only error that an executor may return: something went wrong in a way the tool expected, and the model should
 * know. Bugs are defects and cancellation is interruption; neither is ever turned into one of these.
 */
import * as Schema from "effect/Schema"

const Text = Schema.optionalKey(Schema.String)
const Names = Schema.optionalKey(Schema.Array(Schema.String))
const Millis = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** An argument that decoded and still makes no sense to the tool. */
export const ArgumentViolation = Schema.Struct({
  path: Schema.String,
  message: Schema.String,
  expected: Text,
  received: Text
})
export type ArgumentViolation = typeof ArgumentViolation.Type

/** The thirteen kinds, closed, each with the fields that only it has. */
export const Reason = Schema.TaggedUnion({
  InvalidArguments: { violations: Schema.Array(ArgumentViolation) },
  NotFound: { resource: Text, candidates: Names },
  Precondition: { condition: Text },
  AuthInvalid: { profile: Text, secretRef: Text },
  AuthExpired: { profile: Text, secretRef: Text },
  AuthForbidden: { profile: Text, missingScopes: Names },
  RateLimited: { retryAfterMs: Schema.optionalKey(Millis) },
  Upstream: { status: Schema.optionalKey(Schema.Int), cause: Text },
  Unavailable: { retryAfterMs: Schema.optionalKey(Millis) },
  DataInvalid: { subject: Text },
  ExecutionFailed: { exitCode: Schema.optionalKey(Schema.Int) },
  Denied: { by: Schema.Literals(["policy", "user"]), feedback: Text, permission: Text, rule: Text },
  TimedOut: { boundBy: Schema.Literals(["idle", "attempt", "call", "run"]), limitMs: Millis }
})
export type Reason = typeof Reason.Type
/** The name of a kind. */
export type Kind = Reason["_tag"]

/** Advice: may the runtime send the identical call again, and does another try by the model make sense? */
export const Retry = Schema.Struct({
  runtime: Schema.optionalKey(Schema.Boolean),
  model: Schema.optionalKey(Schema.Boolean)
})
export type Retry = typeof Retry.Type

const shared = {
  /** Short, for the model: what happened. */
  message: Schema.String,
  /** For the model: what to do next. */
  hint: Text,
  /** The argument at fault. */
  field: Text,
  details: Schema.optionalKey(Schema.JsonObject),
  retry: Schema.optionalKey(Retry),
  /** What had been produced until then. */
  partial: Schema.optionalKey(Schema.Json)
}

/** Make one with the constructor of its kind; catch one kind with `Effect.catchReason("ToolFailure", kind, …)`. */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", { reason: Reason, ...shared }) {}

const Shared = Schema.Struct(shared)
type Shared = typeof Shared.Type

/** What the constructor of a kind takes. Nobody repeats a refused call, so a denial has no retry advice. */
export type Options<K extends Kind> = Omit<Extract<Reason, { readonly _tag: K }>, "_tag"> &
  (K extends "Denied" ? Omit<Shared, "retry"> : Shared)

const toShared = Schema.decodeUnknownSync(Shared)
const toReason = Schema.decodeUnknownSync(Reason)

/** Takes known fields only, so that an error with the same field names, such as `Permission.DeniedError`, fits too. */
const constructor =
  <K extends Kind>(kind: K) =>
  (options: Options<K>): ToolFailure =>
    new ToolFailure({ ...toShared(options), reason: toReason({ ...options, _tag: kind }) })

/** The arguments decoded, and the tool still cannot use them. */
export const invalidArguments = constructor("InvalidArguments")
/** What the call names does not exist; `candidates` are near misses that do. */
export const notFound = constructor("NotFound")
/** The world is not in the state that the call needs. */
export const precondition = constructor("Precondition")
/** The credentials are wrong. */
export const authInvalid = constructor("AuthInvalid")
/** The credentials were right and are too old. */
export const authExpired = constructor("AuthExpired")
/** The credentials are right and not enough. */
export const authForbidden = constructor("AuthForbidden")
/** Too many requests; `retryAfterMs` says when the next may come. */
export const rateLimited = constructor("RateLimited")
/** Another system that the tool depends on failed. */
export const upstream = constructor("Upstream")
/** The tool itself cannot work right now. */
export const unavailable = constructor("Unavailable")
/** The data that the tool found is broken. */
export const dataInvalid = constructor("DataInvalid")
/** The work was begun and failed; any other kind says more. */
export const executionFailed = constructor("ExecutionFailed")
/** Permission was asked for and refused. Takes a `Permission.DeniedError` as it is. */
export const denied = constructor("Denied")
/** A time limit ran out, whether the tool's own or a deadline kept around it. */
export const timedOut = constructor("TimedOut")
