/** What Haft wants to reach, judged by what was measured: ratios within one run, and never by hand. */
import type { Outcome, Results } from "./results.ts"
import { entries } from "./subjects.ts"

export interface Goal {
  readonly letter: string
  readonly text: string
  /** What was measured, in words; nothing if it was not. */
  readonly measured: string | undefined
  readonly met: boolean
}

type Verdict = readonly [measured: string, met: boolean]

const alternatives = entries.filter(({ family }) => family === "alternative")

const titleOf = (id: string): string => entries.find((entry) => entry.id === id)?.title ?? id

/** What a caller may notice as waiting. */
const promptMillis = 50
const shownBytes = 51_200

class Reader {
  readonly results: Results

  constructor(results: Results) {
    this.results = results
  }

  outcome(scenario: string, subject: string): Outcome | undefined {
    return this.results.runs[scenario]?.outcomes[subject]
  }

  median(scenario: string, subject: string, metric: string): number | undefined {
    return this.outcome(scenario, subject)?.metrics[metric]?.median
  }

  ratio(scenario: string, metric: string, subject: string, other: string, most: number): Verdict | undefined {
    const [left, right] = [this.median(scenario, subject, metric), this.median(scenario, other, metric)]
    if (left === undefined || right === undefined) return undefined
    return [`${(left / right).toFixed(2)} ×`, left / right <= most]
  }

  /** Whether Haft needs least, and who would be next or before it. */
  first(scenario: string, metric: string, among: (outcome: Outcome) => boolean = () => true): Verdict | undefined {
    const ours = this.median(scenario, "haft", metric)
    const rivals = alternatives.flatMap(({ id, title }) => {
      const outcome = this.outcome(scenario, id)
      const value = outcome?.metrics[metric]?.median
      return outcome === undefined || value === undefined || !among(outcome) ? [] : [{ title, value }]
    })
    const [best] = rivals.toSorted((left, right) => left.value - right.value)
    if (ours === undefined || best === undefined) return undefined
    return [
      `${ours.toPrecision(3)}; the best alternative, ${best.title}, ${best.value.toPrecision(3)}`,
      ours < best.value
    ]
  }
}

const checksBothWays = ({ facts }: Outcome): boolean =>
  facts["refusesInput"] === true && facts["refusesOutput"] === true

/** The caller is free at once in both cases, and work that listens ends. */
const cancelsWell = ({ facts, metrics }: Outcome): boolean =>
  facts["cooperativeStops"] === true &&
  ["cooperativeFreeMillis", "deafFreeMillis"].every((name) => (metrics[name]?.median ?? Infinity) < promptMillis)

/** Whether Haft alone is as it should be when a call is cancelled, and who else is. */
const cancelling = (reader: Reader): Verdict | undefined => {
  const ours = reader.outcome("cancelling", "haft")
  if (ours === undefined) return undefined
  const others = alternatives.filter(({ id }) => {
    const outcome = reader.outcome("cancelling", id)
    return outcome !== undefined && cancelsWell(outcome)
  })
  const also = others.length === 0 ? "no other does" : `so do ${others.map(({ title }) => title).join(", ")}`
  return [`${cancelsWell(ours) ? "Haft does" : "Haft does not"}; ${also}`, cancelsWell(ours) && others.length === 0]
}

const bytes = (reader: Reader): Verdict | undefined => {
  const value = reader.median("allocations", "haft", "bytes")
  return value === undefined ? undefined : [`${Math.round(value)} bytes`, value <= 6_000]
}

const repeated = (reader: Reader): Verdict | undefined => {
  const [again, cold] = [
    reader.median("definitions", "haft", "repeatedMillis"),
    reader.median("definitions", "haft", "coldMillis")
  ]
  if (again === undefined || cold === undefined) return undefined
  return [`${((100 * again) / cold).toFixed(2)} %`, again / cold < 0.01]
}

const bounded = (reader: Reader): Verdict | undefined => {
  const outcome = reader.outcome("largeOutput", "haft-sqlite")
  const ratio = outcome?.metrics["ratio"]?.median
  const shown = outcome?.facts["modelBytes"]
  if (ratio === undefined || typeof shown !== "number") return undefined
  return [`${ratio.toFixed(2)} ×, ${shown} bytes shown`, ratio <= 1.5 && shown <= shownBytes]
}

const memory = (reader: Reader): Verdict | undefined => {
  const ratio = reader.outcome("largeOutput", "haft-sqlite")?.facts["growthRatio"]
  return typeof ratio === "number" ? [`${ratio.toFixed(2)} ×`, ratio < 3] : undefined
}

const importing = (reader: Reader): Verdict | undefined => {
  const [ours, effect] = [
    reader.median("importing", "haft", "millis"),
    reader.median("importing", "haft", "effectMillis")
  ]
  if (ours === undefined || effect === undefined) return undefined
  return [`${(ours / effect).toFixed(2)} ×`, ours / effect <= 1.1]
}

const rate = (reader: Reader): Verdict | undefined => {
  const value = reader.median("durable", "haft-sqlite", "perSecond")
  return value === undefined ? undefined : [`${Math.round(value)} a second`, value >= 10_000]
}

const delay = (reader: Reader): Verdict | undefined => {
  const value = reader.median("durable", "haft-sqlite", "delayP99Millis")
  return value === undefined ? undefined : [`${value.toFixed(1)} ms`, value < 20]
}

export const judge = (results: Results): ReadonlyArray<Goal> => {
  const reader = new Reader(results)
  const goal = (letter: string, text: string, verdict: Verdict | undefined): Goal => ({
    letter,
    text,
    measured: verdict?.[0],
    met: verdict?.[1] ?? false
  })
  const floor = titleOf("effect-floor").toLowerCase().replace("effect", "Effect")
  return [
    goal(
      "a",
      "faster than every alternative that checks both ways (µs a call)",
      reader.first("sequential", "micros", (outcome) => checksBothWays(outcome))
    ),
    goal("a", `at most 2 × the same ${floor}`, reader.ratio("sequential", "micros", "haft", "effect-floor", 2)),
    goal(
      "a",
      `with a deadline at most 4 × the same ${floor}`,
      reader.ratio("sequential", "micros", "haft-deadline", "effect-floor", 4)
    ),
    goal("a", "at most 6,000 bytes allocated", bytes(reader)),
    goal(
      "a",
      "with one span at most a third of Effect's toolkit without one",
      reader.ratio("sequential", "micros", "haft-span", "effect-ai", 1 / 3)
    ),
    goal("b", "faster than every alternative (ms)", reader.first("concurrent", "millis")),
    goal("c", "when cold, faster than every alternative (ms)", reader.first("definitions", "coldMillis")),
    goal("c", "the next turn under 1 % of that", repeated(reader)),
    goal("d", "bounded and durable within 1.5 × a bare hash, write, sync and rename", bounded(reader)),
    goal("d", "less than 3 × the text in memory", memory(reader)),
    goal(
      "e",
      "the only one whose caller is free at once, whether the tool listens or not, and where one that listens stops",
      cancelling(reader)
    ),
    goal("f", "imported within 1.1 × the modules of Effect that it uses", importing(reader)),
    goal("g", "at least 10,000 durable settlements a second", rate(reader)),
    goal("g", "with the event loop late by less than 20 ms, all but one time in a hundred", delay(reader))
  ]
}
