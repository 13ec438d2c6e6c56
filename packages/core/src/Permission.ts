/**
 * What a trusted tool asks before it acts. The tool formulates the request and chooses the moment; whoever implements
 * this decides, by rule or by asking a person. Nothing else in Haft authorises a call.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "./Tool.ts"

/** One question: may this be done to these? */
export const Request = Schema.Struct({
  /** What is to be done, usually the kind of tool: `read`, `edit`, `external_directory`, `shell`. */
  action: Schema.String,
  /**
   * What it is to be done to; one that is denied denies the request. A file is its resolved path, with `/`: from the
   * Location's root on if it is inside, absolute if it is not.
   */
  resources: Schema.Array(Schema.String),
  /**
   * The patterns to remember if the answer is to hold for later requests, too: `*` stands for any text, `?` for one
   * character, `\` takes the meaning of the next character away. `literal` writes one that matches exactly one resource.
   */
  save: Schema.Array(Schema.String),
  /** For the person who is asked. */
  metadata: Schema.JsonObject,
  /** Those of the resources that no broad rule may open, as far as the tool knows: what stands there is executed later. */
  guarded: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the resources are at this moment, such as the digests of files: an answer does not hold for anything else. */
  target: Schema.optionalKey(Schema.String)
})
export type Request = typeof Request.Type

/** The pattern that matches this text and no other, to be remembered. */
export const literal = (text: string): string => text.replaceAll(/[\\*?]/g, String.raw`\$&`)

/** Refused. `ToolFailure.denied` takes it as it is, so that the reason and the feedback reach the model. */
export class DeniedError extends Schema.TaggedError<DeniedError>()("Permission.DeniedError", {
  message: Schema.String,
  by: Schema.Literals(["policy", "user"]),
  /** What the person wants the model to do instead. */
  feedback: Schema.optionalKey(Schema.String),
  permission: Schema.optionalKey(Schema.String),
  rule: Schema.optionalKey(Schema.String),
  /** Nobody answered in time: which question that was, and until when it stood, in milliseconds since the epoch. */
  expired: Schema.optionalKey(Schema.Struct({ approvalID: Schema.String, at: Schema.Finite }))
}) {}

/** One answer of a model in one session, with all the calls in it. */
export type Turn = Pick<Tool.Context, "sessionID" | "assistantMessageID">

export interface Interface {
  /** Returns once the request is granted. Interrupting the call withdraws it. */
  readonly assert: (request: Request, context: Tool.Context) => Effect.Effect<void, DeniedError>
  /**
   * Whether a person who refused a request of this turn wants it to end there. A runner asks whenever a call has been
   * settled: the answer changes only with the settlement of a refused one.
   */
  readonly stops: (turn: Turn) => Effect.Effect<boolean>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/Permission") {}
