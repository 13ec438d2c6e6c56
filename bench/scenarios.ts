/** Everything that is asked of the subjects, in the order of the report. */
import type { Scenario } from "./scenario.ts"
import { scenario as allocations } from "./scenarios/allocations.ts"
import { scenario as cancelling } from "./scenarios/cancelling.ts"
import { scenario as concurrent } from "./scenarios/concurrent.ts"
import { scenario as definitions } from "./scenarios/definitions.ts"
import { scenario as durable } from "./scenarios/durable.ts"
import { scenario as importing } from "./scenarios/importing.ts"
import { scenario as largeOutput } from "./scenarios/largeOutput.ts"
import { scenario as overlays } from "./scenarios/overlays.ts"
import { scenario as sequential } from "./scenarios/sequential.ts"

export const scenarios: ReadonlyArray<Scenario> = [
  sequential,
  allocations,
  concurrent,
  definitions,
  largeOutput,
  cancelling,
  importing,
  durable,
  overlays
]
