/** 20,000 small calls, one after the other, checked both ways; and which of the checks the subject makes. */
import { isRefused, sequential } from "../drive.ts"
import { stopwatch } from "../measure.ts"
import { rounds, type Scenario } from "../scenario.ts"
import { work } from "../works.ts"

const microsPerMilli = 1000
const calls = 20_000
const quickCalls = 2_000
/** Each waits for the disk. */
const durableCalls = 400

export const scenario: Scenario = {
  id: "sequential",
  letter: "a",
  title: "20,000 small calls, one after the other",
  appliesTo: () => true,
  measure: async ({ durable, load }, { quick }) => {
    const subject = await load()
    const offered = await subject.offer([work("sum"), work("wrong")])
    const facts = {
      refusesInput: await isRefused(offered, "sum", { a: "one", b: "x" }),
      refusesUnknownKeys: await isRefused(offered, "sum", { a: 1, b: "x", c: 1 }),
      refusesOutput: await isRefused(offered, "wrong", { a: 1, b: "x" })
    }
    await offered.close()
    const count = durable === true ? durableCalls : quick ? quickCalls : calls
    const micros = await rounds({ budgetMillis: 12_000, count: quick ? 3 : 9, warmUp: quick ? 2 : 3 }, async () => {
      // Anew for each round, so that none works on what the others left behind. Nothing is collected by force before it:
      // what follows takes longer, and no process at work does that.
      const fresh = await subject.offer([work("sum")])
      const elapsed = stopwatch()
      await sequential(fresh.calls, "sum", count)
      const millis = elapsed()
      await fresh.close()
      return (millis * microsPerMilli) / count
    })
    return { samples: { micros }, facts }
  }
}
