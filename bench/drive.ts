/** Calls tools in each subject's own manner of waiting, and checks every result. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { setTimeout as sleep } from "node:timers/promises"
import { stopwatch } from "./measure.ts"
import type { Calls, Offered } from "./subject.ts"
import { deafMillis, expected, type Input, progress, resetProgress } from "./works.ts"

const inputOf = (index: number): Input => ({ a: index, b: "x" })

const check = (total: number, count: number): void => {
  let right = 0
  for (let index = 0; index < count; index++) right += expected(inputOf(index))
  if (total !== right) throw new Error(`The results add up to ${total}, not to ${right}`)
}

/** One after the other. */
export const sequential = async (calls: Calls, name: string, count: number): Promise<void> =>
  check(await (calls.manner === "promise" ? inPromises(calls, name, count) : inFiber(calls, name, count)), count)

const inPromises = async ({ call }: Extract<Calls, { manner: "promise" }>, name: string, count: number) => {
  let total = 0
  // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other is what is measured
  for (let index = 0; index < count; index++) total += await call(name, inputOf(index))
  return total
}

const inFiber = ({ call }: Extract<Calls, { manner: "effect" }>, name: string, count: number) =>
  Effect.runPromise(
    Effect.gen(function* () {
      let total = 0
      for (let index = 0; index < count; index++) total += yield* call(name, inputOf(index))
      return total
    })
  )

/** At most so many at once. */
export const concurrent = async (calls: Calls, name: string, count: number, atOnce = count): Promise<void> => {
  const inputs = Array.from({ length: count }, (_, index) => inputOf(index))
  const sums = await (calls.manner === "promise"
    ? Promise.all(inputs.map((input) => calls.call(name, input)))
    : Effect.runPromise(
        Effect.forEach(inputs, (input) => calls.call(name, input), {
          concurrency: atOnce === count ? "unbounded" : atOnce
        })
      ))
  check(
    sums.reduce((total, sum) => total + sum, 0),
    count
  )
}

/** Whether the call came back without a result. */
export const isRefused = async ({ calls }: Offered, name: string, input: unknown): Promise<boolean> => {
  const call =
    calls.manner === "promise" ? calls.call(name, input as Input) : Effect.runPromise(calls.call(name, input as Input))
  return call.then(Number.isNaN, () => true)
}

export interface Cancelled {
  /** Until the caller could go on. */
  readonly freeMillis: number
  /** Whether the work did nothing more soon after that. */
  readonly stopped: boolean
}

/** What a caller may notice as waiting, and what a piece of work needs to see that it shall stop. */
const promptMillis = 50

/** Calls, waits until the work is under way, and cancels. */
export const cancel = async (offered: Offered, name: string): Promise<Cancelled> => {
  resetProgress()
  const stop = start(offered, name)
  while (progress.ticks < 2) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the work has to come so far
    await sleep(1)
  }
  const elapsed = stopwatch()
  await stop()
  const freeMillis = elapsed()
  await sleep(promptMillis)
  const ticks = progress.ticks
  await sleep(promptMillis)
  const stopped = progress.ticks === ticks
  await sleep(deafMillis)
  return { freeMillis, stopped }
}

const start = ({ calls, cancellable }: Offered, name: string): (() => Promise<unknown>) => {
  if (cancellable === undefined && calls.manner === "effect") {
    const fiber = Effect.runFork(calls.call(name, inputOf(1)))
    return () => Effect.runPromise(Fiber.interrupt(fiber))
  }
  const controller = new AbortController()
  const call = cancellable ?? (calls.manner === "promise" ? calls.call : undefined)
  const called = Promise.allSettled([call?.(name, inputOf(1), controller.signal)])
  return () => {
    controller.abort()
    return called
  }
}
