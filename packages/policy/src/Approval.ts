/** A request that a person is asked about, with what exactly the answer will hold for. */
import * as Location from "@haft/core/Location"
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as Schema from "effect/Schema"

/** Random: knowing one tells nothing about another. */
const form = /^apr_[0-9a-f-]{36}$/

/** Names one approval for ever. */
export const ID = Schema.String.check(Schema.isPattern(form, { expected: "an id that starts with apr_" })).pipe(
  Schema.brand("@haft/policy/Approval.ID")
)
export type ID = typeof ID.Type

/** What became of it: what a person decided, or that none could be asked. */
export const Decision = Schema.TaggedUnion({
  Granted: {
    /** Who it was, where they have proved it. */
    by: Schema.optionalKey(Schema.String)
  },
  Unattended: { advice: Schema.optionalKey(Schema.String) },
  Rejected: {
    feedback: Schema.optionalKey(Schema.String),
    by: Schema.optionalKey(Schema.String),
    /** The turn is to end with it. */
    stops: Schema.Boolean
  }
})
export type Decision = typeof Decision.Type

export const Approval = Schema.Struct({
  id: ID,
  location: Location.Ref,
  /** Of the call, the tool, its input, the request and the target: the answer holds for nothing that differs in one of them. */
  binding: Schema.String,
  context: Tool.Context,
  /** The name of the tool that asks, where it is known. */
  tool: Schema.optionalKey(Schema.String),
  /** Its arguments as they are decoded, where they are known. */
  input: Schema.optionalKey(Schema.JsonObject),
  request: Permission.Request,
  /** Resources that no broad rule opens. */
  protectedPaths: Schema.Array(Schema.String),
  /** Milliseconds since the epoch, like `expiresAt`. */
  askedAt: Schema.Finite,
  /** From then on nobody can answer it, and an answer that nobody used is void. */
  expiresAt: Schema.Finite,
  /** None while nobody has answered. */
  decision: Schema.optionalKey(Decision)
})
export type Approval = typeof Approval.Type

/** Whether it counts at a moment. A clock that was set back behind the question tells nothing, so it does not count either. */
export const isOpenAt = ({ askedAt, expiresAt }: Approval, now: number): boolean => askedAt <= now && now < expiresAt
