/** What it costs at least to keep bytes so that a crash does not take them, timed beside a store, round by round. */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { stopwatch } from "./measure.ts"

/** Hash, write, sync and rename, and nothing else. Gives where it is. */
const bare = async (directory: string, bytes: Uint8Array): Promise<string> => {
  const hash = createHash("sha256").update(bytes).digest("hex")
  const temporary = join(directory, "temporary")
  const file = await Fs.open(temporary, "wx", 0o600)
  await file.write(bytes)
  await file.sync()
  await file.close()
  const path = join(directory, hash)
  await Fs.rename(temporary, path)
  return path
}

/** What one leaves to the disk, or to be collected, would be paid for by the next. */
const clearUp = async (directory: string): Promise<void> => {
  globalThis.gc?.()
  const opened = await Fs.open(directory)
  await opened.sync()
  await opened.close()
}

export const timed = async <A>(
  directory: string,
  run: () => Promise<A>
): Promise<{ readonly millis: number; readonly value: A }> => {
  await clearUp(directory)
  const elapsed = stopwatch()
  const value = await run()
  return { millis: elapsed(), value }
}

/** Milliseconds of each round. */
export interface Rounds {
  readonly bare: ReadonlyArray<number>
  readonly kept: ReadonlyArray<number>
}

/** One round after the other, each with new bytes, and by turns with one or the other first. */
export const besideBare = async <A>(options: {
  readonly directory: string
  readonly rounds: number
  /** Makes what is kept in a round, and gives its bytes. */
  readonly prepare: (round: number) => Uint8Array
  readonly keep: () => Promise<A>
  /**
   * Removes what was kept, and what was kept by hand goes as well, both untimed. Without it the memory of the system's
   * cache is never used twice, and on a machine that has to get it from somewhere, that takes longer than all the rest.
   */
  readonly forget?: (kept: A) => Promise<unknown>
}): Promise<Rounds> => {
  const { directory, forget, keep, prepare, rounds } = options
  const millis = { bare: new Array<number>(), kept: new Array<number>() }
  const byHand = async (bytes: Uint8Array) => {
    const { millis: taken, value } = await timed(directory, () => bare(directory, bytes))
    millis.bare.push(taken)
    return async () => forget === undefined || Fs.rm(value)
  }
  const byStore = async () => {
    const { millis: taken, value } = await timed(directory, keep)
    millis.kept.push(taken)
    return async () => forget?.(value)
  }
  for (let round = 1; round <= rounds; round++) {
    const bytes = prepare(round)
    for (const one of round % 2 === 0 ? [byHand, byStore] : [byStore, byHand]) {
      // oxlint-disable-next-line eslint/no-await-in-loop -- each has the disk to itself
      const remove = await one(bytes)
      // oxlint-disable-next-line eslint/no-await-in-loop -- and gives it back
      await remove()
    }
  }
  return millis
}

/** The two of a round have had the same noise. */
export const ratios = ({ bare, kept }: Rounds): ReadonlyArray<number> =>
  kept.map((millis, round) => millis / (bare[round] ?? Number.NaN))
