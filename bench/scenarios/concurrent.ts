/** 1,000 calls at once of a tool that takes five milliseconds. */
import { concurrent } from "../drive.ts"
import { stopwatch } from "../measure.ts"
import { rounds, type Scenario } from "../scenario.ts"
import { work } from "../works.ts"

const calls = 1_000

export const scenario: Scenario = {
  id: "concurrent",
  letter: "b",
  title: "1,000 calls at once of a tool that takes 5 ms",
  appliesTo: () => true,
  measure: async ({ load }, { quick }) => {
    const subject = await load()
    const offered = await subject.offer([work("slow")])
    // Nothing is collected by force before a round: what follows takes up to twice as long, and no process at work does that.
    const millis = await rounds({ budgetMillis: 10_000, count: quick ? 3 : 25, warmUp: quick ? 2 : 10 }, async () => {
      const elapsed = stopwatch()
      await concurrent(offered.calls, "slow", calls)
      return elapsed()
    })
    await offered.close()
    return { samples: { millis }, facts: {} }
  }
}
