/** Counts how often a model makes the same call in a row. */
import type * as Message from "../Message.ts"
import { fingerprint } from "./canonical.ts"

/** A call is in a row with its like in the answer before, also if others were made beside it. */
export class Repeats {
  private streaks: ReadonlyMap<string, number> = new Map()

  /** How often each call has been made in a row, this time included, in the order given. */
  count(calls: ReadonlyArray<Message.Call>): ReadonlyArray<number> {
    const streaks = new Map<string, number>()
    const counts = calls.map((call) => {
      const key = fingerprint(call)
      const count = (streaks.get(key) ?? this.streaks.get(key) ?? 0) + 1
      streaks.set(key, count)
      return count
    })
    this.streaks = streaks
    return counts
  }
}
