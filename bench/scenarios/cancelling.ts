/**
 * A call is cancelled while its tool works, in the way that each subject documents: when can the caller go on, does the work
 * end, and who knows afterwards what became of it?
 */
import { cancel } from "../drive.ts"
import type { Scenario } from "../scenario.ts"
import { work } from "../works.ts"

/** A tool that heeds a signal, one that does not, and one that shields itself, where there is such a thing. */
const kinds = ["cooperative", "deaf", "shielded"] as const

const tries = 3

export const scenario: Scenario = {
  id: "cancelling",
  letter: "e",
  title: "Cancelling a call at work",
  appliesTo: ({ family }) => family !== "floor",
  measure: async ({ load }) => {
    const subject = await load()
    const samples: Record<string, Array<number>> = {}
    const facts: Record<string, boolean | string> = {}
    const offered = await subject.offer(kinds.map((kind) => work(kind)))
    // A promise knows no other way to be deaf than not to listen.
    for (const kind of offered.calls.manner === "effect" ? kinds : kinds.slice(0, 2)) {
      const free: Array<number> = []
      let stopped = true
      for (let index = 0; index < tries; index++) {
        // oxlint-disable-next-line eslint/no-await-in-loop -- they share the record of their progress
        const cancelled = await cancel(offered, kind)
        free.push(cancelled.freeMillis)
        stopped &&= cancelled.stopped
      }
      samples[`${kind}FreeMillis`] = free
      facts[`${kind}Stops`] = stopped
      // oxlint-disable-next-line eslint/no-await-in-loop -- of the last call of this kind
      if (offered.known !== undefined) facts[`${kind}Known`] = await offered.known()
    }
    await offered.close()
    return { samples, facts }
  }
}
