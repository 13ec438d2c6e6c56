/**
 * One way to declare a fault: what breaks, which invariants hold all the same, how often it is tried and how often the try
 * met the moment it was aimed at. Every scenario is a row of the table that `pnpm faults` prints at its end.
 */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { watched } from "./watched.ts"

export { temporary } from "./watched.ts"

/** What holds whatever breaks. */
export const invariants = {
  V1: "every call has exactly one end on record, for ever",
  V2: "who was told of a success can read the whole output",
  V3: "nothing has an effect before its beginning is durable",
  V4: "what may have had an effect and has no end is called unknown, and never runs again by itself",
  V5: "one key and one fingerprint are executed once",
  V6: "every call ends by its deadline and five seconds",
  V7: "no process outlives its call",
  V8: "descriptors, processes and temporary files are what they were before",
  V9: "no secret is anywhere but where it belongs",
  V10: "an interruption is never a result, and never a success",
  V11: "a file is old or new, never a mixture",
  V12: "the store opens by itself and passes its check",
  V13: "enough tries succeed, and enough of them hit what they aim at"
} as const

export type Invariant = keyof typeof invariants

/** What a scenario promises. */
export interface Fault {
  /** What breaks, in a few words and with the means. */
  readonly fault: string
  readonly keeps: ReadonlyArray<Invariant>
  /** What a try aims at, if that is more than to be made: the moment that is worst. */
  readonly window?: string
  /** With fewer the scenario did not take place. */
  readonly atLeast: { readonly tries: number; readonly hits?: number }
  readonly timeout?: number
}

/** What the tries came to. What is not named is none. */
export interface Seen {
  readonly tries: number
  /** Tries that met the window. */
  readonly hits?: number
  /** Calls, outputs or files of which somebody was told and that are gone. */
  readonly lost?: number
  /** Effects or records that are there more than once. */
  readonly double?: number
  /** Contents that are not what was written, and stores that do not pass their check. */
  readonly corrupt?: number
  /** Processes, descriptors and temporary files that are left, besides those that every scenario looks for. */
  readonly leaked?: number
}

/** A row of the table. */
export interface Row extends Fault {
  readonly seen: Required<Seen>
}

declare module "vitest" {
  interface TaskMeta {
    fault?: Row
  }
}

/**
 * A test of a fault. Whatever it does, no process that it started, no descriptor and no temporary file is left behind; what
 * it lost, did twice or damaged is none; and it was tried often enough.
 */
export const scenario = <E>(title: string, fault: Fault, tries: Effect.Effect<Seen, E, Scope.Scope>): void => {
  it.live(
    title,
    ({ task }) =>
      Effect.gen(function* () {
        const { left, result } = yield* watched(tries)
        const seen = { hits: 0, lost: 0, double: 0, corrupt: 0, ...result, leaked: (result.leaked ?? 0) + left.length }
        task.meta.fault = { ...fault, seen }
        assert.deepStrictEqual(left, [], "something is left behind")
        const { corrupt, double, leaked, lost } = seen
        assert.deepStrictEqual({ lost, double, corrupt, leaked }, { lost: 0, double: 0, corrupt: 0, leaked: 0 })
        assert.isAtLeast(seen.tries, fault.atLeast.tries, "too few tries")
        assert.isAtLeast(seen.hits, fault.atLeast.hits ?? 0, `too few tries met the window: ${fault.window}`)
      }),
    fault.timeout
  )
}

/** The sum of one figure over tries. */
export const sum = (seen: ReadonlyArray<Seen>): Required<Seen> => {
  const total = { tries: 0, hits: 0, lost: 0, double: 0, corrupt: 0, leaked: 0 }
  for (const one of seen) {
    total.tries += one.tries
    total.hits += one.hits ?? 0
    total.lost += one.lost ?? 0
    total.double += one.double ?? 0
    total.corrupt += one.corrupt ?? 0
    total.leaked += one.leaked ?? 0
  }
  return total
}
