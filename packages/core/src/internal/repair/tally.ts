/** Adds up what the parts of a container took. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Found } from "../found.ts"
import type { Outcome } from "./outcome.ts"
import { maxWarnings, type Tell, type Warnings } from "./warning.ts"

/** A container can have a hundred thousand parts, so it adds in place. */
export class Tally {
  cost: number
  private readonly list: Array<Tell> = []
  private omitted = 0

  constructor(start?: { readonly cost: number; readonly warnings: Warnings }) {
    this.cost = start?.cost ?? 0
    if (start !== undefined) this.report(start.warnings)
  }

  get warnings(): Warnings {
    return { list: this.list, omitted: this.omitted }
  }

  add(warnings: Warnings, cost: number): void {
    this.cost += cost
    this.report(warnings)
  }

  /** The repaired part, or the part as it was sent with what is wrong with it noted. */
  take(outcome: Outcome, sent: Schema.Json, found: Found): Schema.Json {
    if (Result.isSuccess(outcome)) {
      this.add(outcome.success.warnings, outcome.success.cost)
      return outcome.success.value
    }
    this.report(outcome.failure.warnings)
    found.append(outcome.failure.found)
    return sent
  }

  private report({ list, omitted }: Warnings): void {
    if (list.length === 0 && omitted === 0) return
    const room = maxWarnings - this.list.length
    this.list.push(...(list.length <= room ? list : list.slice(0, room)))
    this.omitted += omitted + Math.max(0, list.length - room)
  }
}
