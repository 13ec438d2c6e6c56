/** The shapes that fields of envelopes have, whichever contract they belong to. */
import * as Schema from "effect/Schema"

/** A key that may be absent and is text otherwise. */
export const Text = Schema.optionalKey(Schema.String)

/** A key that may be absent and is a list of texts otherwise. */
export const Texts = Schema.optionalKey(Schema.Array(Schema.String))

/** Milliseconds, of a duration or since the epoch; or cents, which may be fractions. */
export const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** Counts and durations that a contract wants whole. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A pattern reaches the JSON Schema only with the flag `u`, here and in every other module. */
export const NotBlank = Schema.String.check(Schema.isPattern(/\S/u, { expected: "text that is not blank" }))

/** An object that may hold more keys than these. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)])
