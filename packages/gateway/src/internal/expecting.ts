/** How cases of a conformance suite say what is wrong. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"

/** Dies with both if they differ. */
export const expect = (what: string, found: unknown, expected: unknown): Effect.Effect<void> =>
  Equal.equals(found, expected)
    ? Effect.void
    : Effect.die(new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`))
