/** Why arguments did not become input, put together in one place. */
import { InvalidInput } from "../InvalidInput.ts"
import { fieldOf } from "./bothSides.ts"
import { exampleOf } from "./example.ts"
import type { Bad } from "./repair/outcome.ts"
import type { Shape } from "./repair/plan.ts"
import * as Sentences from "./sentences.ts"

/** The message draws an example from the schema. */
export const invalidInput = ({ found, warnings }: Bad, { codec }: Shape): InvalidInput => {
  const bounded = found.bounded()
  const example = exampleOf(codec, new Set(bounded.violations.map(fieldOf)))
  return new InvalidInput({
    message: Sentences.invalidInput(bounded, warnings, example),
    ...bounded,
    warnings: warnings.list,
    warningsOmitted: warnings.omitted
  })
}
