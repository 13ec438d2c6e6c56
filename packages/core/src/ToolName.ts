/** The name under which a model knows a tool. A tool value has none: the registration's key gives it. */
import * as Schema from "effect/Schema"
import * as internal from "./internal/closest.ts"

/** The shortest limit among the model providers. */
export const maxLength = 64

const grammar = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${maxLength - 1}}$`)

/** A letter, then letters, digits, `_` and `-`: what every provider accepts. `constructor` is a legal name. */
export const ToolName = Schema.String.check(
  Schema.isPattern(grammar, { expected: `a letter, then letters, digits, "_" or "-", ${maxLength} characters at most` })
).pipe(Schema.brand("@haft/core/ToolName"))
export type ToolName = typeof ToolName.Type

/** Tells a name from any other text, such as the name in a call. */
export const isToolName = (name: string): name is ToolName => typeof name === "string" && grammar.test(name)

/** The one of `names` that is only a slip away from what was sent, to be suggested. Nothing acts on it. */
export const closest: (sent: string, names: ReadonlyArray<string>) => string | undefined = internal.closest
