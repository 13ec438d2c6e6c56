/** A place that tools belong to: a project directory, a tenant. */
import * as Schema from "effect/Schema"

/** The longest path that Linux accepts; a directory is the usual Location. */
const maxLength = 4096

/** Refers to one Location. Two equal references mean the same place. */
export const Ref = Schema.NonEmptyString.check(Schema.isMaxLength(maxLength)).pipe(
  Schema.brand("@haft/core/Location.Ref")
)
export type Ref = typeof Ref.Type
