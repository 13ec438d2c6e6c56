/**
 * Two hosts at a time on one store, under everything that can break, at random moments, for as long as one wants. All
 * choices follow from a seed, so that a run can be repeated; when exactly they take effect is up to the machine.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { join } from "node:path"
import type { Orders } from "../fixtures/host.ts"
import { type Aftermath, inspect } from "./aftermath.ts"
import { kinds, prepare } from "./host.ts"
import { type Around, descriptorsOf, injecting, launch, type Launched, limit, withClock } from "./launch.ts"
import * as Processes from "./processes.ts"
import { type Random, seeded } from "./random.ts"
import { temporary } from "./watched.ts"

/** What a soak came to. */
export interface Soaked {
  readonly seed: number
  /** How often each fault was tried. */
  readonly faults: Readonly<Record<string, number>>
  readonly hosts: number
  readonly calls: number
  /** Calls that a host left unended, and the next one ended. */
  readonly recovered: number
  /** Of them, those that had had their effect. */
  readonly unrecorded: number
  readonly lost: ReadonlyArray<string>
  readonly double: ReadonlyArray<string>
  readonly corrupt: ReadonlyArray<string>
  readonly leaked: ReadonlyArray<string>
}

/** A store is looked at, and another one begun, after so long: looking takes longer the more there is. */
const epochMillis = 12_000

/** Hosts on one store at a time. */
const slots = 2

/** More calls than any host lives to make. */
const endless = 1_000_000

/** Between two strikes at one host, at most. */
const calmMillis = 700

/** What a strike takes back, it takes back after at most this. */
const strikeMillis = 300

export const soak = Effect.fnUntraced(function* (millis: number, seed: number) {
  const random = seeded(seed)
  const faults: Record<string, number> = {}
  const note: Note = (fault) => {
    faults[fault] = (faults[fault] ?? 0) + 1
  }
  const end = performance.now() + millis
  const epochs: Array<Aftermath & { readonly hosts: number }> = []
  while (performance.now() < end) {
    epochs.push(yield* Effect.scoped(epoch(random, Math.min(end, performance.now() + epochMillis), note)))
  }
  const all = <A>(of: (epoch: Aftermath) => ReadonlyArray<A>) => epochs.flatMap(of)
  const soaked: Soaked = {
    seed,
    faults,
    hosts: epochs.reduce((sum, { hosts }) => sum + hosts, 0),
    calls: epochs.reduce((sum, { calls }) => sum + calls, 0),
    recovered: epochs.reduce((sum, { recovered }) => sum + recovered, 0),
    unrecorded: epochs.reduce((sum, { unrecorded }) => sum + unrecorded, 0),
    lost: all(({ lost }) => lost),
    double: all(({ double }) => double),
    corrupt: all(({ corrupt }) => corrupt),
    leaked: all(({ leaked }) => leaked)
  }
  return soaked
})

type Note = (fault: string) => void

/** One store from the first host to the last look. */
const epoch = Effect.fnUntraced(function* (random: Random, end: number, note: Note) {
  const directory = prepare(yield* temporary)
  const seeds = Array.from({ length: slots }, () => random.below(2 ** 31))
  const hosts = yield* Effect.forEach(
    seeds,
    (seed, slot) => keepBusy({ directory, random: seeded(seed), note, end, name: `${slot}` }),
    { concurrency: "unbounded" }
  )
  return { ...(yield* inspect(directory)), hosts: hosts.reduce((sum, count) => sum + count, 0) }
})

interface Slot {
  readonly directory: string
  readonly random: Random
  readonly note: Note
  readonly end: number
  readonly name: string
}

/** One host after the other. */
const keepBusy = Effect.fnUntraced(function* (slot: Slot) {
  let hosts = 0
  while (performance.now() < slot.end) yield* Effect.scoped(oneHost(slot, hosts++))
  return hosts
})

const oneHost = Effect.fnUntraced(function* (slot: Slot, number: number) {
  const { directory, end, note, random } = slot
  const orders: Orders = {
    prefix: `${slot.name}-${number}`,
    count: endless,
    concurrency: 1 + random.below(8),
    kinds: kinds.filter((kind) => kind !== "hoard"),
    seed: random.below(2 ** 31),
    ...(random.number() < 0.3 ? { patienceMillis: 60 } : {})
  }
  const [name, ail] = random.pick(ailments)
  note(name)
  if (orders.patienceMillis !== undefined) note("impatient callers")
  const host = yield* ail(directory, orders, random)
  yield* host.lines(1)
  while (!host.isOver() && performance.now() < end) {
    yield* Effect.raceFirst(host.ended, Effect.sleep(random.below(calmMillis)))
    const [name, strike] = random.pick(strikes)
    if (host.isOver()) break
    note(name)
    // A process may be gone when it is struck.
    yield* Effect.ignoreCause(strike(workerOf(host), random))
  }
  for (const pid of Processes.descendantsOf(host.child.pid ?? 0)) kill(pid, "SIGKILL")
  yield* host.kill
  yield* host.ended
})

/** Whoever traces a host is its parent. */
const workerOf = ({ child }: Launched): number => {
  const pid = child.pid ?? 0
  return child.spawnfile === "strace" ? (Processes.descendantsOf(pid)[0] ?? pid) : pid
}

const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It was faster.
  }
}

type Ail = (directory: string, orders: Orders, random: Random) => ReturnType<typeof launch>

const startHost = (directory: string, orders: Orders, around?: Around) =>
  launch("host", [directory, JSON.stringify(orders)], around)

/** What a host has that nothing ails from the start. */
export const unharmed = "in good health"

/** What a host has from the start. */
const ailments: ReadonlyArray<readonly [string, Ail]> = [
  [unharmed, (directory, orders) => startHost(directory, orders)],
  [unharmed, (directory, orders) => startHost(directory, orders)],
  [
    "EIO at an fsync",
    (directory, orders, random) =>
      startHost(directory, orders, injecting("fsync", `error=EIO:when=${5 + random.below(100)}`))
  ],
  [
    "ENOSPC at some writes",
    (directory, orders, random) => {
      const first = 20 + random.below(400)
      const last = first + random.below(40)
      return startHost(directory, orders, injecting("pwrite64", `error=ENOSPC:when=${first}..${last}`))
    }
  ],
  [
    "slow disk",
    (directory, orders, random) =>
      startHost(directory, orders, injecting("fsync", `delay_enter=${1000 * random.below(60)}`))
  ],
  [
    "wrong clock",
    (directory, orders, random) => {
      const file = join(directory, `clock-${orders.prefix}`)
      Fs.writeFileSync(file, `${random.pick(["-", "+"])}${random.below(400)}d`)
      return startHost(directory, orders, withClock(file))
    }
  ],
  [
    "the database's thread dies",
    (directory, orders, random) =>
      launch("workerDeath", [directory, JSON.stringify(orders), `${20 + random.below(2_000)}`])
  ]
]

type Strike = (pid: number, random: Random) => Effect.Effect<void>

/** What happens to a host that runs. */
const strikes: ReadonlyArray<readonly [string, Strike]> = [
  ["kill -9", (pid) => Effect.sync(() => kill(pid, "SIGKILL"))],
  ["kill -9", (pid) => Effect.sync(() => kill(pid, "SIGKILL"))],
  [
    "SIGSTOP for a while",
    (pid, random) =>
      Effect.sync(() => kill(pid, "SIGSTOP")).pipe(
        Effect.andThen(Effect.sleep(random.below(strikeMillis))),
        Effect.ensuring(Effect.sync(() => kill(pid, "SIGCONT")))
      )
  ],
  [
    "EMFILE for a while",
    (pid, random) =>
      Effect.suspend(() => limit(pid, "nofile", descriptorsOf(pid), manyDescriptors)).pipe(
        Effect.andThen(Effect.sleep(random.below(strikeMillis))),
        Effect.andThen(limit(pid, "nofile", manyDescriptors, manyDescriptors))
      )
  ],
  [
    "files that may not grow for a while",
    (pid, random) =>
      limit(pid, "fsize", smallFile, "unlimited").pipe(
        Effect.andThen(Effect.sleep(random.below(strikeMillis))),
        Effect.andThen(limit(pid, "fsize", "unlimited", "unlimited"))
      )
  ]
]

const manyDescriptors = 1024

/** Less than the database and its log have after a moment, and more than an output. */
const smallFile = 100_000

/** One sentence and what is wrong. */
export const told = (soaked: Soaked): string => {
  const faults = Object.entries(soaked.faults)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([fault, count]) => `  ${fault}: ${count}`)
  const wrong = [...soaked.lost, ...soaked.double, ...soaked.corrupt, ...soaked.leaked]
  return [
    `${soaked.hosts} hosts, ${soaked.calls} calls, ${soaked.recovered} recovered, of them ${soaked.unrecorded} after their effect`,
    ...faults,
    `${soaked.lost.length} lost, ${soaked.double.length} double, ${soaked.corrupt.length} corrupt, ${soaked.leaked.length} leaked`,
    ...wrong
  ].join("\n")
}
