/** How many calls a second are settled and recorded durably, 64 at a time, and how late the event loop is meanwhile. */
import { concurrent } from "../drive.ts"
import { loopDelay, stopwatch } from "../measure.ts"
import type { Scenario } from "../scenario.ts"
import { work } from "../works.ts"

const atOnce = 64
const calls = 10_000
const quickCalls = 2_000
const millisPerSecond = 1_000

export const scenario: Scenario = {
  id: "durable",
  letter: "g",
  title: "Calls recorded durably, 64 at a time",
  appliesTo: ({ durable }) => durable === true,
  measure: async ({ load }, { quick }) => {
    const subject = await load()
    const offered = await subject.offer([work("sum")])
    const count = quick ? quickCalls : calls
    await concurrent(offered.calls, "sum", count, atOnce)
    const perSecond: Array<number> = []
    const delayP99Millis: Array<number> = []
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      const delay = loopDelay()
      const elapsed = stopwatch()
      // oxlint-disable-next-line eslint/no-await-in-loop -- a round must have the process to itself
      await concurrent(offered.calls, "sum", count, atOnce)
      perSecond.push((count * millisPerSecond) / elapsed())
      delayP99Millis.push(delay().p99)
    }
    await offered.close()
    return { samples: { perSecond, delayP99Millis }, facts: {} }
  }
}
