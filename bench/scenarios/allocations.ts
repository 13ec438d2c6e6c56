/** How many bytes a small call allocates, which hardly depends on what else the machine does. */
import { sequential } from "../drive.ts"
import { allocations } from "../measure.ts"
import { rounds, type Scenario } from "../scenario.ts"
import { work } from "../works.ts"

/** So few that all of what they allocate fits into the young generation. */
const maxCalls = 2_000
/** Each waits for the disk. */
const durableCalls = 200

export const scenario: Scenario = {
  id: "allocations",
  letter: "a",
  title: "Bytes allocated for a small call",
  flags: ["--max-semi-space-size=256", "--min-semi-space-size=256"],
  appliesTo: () => true,
  measure: async ({ durable, load }, { quick }) => {
    const subject = await load()
    const count = durable === true ? durableCalls : maxCalls
    const bytes = await rounds({ budgetMillis: 8_000, count: quick ? 3 : 9, warmUp: 6 }, async () => {
      const { calls, close } = await subject.offer([work("sum")])
      const allocated = allocations()
      await sequential(calls, "sum", count)
      const sample = allocated() / count
      await close()
      return sample
    })
    return { samples: { bytes }, facts: {} }
  }
}
