/** Time and bytes of one operation, as the best of several rounds: noise only ever adds. */
import { Effect } from "effect"

export interface Measured {
  readonly micros: number
  /** Allocated for each operation. Steadier than time on a machine that has other things to do. */
  readonly bytes: number
}

type Operation<E> = (index: number) => Effect.Effect<unknown, E>

const rounds = 10
const operations = 5_000

/**
 * Each round prepares its own operation, so that none works on what the others left behind.
 * Needs `--expose-gc`, and a young generation that no round fills. Collecting comes last: it makes code slow again.
 */
export const measure = Effect.fnUntraced(function* <E, F, R>(
  prepare: Effect.Effect<Operation<E>, F, R>
): Effect.fn.Return<Measured, E | F, R> {
  const micros: Array<number> = []
  const bytes: Array<number> = []
  for (let round = 0; round < rounds; round++) micros.push(yield* timed(yield* prepare))
  for (let round = 0; round < rounds; round++) bytes.push(yield* weighed(yield* prepare))
  return { micros: Math.min(...micros), bytes: Math.min(...bytes) }
})

const timed = Effect.fnUntraced(function* <E>(operation: Operation<E>): Effect.fn.Return<number, E> {
  const started = performance.now()
  for (let index = 0; index < operations; index++) yield* operation(index)
  return ((performance.now() - started) * 1000) / operations
})

const weighed = Effect.fnUntraced(function* <E>(operation: Operation<E>): Effect.fn.Return<number, E> {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < operations; index++) yield* operation(index)
  return (process.memoryUsage().heapUsed - before) / operations
})
