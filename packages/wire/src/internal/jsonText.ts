/** Text that may hold JSON. */
import * as JsonGuard from "@haft/core/JsonGuard"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** None for text that holds something else, or JSON beyond the guard's limits. */
export const parseJson = (text: string): Option.Option<Schema.Json> =>
  Option.flatMap(parse(text), (value) => Option.fromUndefinedOr(guarded(value)))

const guarded = (value: unknown): Schema.Json | undefined => {
  const result = JsonGuard.guard(value)
  return result._tag === "Success" ? result.success : undefined
}
