/** Complete outputs that were too large for a model, kept where only a reference leads to them. */
import * as Schema from "effect/Schema"

/** Random, so that it tells nothing about the content and cannot be guessed. */
const reference = /^out_[A-Za-z0-9_-]{16,64}$/

/** Refers to one kept output. Opaque: never a path, never derived from the content, useless in another session. */
export const Ref = Schema.String.check(
  Schema.isPattern(reference, { expected: "a reference that starts with out_" })
).pipe(Schema.brand("@haft/core/ManagedOutput.Ref"))
export type Ref = typeof Ref.Type

/** The name of the tool that reads kept outputs, in every turn that offers it. */
export const readerName = "read_output"
