import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { Orders } from "./fixtures/host.ts"
import { type Aftermath, counts, inspect, toldIn } from "./support/aftermath.ts"
import { files, type Kind, prepare } from "./support/host.ts"
import { type Around, fixture, injecting, launch, launchHost, limit, mounted, runHost } from "./support/launch.ts"
import { chosenSeed, seeded } from "./support/random.ts"
import { scenario, sum, temporary } from "./support/scenario.ts"
import { countOf, killAt, type Program, trace } from "./support/strace.ts"

/** Half of the calls have an effect, and half keep an output. */
const kinds: ReadonlyArray<Kind> = ["act", "print"]

const orders = { prefix: "one", count: 60, concurrency: 4, kinds }

/** More than anybody waits for. */
const endless = 1_000_000

/** The same host again, when everything is well: it must come through. */
const assertWorks = Effect.fnUntraced(function* (directory: string) {
  const { end, summary } = yield* runHost(directory, { ...orders, prefix: "after", count: 8 })
  assert.strictEqual(end, "exit 0")
  assert.deepStrictEqual(summary?.ends, { Succeeded: 8 })
})

const isStorageError = (end: string): boolean => end.endsWith("StorageError")

/** Calls that were refused because the store could not keep them: each is one that the fault has met. */
const refusals = ({ told }: Aftermath): number => told.filter(({ end }) => isStorageError(end)).length

/** What calls may end in if nothing is wrong but the stores. */
const assertTyped = ({ told }: Aftermath): void => {
  const others = told.map(({ end }) => end).filter((end) => end !== "Succeeded" && !isStorageError(end))
  assert.deepStrictEqual(others, [], "a call that cannot be kept fails with a storage error")
}

/** Runs a host under a fault, looks at what it left, and runs another one after it. */
const struck = (around: (directory: string) => Around, given: Partial<Orders> = {}) =>
  Effect.gen(function* () {
    const directory = prepare(yield* temporary)
    yield* runHost(directory, { ...orders, ...given }, around(directory))
    const aftermath = yield* inspect(directory)
    assertTyped(aftermath)
    yield* assertWorks(directory)
    return { tries: aftermath.told.length, hits: refusals(aftermath), ...counts(yield* inspect(directory)) }
  })

const refused = "a call whose record or output the system refuses"

describe("a host refuses what it cannot keep, and goes on afterwards, when", () => {
  scenario(
    "the disk is full",
    {
      fault: "ENOSPC: state on a tmpfs of 768 KiB",
      keeps: ["V1", "V2", "V8", "V11", "V12", "V13"],
      window: refused,
      atLeast: { tries: 60, hits: 5 }
    },
    struck((directory) => ({ prefix: mounted(files(directory).state, "size=768k") }))
  )

  scenario(
    "the disk has no room for another file",
    {
      fault: "no inodes: tmpfs with nr_inodes=20",
      keeps: ["V1", "V2", "V6", "V8", "V12", "V13"],
      window: refused,
      atLeast: { tries: 60, hits: 5 }
    },
    struck((directory) => ({ prefix: mounted(files(directory).state, "nr_inodes=20") }))
  )

  scenario(
    "its files may not grow",
    {
      fault: "file size limit: prlimit --fsize=300000",
      keeps: ["V1", "V2", "V6", "V8", "V12", "V13"],
      window: refused,
      atLeast: { tries: 60, hits: 5 }
    },
    struck(() => ({ prefix: ["prlimit", "--fsize=300000"] }))
  )

  scenario(
    "the disk cannot be written any more",
    {
      fault: "EROFS: pwrite64 fails from the 150th on (strace)",
      keeps: ["V1", "V2", "V8", "V12", "V13"],
      window: refused,
      atLeast: { tries: 60, hits: 5 }
    },
    struck(() => injecting("pwrite64", "error=EROFS:when=150+"))
  )

  scenario(
    "it is not allowed to write where it could before",
    {
      fault: "EACCES: goes on as an ordinary user after 10 calls",
      keeps: ["V1", "V2", "V8", "V11", "V12", "V13"],
      window: refused,
      atLeast: { tries: 60, hits: 5 }
    },
    struck(() => ({}), { becomes: { user: nobody, after: 10 } })
  )

  scenario(
    "it may not open another file for a while",
    {
      fault: "EMFILE: prlimit --nofile lowered below what is open and raised again, ten times",
      keeps: ["V1", "V2", "V6", "V8", "V12", "V13"],
      window: refused,
      atLeast: { tries: 400, hits: 5 }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      const host = yield* launchHost(directory, { ...orders, count: endless })
      yield* host.lines(1)
      const pid = host.child.pid ?? 0
      for (let round = 0; round < lowerings; round++) {
        yield* untilTold(directory, 20)
        yield* limit(pid, "nofile", noMoreDescriptors, manyDescriptors)
        yield* untilTold(directory, 20)
        yield* limit(pid, "nofile", manyDescriptors, manyDescriptors)
      }
      yield* untilTold(directory, 20)
      yield* host.kill
      yield* host.ended
      const aftermath = yield* inspect(directory)
      assertTyped(aftermath)
      assert.include(
        aftermath.told.slice(-10).map(({ end }) => end),
        "Succeeded"
      )
      return { tries: aftermath.told.length, hits: refusals(aftermath), ...counts(aftermath) }
    })
  )
})

/** Nobody on every Linux. */
const nobody = 65_534

const lowerings = 10
const manyDescriptors = 1024
/** Those below are always open, so that none of them can be opened: which others are is different from moment to moment. */
const noMoreDescriptors = 3

/** Waits until so many more calls have come back. */
const untilTold = Effect.fnUntraced(function* (directory: string, more: number) {
  const goal = toldIn(directory).length + more
  const told = Effect.sync(() => toldIn(directory).length)
  yield* Effect.repeat(Effect.andThen(Effect.sleep(5), told), { until: (count) => count >= goal })
})

/** How long each flush of the disk takes. */
const slowMillis = 300

/** Time for a call on the slow disk, and what it may take beyond that. */
const [deadlineMillis, graceMillis] = [1_000, 5_000]

describe("a host whose disk is slow", () => {
  scenario(
    "keeps its deadlines, and its event loop goes on",
    {
      fault: `slow disk: every fsync takes ${slowMillis} ms longer (strace)`,
      keeps: ["V1", "V2", "V6", "V13"],
      window: "a call that waits for the disk",
      atLeast: { tries: 24, hits: 12 }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      const slow = injecting("fsync", `delay_enter=${slowMillis * 1000}`)
      const { end, summary } = yield* runHost(directory, { ...orders, count: 24, timeoutMs: deadlineMillis }, slow)
      assert.strictEqual(end, "exit 0")
      assert.isBelow(summary?.delayMillis ?? Number.NaN, slowMillis / 2, "no flush holds up the event loop")
      const aftermath = yield* inspect(directory)
      const slowest = Math.max(...aftermath.told.map(({ millis }) => millis))
      assert.isBelow(slowest, deadlineMillis + graceMillis)
      const hits = aftermath.told.filter(({ millis }) => millis > slowMillis).length
      return { tries: aftermath.told.length, hits, ...counts(aftermath) }
    })
  )
})

const rounds = 24

/** Kills are spread over so many milliseconds of work, or over so many calls. */
const [spreadMillis, mostCalls] = [300, 40]

/** When a call is entered, when it has had its effect, and whenever it comes. */
const moments = ["entered", "effect", undefined] as const

describe("a host that dies", () => {
  scenario(
    "at any moment is followed by one that ends what it left, once",
    {
      fault: "kill -9 at 24 moments, 16 of them in a call, each time in the store that the one before left",
      keeps: ["V1", "V2", "V3", "V4", "V8", "V11", "V12", "V13"],
      window: "calls are under way",
      atLeast: { tries: rounds, hits: (2 / 3) * rounds }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      const random = seeded(chosenSeed())
      let [hits, unrecorded] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        const when = moments[round % moments.length]
        const dies = when === undefined ? {} : { dies: { when, nth: 1 + random.below(mostCalls) } }
        const host = yield* launchHost(directory, { ...orders, prefix: `${round}`, count: endless, ...dies })
        yield* host.lines(1)
        if (when === undefined) {
          yield* Effect.sleep(random.below(spreadMillis))
          yield* host.kill
        }
        yield* host.ended
        const aftermath = yield* inspect(directory)
        if (aftermath.recovered > 0) hits++
        if (aftermath.unrecorded > 0) unrecorded++
      }
      assert.isAtLeast(unrecorded, rounds / moments.length, "effects that are done and not recorded")
      return { tries: rounds, hits, ...counts(yield* inspect(directory)) }
    })
  )

  scenario(
    "because it has no memory left is followed by one that ends what it left, once",
    {
      fault: "small heap: a tool takes all of 64 MB, the process aborts",
      keeps: ["V1", "V2", "V4", "V8", "V12", "V13"],
      window: "the process is gone in the middle of its calls",
      atLeast: { tries: 3, hits: 3 }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      let hits = 0
      for (let round = 0; round < 3; round++) {
        const order = { ...orders, prefix: `${round}`, kinds: [...repeated(kinds, 10), "hoard"] as const }
        const { end } = yield* runHost(directory, order, { node: ["--max-old-space-size=64"], isSilent: true })
        if (end === "SIGABRT") hits++
      }
      const aftermath = yield* inspect(directory)
      yield* assertWorks(directory)
      return { tries: 3, hits, ...counts(aftermath) }
    })
  )

  scenario(
    "in its database's thread goes on with another one, and leaves no call unfinished",
    {
      fault: "worker.terminate() at every 4th of its first 120 requests",
      keeps: ["V1", "V2", "V3", "V4", "V6", "V12", "V13"],
      window: "the thread dies and a later call is settled by the same host",
      atLeast: { tries: 25, hits: 16 }
    },
    Effect.gen(function* () {
      const root = yield* temporary
      const points = Array.from({ length: 25 }, (_, index) => 24 + 4 * index)
      const seen = yield* Effect.forEach(
        points,
        Effect.fnUntraced(function* (nth) {
          const directory = prepare(`${root}/${nth}`)
          const order = { ...orders, count: 24, timeoutMs: deadlineMillis }
          const host = yield* launch("workerDeath", [directory, JSON.stringify(order), `${nth}`])
          const end = yield* host.ended
          assert.notInclude(["SIGABRT", "SIGKILL", "SIGSEGV"], end)
          const aftermath = yield* inspect(directory)
          assertTyped(aftermath)
          assert.isTrue(aftermath.told.every(({ millis }) => millis < deadlineMillis + graceMillis))
          assert.strictEqual(aftermath.recovered, 0)
          // While it opens its database it ends, and nothing has begun.
          const goesOn = end === "exit 0" && aftermath.told.at(-1)?.end === "Succeeded"
          return { tries: 1, hits: goesOn ? 1 : 0, ...counts(aftermath) }
        }, Effect.scoped),
        { concurrency: processes }
      )
      return sum(seen)
    })
  )
})

/** What a host left that died in the middle of several calls, one of them after its effect. */
const leftBehind = Effect.fnUntraced(function* (root: string) {
  const directory = prepare(join(root, "left"))
  const host = yield* launchHost(directory, {
    ...orders,
    concurrency: 16,
    count: endless,
    kinds: ["wait", "act", "print"],
    dies: { when: "effect", nth: 3 }
  })
  assert.strictEqual(yield* host.ended, "SIGKILL")
  return directory
})

/** Of one kind of calls. The end of a recovery copies the whole log, page by page, so that not every write is another case. */
const mostKills = 20

/** Kills whoever recovers at its calls of one kind, each time in a copy, and recovers that. */
const killedRecovering = Effect.fnUntraced(function* (call: string) {
  const root = yield* temporary
  const left = yield* leftBehind(root)
  const programIn = (name: string): Program => {
    const directory = join(root, name)
    execFileSync("cp", ["-a", left, directory])
    return { args: [fixture("recoverer"), directory], directory }
  }
  const count = countOf(yield* trace(programIn("whole"), [call]), call)
  const whole = yield* inspect(join(root, "whole"))
  assert.strictEqual(whole.recovered, 0, "a recovery that nobody kills leaves nothing to do")
  const step = Math.max(1, count / mostKills)
  const points = Array.from({ length: Math.min(count, mostKills) }, (_, index) => 1 + Math.floor(index * step))
  const seen = yield* Effect.forEach(
    points,
    Effect.fnUntraced(function* (nth) {
      const { args, directory } = programIn(`${call}-${nth}`)
      const isKilled = yield* killAt({ args, directory }, call, nth)
      const aftermath = yield* inspect(directory)
      return { tries: 1, hits: isKilled ? 1 : 0, ...counts(aftermath) }
    }),
    { concurrency: processes }
  )
  return sum(seen)
})

describe("a recovery that is killed itself", () => {
  scenario(
    "is done by the next one, and every call has one true end",
    {
      fault: `kill -9 at ${mostKills} pwrite64 and each fsync, ftruncate and unlink of whoever recovers`,
      keeps: ["V1", "V2", "V3", "V4", "V8", "V12", "V13"],
      window: "the process is killed before it is done",
      atLeast: { tries: 12, hits: 10 }
    },
    Effect.map(Effect.forEach(["pwrite64", "fsync", "ftruncate", "unlink"], killedRecovering), sum)
  )
})

const meetings = 8

describe("two recoveries of one store at the same time", () => {
  scenario(
    "end each call once, and leave nothing to a third",
    {
      fault: "two processes open what a third left, at once",
      keeps: ["V1", "V2", "V4", "V8", "V12", "V13"],
      window: "both come to their end",
      atLeast: { tries: meetings, hits: meetings }
    },
    Effect.gen(function* () {
      const root = yield* temporary
      const left = yield* leftBehind(root)
      const seen = yield* Effect.forEach(
        Array.from({ length: meetings }, (_, index) => join(root, `${index}`)),
        Effect.fnUntraced(function* (directory) {
          execFileSync("cp", ["-a", left, directory])
          const recoverers = [yield* launch("recoverer", [directory]), yield* launch("recoverer", [directory])]
          const ends = yield* Effect.forEach(recoverers, ({ ended }) => ended)
          const aftermath = yield* inspect(directory)
          assert.strictEqual(aftermath.recovered, 0, "nothing is left to do")
          return { tries: 1, hits: ends.every((end) => end === "exit 0") ? 1 : 0, ...counts(aftermath) }
        }, Effect.scoped)
      )
      return sum(seen)
    })
  )
})

/** One process on each core of a small machine. */
const processes = 2

const repeated = <A>(list: ReadonlyArray<A>, times: number): ReadonlyArray<A> =>
  Array.from({ length: times }, () => list).flat()

describe("two hosts on one store", () => {
  scenario(
    "that make the same calls at the same time execute each of them once",
    {
      fault: "two processes, the same 300 call ids",
      keeps: ["V1", "V2", "V5", "V13"],
      window: "a call that both ask for",
      atLeast: { tries: 300, hits: 200 }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      const order = { ...orders, count: 300 }
      const hosts = [order, { ...order, concurrency: 7 }]
      const ended = yield* Effect.forEach(hosts, (one) => runHost(directory, one), { concurrency: 2 })
      for (const { end } of ended) assert.strictEqual(end, "exit 0")
      const aftermath = yield* inspect(directory)
      const ids = aftermath.told.map(({ id }) => id)
      const others = aftermath.told.filter(({ end }) => end !== "Succeeded" && end !== "Materialization.CallInProgress")
      assert.deepStrictEqual(others, [])
      return { tries: 300, hits: ids.length - new Set(ids).size, ...counts(aftermath) }
    })
  )
})

const stormCalls = 20_000

describe("a storm of interruptions", () => {
  scenario(
    "leaves every call with one end, and makes no success of any",
    {
      fault: "20,000 calls, four of five interrupted at a random moment, on durable stores",
      keeps: ["V1", "V2", "V8", "V10", "V13"],
      window: "an interruption that came before the end",
      atLeast: { tries: stormCalls, hits: stormCalls / 10 }
    },
    Effect.gen(function* () {
      const directory = prepare(yield* temporary)
      const storm = yield* launch("storm", [directory, `${chosenSeed()}`, `${stormCalls}`])
      assert.strictEqual(yield* storm.ended, "exit 0")
      const [line = "{}"] = yield* storm.lines(1)
      const ends: Readonly<Record<string, number>> = JSON.parse(line)
      assert.isAtLeast(ends["Succeeded"] ?? 0, stormCalls / 10)
      return { tries: stormCalls, hits: ends["Interrupted"] ?? 0, ...counts(yield* inspect(directory)) }
    })
  )
})
