/** A tool that returns five mebibytes of text: how long that takes, how much memory, and what a model would read of it. */
import { besideBare, ratios, type Rounds, timed } from "../durably.ts"
import { growth } from "../measure.ts"
import type { Scenario } from "../scenario.ts"
import { temporaryDirectory } from "../temporary.ts"
import { large, largeBytes, largeText, unwrittenText, work } from "../works.ts"

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
    const prepare = (round: number) => Buffer.from((large.text = largeText(round)))
    const rounds = quick ? 3 : 24
    const samples =
      durable === true
        ? durableSamples(await besideBare({ directory, rounds, prepare, keep: read }))
        : { millis: await alone(directory, rounds, prepare, read) }
    await offered.close()
    const modelBytes = Buffer.byteLength(shown)
    if (modelBytes === 0) throw new Error("Nothing came back")
    return { samples, facts: { modelBytes, growthBytes, growthRatio: growthBytes / largeBytes } }
  }
}

const durableSamples = (rounds: Rounds) => ({ millis: rounds.kept, bareMillis: rounds.bare, ratio: ratios(rounds) })

const alone = async (
  directory: string,
  rounds: number,
  prepare: (round: number) => unknown,
  read: () => Promise<unknown>
): Promise<ReadonlyArray<number>> => {
  const millis: Array<number> = []
  for (let round = 1; round <= rounds; round++) {
    prepare(round)
    // oxlint-disable-next-line eslint/no-await-in-loop -- each has the machine to itself
    millis.push((await timed(directory, read)).millis)
  }
  return millis
}
