/** What a model asked for: a name and arguments, under an id that its provider made up. */
import * as Schema from "effect/Schema"
import { Identifier } from "./internal/identifier.ts"
import * as Session from "./Session.ts"

/** The provider's id of one call, unique within its assistant message. */
export const ID = Identifier.pipe(Schema.brand("@haft/core/ToolCall.ID"))
export type ID = typeof ID.Type

/** One call as the model made it. Nothing about `name` and `input` has been checked. */
export interface ToolCall {
  readonly id: ID
  readonly name: string
  /**
   * A text is the arguments as the model wrote them, an `ArgumentRepair.Foreign` is how an adapter passes them on; anything
   * else is a value that somebody has parsed already.
   */
  readonly input: unknown
}

/** Identifies a call for ever. A call with the identity of an earlier one is the same call and never runs again. */
export const Identity = Schema.Struct({
  sessionID: Session.ID,
  assistantMessageID: Session.MessageID,
  toolCallID: ID
})
export type Identity = typeof Identity.Type
