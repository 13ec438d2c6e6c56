/**
 * How a call ended, or where it stands: one of 37 leaves, the finest distinction that any of the four contracts makes.
 * A leaf says nothing about effects or about repeating; an `Outcome` does.
 */
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { compact } from "./internal/compact.ts"
import { Count, NotNegative, Text, Texts } from "./internal/fields.ts"
import * as Sentences from "./internal/sentences.ts"

/** One thing that is wrong with an input or an envelope. Other implementations may say less than ours. */
export const Violation = Schema.Struct({
  path: Schema.String,
  message: Text,
  code: Text,
  expected: Text,
  received: Text
})
export type Violation = typeof Violation.Type

/** What ran out: a limit of the tool's own, or one of three deadlines inside each other. */
export const BoundBy = Schema.Literals(["attempt", "call", "run", "idle"])

const output = { output: Schema.optionalKey(Schema.Json) }

const said = {
  /** What happened, short, in words that anybody may read. */
  message: Schema.NonEmptyString,
  /** What to do next. */
  hint: Text,
  details: Schema.optionalKey(Schema.JsonObject)
}
const stopped = { ...said, field: Text, partial: Schema.optionalKey(Schema.Json) }
const failed = { ...stopped, retry: Schema.optionalKey(ToolFailure.Retry) }
const refused = { origin: Schema.Literals(["gate", "tool"]), by: Schema.String, feedback: Text, permission: Text }
const approval = { approvalId: Schema.String, gateId: Text }
const violations = { violations: Schema.Array(Violation), violationsOmitted: Schema.optionalKey(Count) }
const timedOut = { ...stopped, timeoutMs: Schema.optionalKey(NotNegative), boundBy: BoundBy }
const faulty = { ...said, ref: Schema.String }

/** The fields that a kind of failure has of its own. */
const { cases: kinds } = ToolFailure.Reason

/** Times and budgets are optional, because an answer from elsewhere may not tell them. */
export const Leaf = Schema.TaggedUnion({
  /** Nothing changed. Without output it was a dry run. */
  "Success.Read": output,
  "Success.Effect": output,
  /** The first of two phases: nothing is committed yet. */
  Prepared: { ...output, commitToken: Schema.NonEmptyString, commitDeadline: Schema.optionalKey(NotNegative) },
  "Pending.Approval": { ...said, ...approval, expiresAt: Schema.optionalKey(NotNegative) },
  "Pending.External": { ...said, requestId: Schema.String, retryAfterMs: Schema.optionalKey(NotNegative) },
  "Rejected.UnknownTool": { ...said, name: Schema.String },
  "Rejected.InvalidInput": { ...said, ...violations },
  "Rejected.Stale": { ...said, advertised: Schema.String, current: Text },
  "Rejected.VersionUnresolved": { ...said, range: Schema.String, candidates: Schema.Array(Schema.String) },
  "Rejected.ContractVersion": { ...said, field: Schema.String, expected: Schema.String, received: Schema.String },
  /** The first characters of the key. */
  "Rejected.IdempotencyConflict": { ...said, key: Schema.String.check(Schema.isMaxLength(8)) },
  "Denied.Policy": { ...stopped, ...refused, rule: Text },
  "Denied.Permission": { ...said, required: Texts, requiredAny: Texts, missingRoles: Texts },
  "Denied.Approver": { ...stopped, ...refused, rule: Text, approvalId: Text },
  "Denied.ApprovalExpired": { ...said, approvalId: Schema.String, expiredAt: Schema.optionalKey(NotNegative) },
  "Denied.Budget": {
    ...said,
    budget: Schema.optionalKey(Schema.Struct({ name: Schema.String, limit: Schema.Finite, used: Schema.Finite }))
  },
  "Failure.InvalidArguments": { ...failed, ...violations },
  "Failure.NotFound": { ...failed, ...Struct.omit(kinds.NotFound.fields, ["_tag"]) },
  "Failure.Precondition": { ...failed, ...Struct.omit(kinds.Precondition.fields, ["_tag"]) },
  "Failure.AuthInvalid": { ...failed, ...Struct.omit(kinds.AuthInvalid.fields, ["_tag"]) },
  "Failure.AuthExpired": { ...failed, ...Struct.omit(kinds.AuthExpired.fields, ["_tag"]) },
  "Failure.AuthForbidden": { ...failed, ...Struct.omit(kinds.AuthForbidden.fields, ["_tag"]) },
  "Failure.RateLimited": { ...failed, ...Struct.omit(kinds.RateLimited.fields, ["_tag"]) },
  "Failure.Upstream": { ...failed, ...Struct.omit(kinds.Upstream.fields, ["_tag"]) },
  "Failure.Unavailable": { ...failed, ...Struct.omit(kinds.Unavailable.fields, ["_tag"]) },
  "Failure.DataInvalid": { ...failed, ...Struct.omit(kinds.DataInvalid.fields, ["_tag"]) },
  "Failure.ExecutionFailed": { ...failed, ...Struct.omit(kinds.ExecutionFailed.fields, ["_tag"]) },
  /** Repeating is safe. */
  "TimedOut.EffectNone": timedOut,
  /** Repeating is not safe. */
  "TimedOut.EffectUnknown": timedOut,
  Interrupted: { ...said, by: Schema.Literals(["caller", "user", "shutdown"]) },
  /** The cause of an operational leaf is reached through `ref`, and never told. */
  "Operational.Defect": faulty,
  "Operational.InvalidOutput": faulty,
  "Operational.SecretResolution": { ...said, secretRef: Schema.String },
  "Operational.IsolationUnavailable": { ...said, mode: Schema.String },
  "Operational.ConfigInvalid": { ...said, field: Schema.String },
  "Operational.Protocol": { ...said, what: Schema.String },
  "Operational.RetentionFailed": faulty
})
export type Leaf = typeof Leaf.Type

/** The name of a leaf. */
export type Tag = Leaf["_tag"]

/** All names, in the order of the mapping table. */
export const tags: ReadonlyArray<Tag> = Struct.keys(Leaf.cases)

/** What makes a leaf; a message and a hint of its own are there for whoever gives none. */
export type Options<T extends Tag> = Omit<Extract<Leaf, { readonly _tag: T }>, "_tag" | "message"> & {
  readonly message?: string
}

const decode = Schema.decodeUnknownSync(Leaf)

/** Throws on fields that are not of the leaf's types: its maker is at fault. */
export const make = <T extends Tag>(tag: T, options: Options<T>): Leaf =>
  decode({ ...Sentences.textOf(tag), ...firstField(options), ...options, _tag: tag })

/** Contracts that show one argument show the first that is at fault. */
const firstField = (options: object): { readonly field?: string } => {
  const [first] = "violations" in options && Array.isArray(options.violations) ? options.violations : []
  return first === undefined ? {} : { field: first.path }
}

/** What a failure itself advised about repeating. */
export const adviceOf = (leaf: Leaf): ToolFailure.Retry | undefined => ("retry" in leaf ? leaf.retry : undefined)

/** A kind of failure with one leaf of its own. */
type Kind = Exclude<ToolFailure.Kind, "Denied" | "TimedOut">

/** The leaf of a failure for one of these reasons; those of a refusal and of a timeout depend on more. */
export const fromFailure = (
  reason: Extract<ToolFailure.Reason, { readonly _tag: Kind }>,
  { details, field, hint, message, partial, retry }: Omit<ToolFailure.ToolFailure, "reason">
): Leaf => {
  const tag = `Failure.${reason._tag}` as const
  const said = { ...Sentences.textOf(tag), ...(message === "" ? {} : { message }) }
  const given = compact({ hint, field, details, partial, retry })
  return decode({ ...said, ...firstField(reason), ...given, ...reason, _tag: tag })
}
