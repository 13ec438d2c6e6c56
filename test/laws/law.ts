/** A test that shows a law at work. Its title begins with the law's id, and the coverage test looks for it. */
import { it } from "@effect/vitest"
import type { Effect, Scope } from "effect"
import type { LawID } from "./manifest.ts"

/** Many random tools are compiled for one law, which takes long on a machine that is busy with other tests. */
const maxWait = 240_000

export const law = (id: LawID, claim: string, effect: () => Effect.Effect<void, unknown, Scope.Scope>): void =>
  it.effect(`${id}: ${claim}`, effect, maxWait)
