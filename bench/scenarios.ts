/** Everything that is asked of the subjects, in the order of the report. */
import type { Scenario } from "./scenario.ts"
import { scenario as allocations } from "./scenarios/allocations.ts"
import { scenario as concurrent } from "./scenarios/concurrent.ts"
import { scenario as sequential } from "./scenarios/sequential.ts"

export const scenarios: ReadonlyArray<Scenario> = [sequential, allocations, concurrent]
