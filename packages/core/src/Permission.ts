/**
 * What a trusted tool asks before it acts. The tool formulates the request and chooses the moment; whoever implements
 * this decides, by rule or by asking a person. Nothing else in Haft authorises a call.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "./Tool.ts"

/** One question: may this be done to these? */
export interface Request {
  /** What is to be done, usually the kind of tool: `read`, `edit`, `shell`. */
  readonly action: string
  /** What it is to be done to. One denied resource denies the request. */
  readonly resources: ReadonlyArray<string>
  /** The patterns to remember if the answer is to hold for later requests, too. */
  readonly save: ReadonlyArray<string>
  /** For the person who is asked. */
  readonly metadata: Schema.JsonObject
}

/** Refused. `ToolFailure.denied` takes it as it is, so that the reason and the feedback reach the model. */
export class DeniedError extends Schema.TaggedError<DeniedError>()("Permission.DeniedError", {
  message: Schema.String,
  by: Schema.Literals(["policy", "user"]),
  /** What the person wants the model to do instead. */
  feedback: Schema.optionalKey(Schema.String),
  permission: Schema.optionalKey(Schema.String),
  rule: Schema.optionalKey(Schema.String)
}) {}

export interface Interface {
  /** Returns once the request is granted. Interrupting the call withdraws it. */
  readonly assert: (request: Request, context: Tool.Context) => Effect.Effect<void, DeniedError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/core/Permission") {}
