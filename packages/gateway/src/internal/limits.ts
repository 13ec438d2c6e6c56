/** How long a call, and each of its attempts, may take. */

/** What ran out, from the innermost on. */
export type BoundBy = "attempt" | "call" | "run"

export interface Given {
  /** For each attempt. */
  readonly attemptMs: number
  /** For the call, however often it is tried; from now on. */
  readonly callMs: number
  /** For the run that the call belongs to; from now on. */
  readonly runMs: number | undefined
}

export interface Limit {
  readonly ms: number
  readonly boundBy: BoundBy
}

/** For everything that happens to the call. */
export const wholeLimit = ({ callMs, runMs }: Pick<Given, "callMs" | "runMs">): Limit =>
  runMs !== undefined && runMs < callMs ? atLeastNothing(runMs, "run") : atLeastNothing(callMs, "call")

const atLeastNothing = (ms: number, boundBy: BoundBy): Limit => ({ ms: Math.max(0, ms), boundBy })

/** For the next attempt: the smallest of what is left wins, and gives its name. */
export const attemptLimit = (attemptMs: number, rest: Limit): Limit =>
  rest.ms <= attemptMs ? rest : { ms: attemptMs, boundBy: "attempt" }
