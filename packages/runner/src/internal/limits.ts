/** How much one run may do. */
import type * as Conclusion from "../Conclusion.ts"
import * as Message from "../Message.ts"

export interface Limits {
  /** Requests that are answered. */
  readonly steps: number
  /** Calls that are made. */
  readonly calls: number
  /** Tokens that are read and written. */
  readonly tokens: number
  /** Calls of an answer that execute at once. */
  readonly executing: number
  /** Calls of an answer that wait for others. */
  readonly queued: number
  /** From how many equal calls in a row on each is reported. */
  readonly repeatsReported: number
  /** The how manyeth equal call in a row does not run, and ends the run. */
  readonly repeatsStopped: number
  /** How often one request is made, if what goes wrong may pass. */
  readonly attempts: number
}

/**
 * Steps and calls: more than people watch without looking up, and an end for an agent that nobody watches. Tokens: what they
 * cost, a host knows. Executing and queued: as many as one session needs, and few enough that one answer cannot fill the
 * machine. Repeats: three are a habit worth knowing; six are no polling that a model should do. Attempts: with growing
 * delays about a quarter of a minute, which most overloads take.
 */
export const defaults: Limits = {
  steps: 100,
  calls: 1_000,
  tokens: Number.POSITIVE_INFINITY,
  executing: 64,
  queued: 1_000,
  repeatsReported: 3,
  repeatsStopped: 6,
  attempts: 4
}

/** A limit that nobody can mean is a mistake of the host's. */
export const chosen = (limits: Partial<Limits> = {}): Limits => {
  const all = { ...defaults, ...limits }
  for (const [name, limit] of Object.entries(all)) {
    const least = name === "queued" ? 0 : 1
    if (!(limit >= least)) throw new RangeError(`${name} must be at least ${least}, not ${limit}`)
  }
  return all
}

/** What a run has done so far. */
export class Tally {
  steps = 0
  calls = 0
  usage: Message.Usage = Message.noUsage
  private readonly limits: Limits

  constructor(limits: Limits) {
    this.limits = limits
  }

  answered({ usage }: Message.Assistant): void {
    this.steps++
    this.usage = {
      input: this.usage.input + usage.input,
      output: this.usage.output + usage.output,
      cached: this.usage.cached + usage.cached
    }
  }

  /** The first limit that is reached, if one is. */
  get reached(): "steps" | "calls" | "tokens" | undefined {
    if (this.steps >= this.limits.steps) return "steps"
    if (this.calls >= this.limits.calls) return "calls"
    return this.usage.input + this.usage.output >= this.limits.tokens ? "tokens" : undefined
  }

  conclude(reason: Conclusion.Reason, text = ""): Conclusion.Conclusion {
    return { reason, text, steps: this.steps, calls: this.calls, usage: this.usage }
  }
}
