import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Permits, Ticket } from "../src/internal/permits.ts"

/** Take a place in some of three limits, or return one of the tickets that were taken. */
const Step = Schema.Union([
  Schema.Struct({ take: Schema.Literals([1, 2, 3, 4, 5, 6, 7]) }),
  Schema.Struct({ giveBack: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })) })
])

const limits = [1, 2, 3]

const neededBy = (mask: number): ReadonlyArray<number> => limits.filter((_, index) => (mask & (1 << index)) !== 0)

describe("places in several limits", () => {
  it.prop(
    "are never overdrawn, and nobody waits who could be served",
    { steps: Schema.Array(Step).check(Schema.isMinLength(20)) },
    ({ steps }) => {
      const permits = new Map(limits.map((limit) => [limit, new Permits(limit)]))
      const tickets: Array<{ readonly needs: ReadonlyArray<number>; readonly ticket: Ticket }> = []
      const inUse = (limit: number) =>
        tickets.filter(({ needs, ticket }) => needs.includes(limit) && ticket.state === "valid").length
      for (const step of steps) {
        if ("take" in step) {
          const needs = neededBy(step.take)
          tickets.push({ needs, ticket: new Ticket(needs.flatMap((limit) => permits.get(limit) ?? [])) })
        } else tickets.at(step.giveBack)?.ticket.return()
        for (const limit of limits) assert.isAtMost(inUse(limit), limit)
        for (const { needs, ticket } of tickets) {
          if (ticket.state === "waiting") assert.isTrue(needs.some((limit) => inUse(limit) === limit))
        }
      }
    },
    { arbitrary: { runs: 500 } }
  )
})
