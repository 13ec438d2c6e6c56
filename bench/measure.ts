/**
 * The instruments of every measurement. Each starts when it is called, and gives its reading when what it gave is called,
 * so that they serve promises and Effects alike. Those of memory need `--expose-gc`.
 */
import { createHash } from "node:crypto"
import { monitorEventLoopDelay } from "node:perf_hooks"

const nanosPerMilli = 1e6

/** Milliseconds. */
export const stopwatch = (): (() => number) => {
  const started = performance.now()
  return () => performance.now() - started
}

/** Bytes on the heap. Counts what was allocated as long as nothing is collected: the young generation has to be large. */
export const allocations = (): (() => number) => {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  return () => process.memoryUsage().heapUsed - before
}

/** The most bytes that the process grew by, in and outside of the heap. */
export const growth = (): (() => number) => {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => void (most = Math.max(most, process.memoryUsage.rss()))
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    look()
    return most - before
  }
}

/** How late the event loop was, in milliseconds: all but one time in a hundred, and at worst. */
export const loopDelay = (): (() => { readonly p99: number; readonly max: number }) => {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  return () => {
    delays.disable()
    return { p99: delays.percentile(99) / nanosPerMilli, max: delays.max / nanosPerMilli }
  }
}

/** Below how much of them `share` of the values are. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

/** The median, and between which values the middle half of them lies. */
export interface Summary {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly count: number
}

export const summarize = (values: ReadonlyArray<number>): Summary => ({
  median: median(values),
  low: percentile(values, 0.25),
  high: percentile(values, 0.75),
  count: values.length
})

const calibrationRounds = 7

/** How long a fixed piece of work takes here and now: parsing, sorting, hashing and looking up, in milliseconds. */
export const calibrate = (): number => median(Array.from({ length: calibrationRounds }, calibrationRound))

const calibrationRound = (): number => {
  const elapsed = stopwatch()
  const seen = new Map<string, number>()
  const hash = createHash("sha256")
  for (let index = 0; index < 4_000; index++) {
    const text = JSON.stringify({ index, values: [index, index * 7, `${index % 97}`] })
    const parsed: { readonly index: number } = JSON.parse(text)
    seen.set(text, parsed.index)
    hash.update(text)
  }
  const sorted = [...seen.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1))
  hash.update(`${sorted.length}`).digest()
  return elapsed()
}
