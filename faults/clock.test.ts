import { assert, describe } from "@effect/vitest"
import { SettlementStore } from "@haft/core"
import { Effect, Layer, Option } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import { type Aftermath, counts, inspect, toldIn } from "./support/aftermath.ts"
import { identityOf, type Kind, layer, prepare } from "./support/host.ts"
import { clockLibrary, launchHost, runHost, withClock } from "./support/launch.ts"
import { scenario, temporary } from "./support/scenario.ts"

/** Most calls end by themselves, and some only because of their deadline. */
const kinds: ReadonlyArray<Kind> = ["act", "print", "hang", "wait"]

const orders = { prefix: "one", count: 40, concurrency: 4, kinds }

/** Of calls that hang, with what a busy machine adds. */
const latestMillis = 5_050

/** Whoever hangs is ended by its deadline, whatever the clock says, and everybody else succeeds. */
const assertOnTime = ({ told }: Aftermath): void => {
  for (const { end, id, millis, name } of told) {
    assert.strictEqual(end, name === "hang" ? "Failed" : "Succeeded", id)
    assert.isBelow(millis, latestMillis, id)
  }
}

/** When calls began and ended by the clock that they had, in the order in which they came back. */
const timings = (directory: string) =>
  Effect.gen(function* () {
    const store = yield* SettlementStore.Service
    const records = yield* Effect.forEach(toldIn(directory), ({ id }) => store.find(identityOf(id)))
    return records.flatMap((record) => {
      const ended = Option.isSome(record) && record.value._tag === "Ended" ? record.value.ended : undefined
      return ended?._tag === "Settled" ? [ended.settlement.timing] : []
    })
  }).pipe(Effect.provide(Layer.fresh(layer(directory))))

type Timings = Effect.Success<ReturnType<typeof timings>>

const hourMillis = 3_600_000
const yearMillis = 365 * 24 * hourMillis

/** Calls that began in another year than this one. */
const elsewhen = (all: Timings): number =>
  all.filter(({ startedAt }) => Math.abs(startedAt - Date.now()) > yearMillis).length

/** How often the clock was another one between a call and the next. */
const jumpsIn = (all: Timings): number =>
  all.filter(({ startedAt }, index) => {
    const before = all[index - 1]?.startedAt ?? startedAt
    return Math.abs(startedAt - before) > hourMillis
  }).length

const jumps = ["-400d", "+400d", "+0d", "-1d", "+30d", "-400d", "+0d"]

describe("a clock that is wrong", () => {
  scenario(
    "by 400 days, in one process after the other, ends no call early and takes nothing away",
    {
      fault: "libfaketime at -400 days, now, +400 days and -400 days, on one store",
      keeps: ["V1", "V2", "V6", "V12", "V13"],
      window: "a call in a process whose clock is off by more than a year",
      atLeast: { tries: 160, hits: 120 }
    },
    Effect.gen(function* () {
      assert.isDefined(clockLibrary, "libfaketime is not installed")
      const directory = prepare(yield* temporary)
      const file = join(directory, "time")
      for (const [index, time] of ["-400d", "+0d", "+400d", "-400d"].entries()) {
        Fs.writeFileSync(file, time)
        const { end } = yield* runHost(directory, { ...orders, prefix: `${index}` }, withClock(file))
        assert.strictEqual(end, "exit 0")
      }
      const aftermath = yield* inspect(directory)
      assertOnTime(aftermath)
      return { tries: aftermath.told.length, hits: elsewhen(yield* timings(directory)), ...counts(aftermath) }
    })
  )

  scenario(
    "by up to 400 days and jumps while calls run keeps deadlines, and no call ends before it begins",
    {
      fault: "libfaketime, seven jumps of a running process",
      keeps: ["V1", "V2", "V6", "V12", "V13"],
      window: "the clock jumps while calls run",
      // Nobody may have looked at the clock between the last one and the end.
      atLeast: { tries: 100, hits: jumps.length - 1 }
    },
    Effect.gen(function* () {
      assert.isDefined(clockLibrary, "libfaketime is not installed")
      const directory = prepare(yield* temporary)
      const file = join(directory, "time")
      Fs.writeFileSync(file, "+0d")
      const host = yield* launchHost(directory, { ...orders, count: 1_000_000 }, withClock(file))
      yield* host.lines(1)
      for (const time of jumps) {
        const goal = toldIn(directory).length + 20
        const told = Effect.sync(() => toldIn(directory).length)
        yield* Effect.repeat(Effect.andThen(Effect.sleep(5), told), { until: (count) => count >= goal })
        Fs.writeFileSync(`${file}.new`, time)
        Fs.renameSync(`${file}.new`, file)
      }
      yield* host.kill
      yield* host.ended
      const aftermath = yield* inspect(directory)
      assertOnTime(aftermath)
      const all = yield* timings(directory)
      const negative = all.filter(({ endedAt, startedAt }) => endedAt < startedAt).length
      assert.strictEqual(negative, 0, "no call ends before it begins")
      return { tries: aftermath.told.length, hits: jumpsIn(all), ...counts(aftermath) }
    })
  )
})
