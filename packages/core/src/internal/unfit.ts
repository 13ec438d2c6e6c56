/** What is refused without asking what exactly is wrong with it. */
import { InvalidInput, type Violation } from "../InvalidInput.ts"
import { InvalidOutput } from "../InvalidOutput.ts"
import type * as JsonGuard from "../JsonGuard.ts"
import * as Sentences from "./sentences.ts"

const only = (violation: Violation): Sentences.Bounded => ({ violations: [violation], violationsOmitted: 0 })

const complexity = only({ path: "", code: "too_complex", ...Sentences.complexity })

/** Deciding whether these arguments fit would take too long. */
export const tooComplex = new InvalidInput({ message: Sentences.invalidInput(complexity), ...complexity })

/** What an executor returned is no JSON, or too deep to be written as text. */
export const ofUnfitOutput = (refusal: JsonGuard.Refusal): InvalidOutput => {
  const bounded = only({ path: "", code: refusal.code, ...Sentences.refusedOutput(refusal) })
  return new InvalidOutput({ message: Sentences.invalidOutput(bounded), ...bounded })
}
