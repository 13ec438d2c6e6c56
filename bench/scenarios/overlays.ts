/**
 * 1,000 names with ten registrations on top of each other: the time from one more registration to a turn that knows it,
 * and a call settled in that turn; beside the same with one registration for each name. Nothing else has overlays.
 */
import type { Scenario } from "../scenario.ts"

const layers = 10

export const scenario: Scenario = {
  id: "overlays",
  letter: "h",
  title: "A turn and a call with ten registrations on each of 1,000 names",
  appliesTo: ({ id }) => id === "haft",
  measure: async (_, effort) => {
    const { turnsOver } = await import("../subjects/haftOverlays.ts")
    return { samples: { millis: await turnsOver(layers, effort), flatMillis: await turnsOver(1, effort) }, facts: {} }
  }
}
