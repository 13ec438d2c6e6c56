/** The conversation that calls belong to. A runner owns it and supplies both ids with every call. */
import * as Schema from "effect/Schema"
import { Identifier } from "./internal/identifier.ts"

/** One conversation. Managed output is readable only inside the session that produced it. */
export const ID = Identifier.pipe(Schema.brand("@haft/core/Session.ID"))
export type ID = typeof ID.Type

/** The durable id of the assistant message that contains a call. */
export const MessageID = Identifier.pipe(Schema.brand("@haft/core/Session.MessageID"))
export type MessageID = typeof MessageID.Type
