/** Why a value cannot be registered as a tool. `Tool.make` never throws: the carrier keeps one of these instead. */
import * as Schema from "effect/Schema"

export const Reason = Schema.Literals([
  "InvalidName",
  "NotATool",
  "CopiedTool",
  "ForeignTool",
  "InputNotObject",
  "NotJson",
  "UnsafeNumber",
  "EndlessSchema",
  "UnsupportedSchema",
  "TooLarge",
  "InvalidAnnotations",
  "InvalidOptions"
])
export type Reason = typeof Reason.Type

export interface Refusal {
  readonly reason: Reason
  /** For the author: what is wrong and what to write instead. */
  readonly message: string
}
