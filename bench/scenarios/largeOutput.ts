/** A tool that returns five mebibytes of text: how long that takes, how much memory, and what a model would read of it. */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { growth, stopwatch } from "../measure.ts"
import type { Scenario } from "../scenario.ts"
import { temporaryDirectory } from "../temporary.ts"
import { large, largeBytes, largeText, unwrittenText, work } from "../works.ts"

/** What keeping the same bytes takes at least, so that a crash does not take them. */
const bare = async (directory: string, text: string): Promise<void> => {
  const bytes = Buffer.from(text)
  const temporary = join(directory, "temporary")
  const file = await Fs.open(temporary, "wx", 0o600)
  const hash = createHash("sha256").update(bytes).digest("hex")
  await file.write(bytes)
  await file.sync()
  await file.close()
  await Fs.rename(temporary, join(directory, hash))
}

/** What one leaves to the disk would be paid for by the next. */
const settleDisk = async (directory: string): Promise<void> => {
  const opened = await Fs.open(directory)
  await opened.sync()
  await opened.close()
}

const timed = async (directory: string, run: () => Promise<unknown>): Promise<number> => {
  await settleDisk(directory)
  globalThis.gc?.()
  const elapsed = stopwatch()
  await run()
  return elapsed()
}

export const scenario: Scenario = {
  id: "largeOutput",
  letter: "d",
  title: "A result of 5 MiB of text",
  appliesTo: ({ family }) => family !== "floor",
  measure: async ({ durable, load }, { quick }) => {
    const subject = await load()
    const directory = temporaryDirectory()
    const offered = await subject.offer([work("large"), work("sum")])
    const read = () => offered.read("large", { a: 1, b: "x" })
    // Code and connections are there before memory is looked at; a process that was once large shows no growth.
    large.text = "small"
    await read()
    large.text = unwrittenText()
    const grown = growth()
    const shown = await read()
    const growthBytes = grown()
    const millis: Array<number> = []
    const bareMillis: Array<number> = []
    const settle = async () => void millis.push(await timed(directory, read))
    const byHand = async () => void bareMillis.push(await timed(directory, () => bare(directory, large.text)))
    for (let round = 1; round <= (quick ? 3 : 24); round++) {
      large.text = largeText(round)
      const pair = durable === true ? [settle, byHand] : [settle]
      // oxlint-disable-next-line eslint/no-await-in-loop -- each has the disk to itself
      for (const one of round % 2 === 0 ? pair : pair.toReversed()) await one()
    }
    await offered.close()
    const modelBytes = Buffer.byteLength(shown)
    if (modelBytes === 0) throw new Error("Nothing came back")
    return {
      samples: { millis, ...(durable === true ? { bareMillis, ratio: ratios(millis, bareMillis) } : {}) },
      facts: { modelBytes, growthBytes, growthRatio: growthBytes / largeBytes }
    }
  }
}

/** The two of a round have had the same noise. */
const ratios = (ours: ReadonlyArray<number>, bare: ReadonlyArray<number>): ReadonlyArray<number> =>
  ours.map((millis, round) => millis / (bare[round] ?? Number.NaN))
