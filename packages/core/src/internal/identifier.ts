/** What every id has in common: visible text that a store can key on. */
import * as Schema from "effect/Schema"

/** Ids are keys of durable records. The longest that providers are known to send is well below a quarter of this. */
export const maxLength = 256

/** No white space, control or invisible character: an id is shown in logs and compared as it is. */
const visible = /^[^\s\p{C}]+$/u

export const Identifier = Schema.String.check(
  Schema.isPattern(visible, { expected: "an id without white space or invisible characters" }),
  Schema.isMaxLength(maxLength)
)
