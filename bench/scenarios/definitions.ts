/** 1,000 tools, from nothing to what a model is told; and the same again for the next turn. */
import { median, stopwatch } from "../measure.ts"
import type { Scenario } from "../scenario.ts"
import type { Definition } from "../subject.ts"
import { type Work, work } from "../works.ts"

const count = 1_000
const repetitions = 5

const works: ReadonlyArray<Work> = Array.from({ length: count }, (_, index) => work("search", `search_${index}`))

const check = (definitions: ReadonlyArray<Definition>): void => {
  const names = new Set(definitions.map(({ name }) => name))
  const right = works.every(({ name }) => names.has(name)) && definitions.every(isOfSearch)
  if (!right || definitions.length !== count) throw new Error("The definitions are not those of the tools")
}

const isOfSearch = ({ parameters }: Definition): boolean => {
  const { properties, required } = parameters as { properties?: Record<string, unknown>; required?: Array<string> }
  return properties?.["query"] !== undefined && required?.includes("query") === true
}

export const scenario: Scenario = {
  id: "definitions",
  letter: "c",
  title: "1,000 tools to what a model is told",
  processes: 3,
  appliesTo: ({ family }) => family !== "floor",
  measure: async ({ load }) => {
    const subject = await load()
    const cold = stopwatch()
    const offered = await subject.offer(works)
    const definitions = await offered.definitions()
    const coldMillis = cold()
    check(definitions)
    const again: Array<number> = []
    for (let index = 0; index < repetitions; index++) {
      const repeated = stopwatch()
      // oxlint-disable-next-line eslint/no-await-in-loop -- one turn comes after the other
      const next = await offered.definitions()
      again.push(repeated())
      check(next)
    }
    await offered.close()
    return { samples: { coldMillis: [coldMillis], repeatedMillis: [median(again)] }, facts: {} }
  }
}
