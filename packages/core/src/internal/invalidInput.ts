/** Why arguments did not become input, put together in one place. */
import { InvalidInput } from "../InvalidInput.ts"
import { fieldOf } from "./bothSides.ts"
import { exampleOf } from "./example.ts"
import type { Bad } from "./repair/outcome.ts"
import type { Shape } from "./repair/plan.ts"
import { relocate } from "./relocate.ts"
import { told } from "./repair/warning.ts"
import * as Sentences from "./sentences.ts"

/** The message draws an example from the schema. */
export const invalidInput = ({ found, locate, warnings }: Bad, { codec }: Shape): InvalidInput => {
  const own = found.bounded()
  const bounded = { ...own, violations: relocate(own.violations, locate) }
  const list = relocate(told(warnings), locate)
  // Only the tool's own form is known here, and in another one the example would mislead.
  const example = locate === undefined ? exampleOf(codec, new Set(own.violations.map(fieldOf))) : undefined
  return new InvalidInput({
    message: Sentences.invalidInput(bounded, list, warnings.omitted, example),
    ...bounded,
    warnings: list,
    warningsOmitted: warnings.omitted
  })
}
