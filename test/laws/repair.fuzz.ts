/** Many more arguments than a test has time for. Runs with the fault suite. */
import { assert, describe, it } from "@effect/vitest"
import { ArgumentRepair } from "@haft/core"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { repairs } from "../cases/corpus.ts"
import { described, objects } from "./codecs.ts"
import { damaged, type Dice, diceOf, sent } from "./damage.ts"
import { documents, recursive } from "./documents.ts"
import { admittedBy, advertised, codecOf, copy, echo } from "./echo.ts"
import { checkRepair, type Subject, subjectOf } from "./repairLaws.ts"

const inputs = 50_000

/** Of processor time, so that it does not count what else the machine does. */
const maxMillis = 100

/** Minutes on a machine that has nothing else to do, and many more on one that has. */
const maxWait = 3_600_000

const randomCodecs = 150
const valuesOfEach = 12

interface Specimen {
  readonly subject: Subject
  readonly values: ReadonlyArray<Schema.Json>
}

const toJson = Schema.decodeUnknownSync(Schema.Json)

const specimens = Effect.gen(function* () {
  const presences = ["required", "optionalKey", "optional"] as const
  const random = yield* Arbitrary.sampleEffect(objects({ leaves: described, presences, unions: true }), {
    count: randomCodecs,
    seed: "codecs"
  })
  const known = [...repairs.map(({ schema }) => schema), ...documents].map((schema) => ({
    codec: codecOf(schema),
    schema
  }))
  const typed = [...random, ...recursive].map((codec) => ({ codec, schema: advertised(echo(codec)) }))
  return yield* Effect.forEach([...known, ...typed], ({ codec, schema }) =>
    Effect.map(Arbitrary.sampleEffect(admittedBy(schema), { count: valuesOfEach, seed: "values" }), (values) => ({
      subject: subjectOf(codec),
      values: values.map((value) => toJson(copy(value)))
    }))
  )
})

const letters = Array.from('{}[]",:\'\\/*`ntru0-1.e \t\nNoneTrueé\ufeff{"properties":}')

/** A letter dropped, added or replaced, a few times over. */
const scrambled = (text: string, dice: Dice): string => {
  let result = text
  for (let times = dice(4); times >= 0; times--) {
    const at = dice(result.length + 1)
    result =
      result.slice(0, at) + (dice(3) === 0 ? "" : (letters[dice(letters.length)] ?? "")) + result.slice(at + dice(2))
  }
  return result
}

const inputFor = ({ values }: Specimen, dice: Dice): Schema.Json => {
  const hurt = sent(damaged(values[dice(values.length)] ?? {}, dice), dice)
  return typeof hurt === "string" && dice(2) === 0 ? scrambled(hurt, dice) : hurt
}

/** The best of a few, because the first run of anything is slow, and noise only adds. */
const millisOf = (run: () => unknown): number => {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && best > maxMillis; attempt++) {
    const before = process.threadCpuUsage()
    run()
    const { system, user } = process.threadCpuUsage(before)
    best = Math.min(best, (system + user) / 1000)
  }
  return best
}

describe("50,000 damaged arguments", () => {
  it.effect(
    "break no law, throw nothing and take no longer than they may",
    () =>
      Effect.gen(function* () {
        const all = yield* specimens
        let [repaired, refused] = [0, 0]
        for (let index = 0; index < inputs; index++) {
          const dice = diceOf(index)
          const specimen = all[dice(all.length)]
          assert(specimen !== undefined)
          const input = inputFor(specimen, dice)
          const result = checkRepair(specimen.subject, input)
          if (Result.isFailure(result)) refused++
          else if (result.success.warnings.length > 0) repaired++
          const millis = millisOf(() => ArgumentRepair.repair(specimen.subject.plan, "tool", input))
          assert.isAtMost(millis, maxMillis, `input ${index}`)
        }
        assert.isAtLeast(repaired, inputs / 20, "a run in which nothing was repaired proves nothing")
        assert.isAtLeast(refused, inputs / 20)
      }),
    maxWait
  )
})
