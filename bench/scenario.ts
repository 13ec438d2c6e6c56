/** What a scenario measures with one subject, in a process of its own. */
import type { Entry } from "./subject.ts"

export interface Measurement {
  /** Of one metric each, as many as there were rounds. */
  readonly samples: Readonly<Record<string, ReadonlyArray<number>>>
  /** What is the same in every round. */
  readonly facts: Readonly<Record<string, number | string | boolean>>
}

export interface Effort {
  readonly quick: boolean
}

export interface Scenario {
  readonly id: string
  /** Of the issue that asked for it. */
  readonly letter: string
  readonly title: string
  /** A process is cold only once. */
  readonly processes?: number
  readonly flags?: ReadonlyArray<string>
  readonly appliesTo: (entry: Entry) => boolean
  /** Loads the subject when it is time to. */
  readonly measure: (entry: Entry, effort: Effort) => Promise<Measurement>
}

/** Rounds until there are enough, or time is up; those for warming up do not count. */
export const rounds = async (
  { budgetMillis, count, warmUp }: { readonly budgetMillis: number; readonly count: number; readonly warmUp: number },
  round: () => Promise<number>
): Promise<ReadonlyArray<number>> => {
  const started = performance.now()
  const samples: Array<number> = []
  for (let index = 0; index < warmUp + count; index++) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- a round must have the process to itself
    const sample = await round()
    if (index >= warmUp) samples.push(sample)
    if (samples.length >= 3 && performance.now() - started > budgetMillis) break
  }
  return samples
}
