/** Ids from the command line. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

/** `what` says which id it would have been. */
export const identifier = <A>(
  schema: Schema.Codec<A, string>,
  what: string,
  value: string
): Effect.Effect<A, UsageError> =>
  Effect.mapError(Schema.decodeEffect(schema)(value), () => new UsageError(Sentences.notAnId(what, value)))
