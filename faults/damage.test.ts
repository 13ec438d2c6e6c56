import { assert, describe } from "@effect/vitest"
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import * as SettlementStore from "@haft/core/SettlementStore"
import { Effect, Exit, Layer, Logger, Option, Result, Stream } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import { join } from "node:path"
import { toldIn } from "./support/aftermath.ts"
import { files, identityOf, layer, prepare, printed, sessionID } from "./support/host.ts"
import { launchHost, runHost } from "./support/launch.ts"
import { chosenSeed, type Random, seeded } from "./support/random.ts"
import { scenario, temporary } from "./support/scenario.ts"

const orders = { prefix: "one", count: 40, concurrency: 4, kinds: ["act", "print"] as const }

const ids = Array.from({ length: orders.count }, (_, index) => `one-${index}`)

/** Of a database, as SQLite makes it by default. */
const pageBytes = 4096

/** What a disk writes as a whole. */
const sectorBytes = 512

/** Changes the bytes of a file. */
type Damage = (bytes: Buffer, random: Random) => Buffer

/** The last writes never came. */
const cutOff: Damage = (bytes, random) => bytes.subarray(0, random.below(bytes.length))

/** One bit is another one. */
const flipped: Damage = (bytes, random) => {
  const copy = Buffer.from(bytes)
  const at = random.below(bytes.length)
  copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
  return copy
}

/** A page of which some sectors were written and the others hold nothing. */
const torn: Damage = (bytes, random) => {
  const page = random.below(Math.max(1, Math.floor(bytes.length / pageBytes)))
  const sector = random.below(pageBytes / sectorBytes)
  return Buffer.from(bytes).fill(0, page * pageBytes + sector * sectorBytes, (page + 1) * pageBytes)
}

/** What the stores say about every call and every output that was told of: their content, or that there is none. */
const read = (directory: string) =>
  Effect.gen(function* () {
    const calls = yield* SettlementStore.Service
    const outputs = yield* OutputStore.Service
    const records = new Map<string, SettlementStore.CallRecord | "refused" | "absent">()
    for (const id of ids) {
      const found = yield* Effect.result(calls.find(identityOf(id)))
      if (Result.isFailure(found)) records.set(id, "refused")
      else
        records.set(
          id,
          Option.getOrElse(found.success, () => "absent" as const)
        )
    }
    const contents = new Map<string, string>()
    for (const { id, managed } of toldIn(directory)) {
      const [ref] = managed
      if (ref === undefined) continue
      const content = yield* Effect.result(readAll(outputs, ManagedOutput.Ref.make(ref)))
      contents.set(id, Result.isSuccess(content) ? content.success : "refused")
    }
    return { records, contents }
  }).pipe(Effect.provide(Layer.fresh(layer(directory))), Effect.provide(Logger.layer([])))

const readAll = (store: OutputStore.Interface, ref: ManagedOutput.Ref) =>
  Effect.scoped(
    Effect.flatMap(store.open(sessionID, ref, OutputStore.bytes(0, 2 ** 40)), ({ content }) =>
      Stream.mkString(Stream.decodeText(content))
    )
  )

/** A store after many calls: closed, or as a kill left it, with its log. */
const makeStore = Effect.fnUntraced(function* (isKilled: boolean) {
  const directory = prepare(yield* temporary)
  if (!isKilled) yield* runHost(directory, orders)
  else {
    const host = yield* launchHost(directory, { ...orders, stays: true })
    yield* host.lines(2)
    yield* host.kill
    yield* host.ended
  }
  return directory
})

/**
 * Damages copies of one file of a store, each in another place. A try is a hit if the damage was noticed: something is
 * refused or gone. Whatever is read is what was written.
 */
const damaged = (
  isKilled: boolean,
  fileIn: (directory: string, random: Random) => string,
  tries: number,
  damage: Damage
) =>
  Effect.gen(function* () {
    const random = seeded(chosenSeed())
    const whole = yield* makeStore(isKilled)
    const above = yield* temporary
    const copyOf = (name: string) => {
      const copy = join(above, name)
      execFileSync("cp", ["-a", whole, copy])
      return copy
    }
    const before = yield* read(copyOf("whole"))
    assert.isTrue(ids.every((id) => isEnded(before.records.get(id))))
    let [hits, corrupt] = [0, 0]
    for (let round = 0; round < tries; round++) {
      const copy = copyOf(`${round}`)
      const file = fileIn(copy, random)
      Fs.writeFileSync(file, damage(Fs.readFileSync(file), random))
      const after = yield* Effect.exit(read(copy))
      if (Exit.isFailure(after)) hits++
      else {
        const { contents, records } = after.value
        const untrue = [...records].filter(([id, record]) => !isTrue(before.records.get(id), record))
        const changed = [...contents].filter(([id, content]) => content !== "refused" && content !== printed(id))
        corrupt += untrue.length + changed.length
        if (![...records.values()].every(isEnded) || [...contents.values()].includes("refused")) hits++
      }
      Fs.rmSync(copy, { recursive: true })
    }
    return { tries, hits, corrupt }
  })

type Answer = SettlementStore.CallRecord | "refused" | "absent" | undefined

const isEnded = (answer: Answer): boolean => typeof answer === "object" && answer._tag === "Ended"

/** Nothing, or what was written, or what stood there before that: of a log the end may be missing. */
const isTrue = (before: Answer, after: Answer): boolean => {
  if (typeof before !== "object" || typeof after !== "object") return true
  if (after._tag === "Ended") return JSON.stringify(after) === JSON.stringify(before)
  return JSON.stringify(beginning(after)) === JSON.stringify(beginning(before))
}

/** Whether an effect was possible yet comes to it later. */
const beginning = ({ begun }: SettlementStore.CallRecord) => ({ ...begun, effectPossible: true })

const noticed = "damage that makes a difference to what can be read"

const keeps = ["V2", "V11", "V12", "V13"] as const

const databaseIn = (directory: string): string => files(directory).database
const logIn = (directory: string): string => `${files(directory).database}-wal`
const outputIn = (directory: string, random: Random): string => {
  const { outputs } = files(directory)
  return join(outputs, random.pick(Fs.readdirSync(outputs).filter((name) => /^[0-9a-f]{64}$/.test(name))))
}

describe("a store refuses what is damaged, and gives nothing that was not written, when", () => {
  scenario(
    "its database is cut off",
    { fault: "40 lengths of the database file", keeps, window: noticed, atLeast: { tries: 40, hits: 30 } },
    damaged(false, databaseIn, 40, cutOff)
  )

  scenario(
    "a page of its database is half written",
    { fault: "40 pages with empty sectors", keeps, window: noticed, atLeast: { tries: 40, hits: 20 } },
    damaged(false, databaseIn, 40, torn)
  )

  scenario(
    "its log is cut off",
    { fault: "40 lengths of the log, after kill -9", keeps, window: noticed, atLeast: { tries: 40, hits: 30 } },
    damaged(true, logIn, 40, cutOff)
  )

  scenario(
    "a bit of its log is another",
    { fault: "40 flipped bits in the log, after kill -9", keeps, window: noticed, atLeast: { tries: 40, hits: 10 } },
    damaged(true, logIn, 40, flipped)
  )

  scenario(
    "an output is cut off",
    { fault: "40 lengths of files with outputs", keeps, window: noticed, atLeast: { tries: 40, hits: 40 } },
    damaged(false, outputIn, 40, cutOff)
  )

  scenario(
    "a bit of an output is another",
    { fault: "40 flipped bits in files with outputs", keeps, window: noticed, atLeast: { tries: 40, hits: 40 } },
    damaged(false, outputIn, 40, flipped)
  )
})
