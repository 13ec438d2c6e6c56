/**
 * Decodes JSON objects from outside that are nobody's arguments, envelopes and manifests for instance: under the same
 * guard, with unknown keys refused, nothing repaired, and with the same violations as the arguments of a tool.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { arriveValue } from "./internal/arrival.ts"
import { makeDecoding } from "./internal/decoding.ts"
import type { InvalidInput } from "./InvalidInput.ts"
import type * as Tool from "./Tool.ts"

/** Build it once. The codec must be synchronous; its violations are all that the limits let through. */
export const make = <S extends Tool.Codec>(
  codec: S
): ((document: unknown) => Result.Result<S["Type"], Pick<InvalidInput, "violations" | "violationsOmitted">>) => {
  const { repair } = makeDecoding(codec, "strict")
  return (document) => {
    const decoded = Effect.runSync(Effect.result(repair(arriveValue(document), "document", "strict")))
    return Result.map(decoded, ({ input }) => typed<S>(input))
  }
}

/** The stages forget the type that the codec gave; here it is known again. */
const typed = <S extends Tool.Codec>(input: Tool.Codec["Type"]): S["Type"] => input
