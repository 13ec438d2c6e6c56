/** Who is calling: one agent among those that share a session. */
import * as Schema from "effect/Schema"
import { Identifier } from "./internal/identifier.ts"

/** Names an agent. Permission rules and records refer to it. */
export const ID = Identifier.pipe(Schema.brand("@haft/core/Agent.ID"))
export type ID = typeof ID.Type
