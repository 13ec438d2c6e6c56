/** Time and bytes of one operation on Effect, as the best of several rounds: noise only ever adds. */
import { Effect } from "effect"
import { allocations, stopwatch } from "../measure.ts"

export interface PerCall {
  readonly micros: number
  /** Allocated for each operation. Steadier than time on a machine that has other things to do. */
  readonly bytes: number
}

type Operation<E> = (index: number) => Effect.Effect<unknown, E>

const rounds = 10
const operations = 5_000
const microsPerMilli = 1_000

/**
 * Each round prepares its own operation, so that none works on what the others left behind. Collecting comes last: it
 * makes code slow again.
 */
export const perCall = Effect.fnUntraced(function* <E, F, R>(
  prepare: Effect.Effect<Operation<E>, F, R>
): Effect.fn.Return<PerCall, E | F, R> {
  const micros: Array<number> = []
  const bytes: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    micros.push((yield* read(stopwatch, yield* prepare)) * microsPerMilli)
  }
  for (let round = 0; round < rounds; round++) bytes.push(yield* read(allocations, yield* prepare))
  return { micros: Math.min(...micros), bytes: Math.min(...bytes) }
})

/** What an instrument says of one operation. */
const read = Effect.fnUntraced(function* <E>(
  instrument: () => () => number,
  operation: Operation<E>
): Effect.fn.Return<number, E> {
  const reading = instrument()
  for (let index = 0; index < operations; index++) yield* operation(index)
  return reading() / operations
})
