/** What it costs at least to keep bytes so that a crash does not take them, timed beside a store, round by round. */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { stopwatch } from "./measure.ts"

/** Hash, write, sync and rename, and nothing else. */
const bare = async (directory: string, bytes: Uint8Array): Promise<void> => {
  const hash = createHash("sha256").update(bytes).digest("hex")
  const temporary = join(directory, "temporary")
  const file = await Fs.open(temporary, "wx", 0o600)
  await file.write(bytes)
  await file.sync()
  await file.close()
  await Fs.rename(temporary, join(directory, hash))
}

/** What one leaves to the disk, or to be collected, would be paid for by the next. */
const clearUp = async (directory: string): Promise<void> => {
  globalThis.gc?.()
  const opened = await Fs.open(directory)
  await opened.sync()
  await opened.close()
}

export const timed = async (directory: string, run: () => Promise<unknown>): Promise<number> => {
  await clearUp(directory)
  const elapsed = stopwatch()
  await run()
  return elapsed()
}

/** Milliseconds of each round. */
export interface Rounds {
  readonly bare: ReadonlyArray<number>
  readonly kept: ReadonlyArray<number>
}

/** One round after the other, each with new bytes, and by turns with one or the other first. */
export const besideBare = async (options: {
  readonly directory: string
  readonly rounds: number
  /** Makes what is kept in a round, and gives its bytes. */
  readonly prepare: (round: number) => Uint8Array
  readonly keep: () => Promise<unknown>
}): Promise<Rounds> => {
  const { directory, keep, prepare, rounds } = options
  const millis = { bare: new Array<number>(), kept: new Array<number>() }
  for (let round = 1; round <= rounds; round++) {
    const bytes = prepare(round)
    const byHand = async () => void millis.bare.push(await timed(directory, () => bare(directory, bytes)))
    const byStore = async () => void millis.kept.push(await timed(directory, keep))
    // oxlint-disable-next-line eslint/no-await-in-loop -- each has the disk to itself
    for (const one of round % 2 === 0 ? [byHand, byStore] : [byStore, byHand]) await one()
  }
  return millis
}

/** The two of a round have had the same noise. */
export const ratios = ({ bare, kept }: Rounds): ReadonlyArray<number> =>
  kept.map((millis, round) => millis / (bare[round] ?? Number.NaN))
