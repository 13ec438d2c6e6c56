/** The work of the tools that are called, the same for every subject. */
import { setTimeout as sleep } from "node:timers/promises"

export interface Input {
  readonly a: number
  readonly b: string
}

export interface Sum {
  readonly sum: number
}

export type Kind =
  /** Adds a number and the length of a text. */
  | "sum"
  /** The same, after five milliseconds. */
  | "slow"
  /** Returns what its output schema does not admit. */
  | "wrong"
  /** Returns five mebibytes of text. */
  | "large"
  /** Ticks until it is told to stop. */
  | "cooperative"
  /** Ticks for a while, whatever it is told. */
  | "deaf"
  /** The same inside of what cannot be interrupted, where a subject knows such a thing. */
  | "shielded"
  /** Has other parameters, and is never called. */
  | "search"

export interface Work {
  readonly name: string
  readonly kind: Kind
}

export const work = (kind: Kind, name: string = kind): Work => ({ name, kind })

export const description = "A tool of the comparison"

export const slowMillis = 5
export const largeBytes = 5 * 1024 * 1024

const tickMillis = 5
/** Longer than any caller should have to wait. */
export const deafMillis = 400

/** How far the work of a cancelled call came, and when it last did something. */
export const progress = { started: 0, ticks: 0, lastTick: 0, ended: false }

export const resetProgress = (): void => {
  Object.assign(progress, { started: performance.now(), ticks: 0, lastTick: 0, ended: false })
}

export const tick = (): void => {
  progress.ticks++
  progress.lastTick = performance.now()
}

/** No whole number. */
export const wrongSum = 0.5

export const expected = ({ a, b }: Input): number => a + b.length

/** The sum that came back, if one did. */
export const sumOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null || !("sum" in value)) return Number.NaN
  return typeof value.sum === "number" ? value.sum : Number.NaN
}

/** New for each call, and flat, as of a tool that has read it from somewhere. */
export const largeText = (seed: number): string =>
  Buffer.alloc(largeBytes, `${seed} the quick brown fox jumps over the lazy dog and goes on for a while\n`).toString(
    "latin1"
  )

/** Takes its room in memory only where somebody looks into it, so that it counts there. */
export const unwrittenText = (): string => {
  const line = "the quick brown fox jumps over the lazy dog, then it rests a bit"
  return line.repeat(largeBytes / line.length)
}

/** Prepared before a call, so that making it is no part of the time. */
export const large = { text: "" }

const ticking = async (signal: AbortSignal | undefined, millis: number): Promise<void> => {
  const until = performance.now() + millis
  const isOver = () => performance.now() >= until || signal?.aborted === true
  while (!isOver()) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the work is to wait
    await sleep(tickMillis)
    tick()
  }
  progress.ended = true
}

/** What the tool does, as a function that returns a value or a promise. */
export const run = (kind: Kind): ((input: Input, signal?: AbortSignal) => unknown) => {
  switch (kind) {
    case "sum":
    case "search":
      return (input) => ({ sum: expected(input) })
    case "slow":
      return async (input) => {
        await sleep(slowMillis)
        return { sum: expected(input) }
      }
    case "wrong":
      return () => ({ sum: wrongSum })
    case "large":
      return () => large.text
    case "cooperative":
      return async (input, signal) => {
        await ticking(signal, deafMillis)
        return { sum: expected(input) }
      }
    case "deaf":
    case "shielded":
      return async (input) => {
        await ticking(undefined, deafMillis)
        return { sum: expected(input) }
      }
  }
}
