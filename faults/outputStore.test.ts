import { assert, describe } from "@effect/vitest"
import { OutputStore } from "@haft/core"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { fixture, launch } from "./support/launch.ts"
import { chosenSeed } from "./support/random.ts"
import { files, isWhole, keptIn, layer, retainAll, session } from "./support/retaining.ts"
import { type Fault, scenario, type Seen, sum, temporary } from "./support/scenario.ts"
import { countOf, failAt, killAt, type Program, trace } from "./support/strace.ts"

/** One process on each core of a small machine. */
const processes = 2

/** One write, or twenty-three. */
const [small, large] = [1000, 24_000_000]

/** As short as a small one, and another content. */
const other = 1001

/** Writes of the first large output, from the first to the last but a few. */
const ofFirstOutput = Array.from({ length: 10 }, (_, index) => 1 + 2 * index)

/** Flushes of a file and then of its directory, for the first two small outputs. */
const ofTwoFiles = [1, 2, 3, 4]

/** Of opening the store and keeping two outputs; what comes then does the same again. */
const ofTwoOutputs = 80

/** A run in a new store, or in one that was used before. */
type Age = "new" | "old"

const programIn = Effect.fnUntraced(function* (root: string, name: string, age: Age, length: number) {
  const directory = join(root, name)
  Fs.mkdirSync(directory, { mode: 0o700 })
  if (age === "old") yield* Effect.provide(retainAll(directory, small), layer(directory))
  const program: Program = {
    args: [fixture("retainer"), directory, `${length}`],
    directory,
    fileThreads: 1
  }
  return program
})

const filesIn = (directory: string) => {
  const names = Fs.readdirSync(files(directory).outputs)
  return {
    contents: names.filter((name) => /^[0-9a-f]{64}$/.test(name)),
    temporaries: names.filter((name) => name.endsWith(".tmp"))
  }
}

const isNamedByContent = (directory: string, name: string): boolean =>
  createHash("sha256")
    .update(Fs.readFileSync(join(files(directory).outputs, name)))
    .digest("hex") === name

/** What was acknowledged and is not whole, and what is called a content and is not complete. */
const lossesIn = Effect.fnUntraced(function* (directory: string) {
  const store = yield* OutputStore.Service
  const whole = yield* Effect.forEach(keptIn(directory), (kept) =>
    Effect.orElseSucceed(isWhole(store, session, kept), () => false)
  )
  const losses: Seen = {
    tries: 0,
    lost: whole.filter((isWhole) => !isWhole).length,
    corrupt: filesIn(directory).contents.filter((name) => !isNamedByContent(directory, name)).length
  }
  return losses
})

/** Opens what a struck process left, looks at it, sweeps it, and runs the same again. */
const recover = Effect.fnUntraced(function* (directory: string, length: number) {
  const exists = Fs.existsSync(files(directory).outputs)
  const left = exists ? filesIn(directory) : { contents: [], temporaries: [] }
  return yield* Effect.provide(
    Effect.gen(function* () {
      const store = yield* OutputStore.Service
      const before = yield* lossesIn(directory)
      yield* store.sweep
      const leaked = filesIn(directory).temporaries.length
      const swept = left.contents.length - filesIn(directory).contents.length
      const after = yield* lossesIn(directory)
      yield* retainAll(directory, length)
      assert.isAtLeast(keptIn(directory).length, 3)
      const seen = sum([before, { tries: 0, leaked }, after, yield* lossesIn(directory)])
      return { seen, partial: left.temporaries.length > 0, unreferenced: swept > 0 }
    }),
    layer(directory)
  )
})

/** A run, and which of its calls are struck. */
interface Run {
  readonly age: Age
  readonly length: number
  readonly first?: number
  readonly last?: number
}

/** Does something to a process at each of its calls of one kind, and counts what that left. */
const sweep = Effect.fnUntraced(function* (
  call: string,
  { age, first = 1, last = Number.POSITIVE_INFINITY, length }: Run,
  strike: (program: Program, nth: number) => Effect.Effect<boolean>
) {
  const root = yield* temporary
  // The first run also fills the cache of compiled modules, with calls of its own.
  yield* trace(yield* programIn(root, "first", age, length), [call])
  const all = countOf(yield* trace(yield* programIn(root, "whole", age, length), [call]), call)
  const count = Math.min(all, last) - first + 1
  assert.isAbove(count, 0)
  const outcomes = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => first + index),
    Effect.fnUntraced(function* (nth) {
      const program = yield* programIn(root, `${call}-${nth}`, age, length)
      const struck = yield* strike(program, nth)
      return { struck, ...(yield* recover(program.directory, length)) }
    }),
    { concurrency: processes }
  )
  return {
    share: outcomes.filter(({ struck }) => struck).length / count,
    seen: { ...sum(outcomes.map(({ seen }) => seen)), tries: count },
    partial: outcomes.filter(({ partial }) => partial).length,
    unreferenced: outcomes.filter(({ unreferenced }) => unreferenced).length
  }
})

const killed = (call: string, run: Run) => sweep(call, run, (program, nth) => killAt(program, call, nth))

/** Kills a process right before it writes or flushes a file of an output for the nth time, whatever its database does. */
const killedInFiles = Effect.fnUntraced(function* (
  step: "write" | "sync",
  length: number,
  points: ReadonlyArray<number>
) {
  const root = yield* temporary
  const outcomes = yield* Effect.forEach(
    points,
    Effect.fnUntraced(function* (nth) {
      const { directory } = yield* programIn(root, `${step}-${nth}`, "old", length)
      const struck = yield* launch("retainerDeath", [directory, `${length}`, step, `${nth}`])
      assert.strictEqual(yield* struck.ended, "SIGKILL", `it comes to ${step} ${nth}`)
      return yield* recover(directory, length)
    }, Effect.scoped),
    { concurrency: processes }
  )
  const hits = outcomes.filter(({ partial, unreferenced }) => partial || unreferenced).length
  return { ...sum(outcomes.map(({ seen }) => seen)), tries: points.length, hits }
})

/** Two threads write, so the last points may lie beyond the end of a run. */
const mostPoints = 0.8

const keeps: Fault["keeps"] = ["V2", "V8", "V11", "V12", "V13"]

const unnamed = "an output is partly written, or has no name or no row yet"

describe("an output store whose process is killed", () => {
  scenario(
    "at any write of the database keeps what it acknowledged, also between a file and the rows that tell of it",
    {
      fault: "kill -9 at each pwrite64 of two outputs",
      keeps,
      window: "a file has its name and no row tells of it",
      atLeast: { tries: 40, hits: 1 }
    },
    Effect.gen(function* () {
      const { seen, share, unreferenced } = yield* killed("pwrite64", { age: "old", length: small, last: ofTwoOutputs })
      assert.isAtLeast(share, mostPoints)
      return { ...seen, hits: unreferenced }
    })
  )

  scenario(
    "at any write of an output keeps what it acknowledged, and sweeps what is not complete",
    {
      fault: "kill -9 at ten writes of 24 MB",
      keeps,
      window: unnamed,
      atLeast: { tries: ofFirstOutput.length, hits: ofFirstOutput.length }
    },
    killedInFiles("write", large, ofFirstOutput)
  )

  scenario(
    "at any sync keeps what it acknowledged",
    {
      fault: "kill -9 at each fsync, new store and old, and at those of the files of two outputs",
      keeps,
      window: unnamed,
      atLeast: { tries: 20, hits: ofTwoFiles.length }
    },
    Effect.gen(function* () {
      const first = yield* killed("fsync", { age: "new", length: small })
      const later = yield* killed("fsync", { age: "old", length: small })
      assert.isAtLeast(first.share, mostPoints)
      assert.isAtLeast(later.share, mostPoints)
      return sum([first.seen, later.seen, yield* killedInFiles("sync", other, ofTwoFiles)])
    })
  )

  scenario(
    "at any renaming, shortening or removal keeps what it acknowledged",
    { fault: "kill -9 at each rename, ftruncate and unlink", keeps, window: unnamed, atLeast: { tries: 5, hits: 3 } },
    Effect.gen(function* () {
      const renamed = yield* killed("rename", { age: "new", length: small })
      assert.strictEqual(renamed.share, 1)
      const removed = yield* killed("unlink", { age: "old", length: small })
      const shortened = yield* killed("ftruncate", { age: "old", length: small })
      return { ...sum([renamed.seen, shortened.seen, removed.seen]), hits: renamed.partial }
    })
  )
})

describe("an output store whose disk fails", () => {
  scenario(
    "at any sync fails that output, and loses none that it acknowledged",
    { fault: "EIO at each fsync, once", keeps: ["V2", "V8", "V11", "V12"], atLeast: { tries: 10 } },
    Effect.gen(function* () {
      const fail = (program: Program, nth: number) => failAt(program, "fsync", "EIO", `${nth}`)
      const { seen, share } = yield* sweep("fsync", { age: "old", length: small }, fail)
      assert.isAtLeast(share, 0.5, "the process ends only if its store cannot be opened")
      return seen
    })
  )
})

/** What a traced line means: a write, a sync or a renaming, in capitals if it is the database's; `k` tells of an output. */
const eventOf = (
  line: string,
  { fileThread, kept }: { readonly fileThread: string; readonly kept: string }
): string => {
  const isOfFiles = line.startsWith(fileThread)
  if (line.includes(`"${kept}"`)) return "k"
  if (/^\d+ +rename\(/.test(line)) return "r"
  if (/^\d+ +pwrite64\(/.test(line)) return isOfFiles ? "w" : "W"
  if (!/fsync.* = 0$/.test(line)) return ""
  return isOfFiles ? "s" : "S"
}

describe("an output store whose machine may lose power", () => {
  scenario(
    "has synced the file before it has a name, and the name and the rows before it tells of an output",
    { fault: "power loss: order of writes, syncs and names in a trace", keeps: ["V2", "V11"], atLeast: { tries: 3 } },
    Effect.gen(function* () {
      const program = yield* programIn(yield* temporary, "traced", "old", small)
      const before = keptIn(program.directory).length
      const lines = yield* trace(program, ["pwrite64", "fsync", "rename", "openat"])
      const fileThread = /^\d+ /.exec(lines.find((line) => line.includes(" rename(")) ?? "")?.[0] ?? ""
      const { kept } = files(program.directory)
      const events = lines.map((line) => eventOf(line, { fileThread, kept })).join("")
      const outputs = events.split("k").slice(0, -1)
      assert.strictEqual(outputs.length, keptIn(program.directory).length - before)
      const isInOrder = (output: string) => /w+s[WS]*r(?=.*s)(?=.*W[^W]*S[^W]*$)[sWS]+$/.test(output)
      return { tries: outputs.length, lost: outputs.filter((output) => !isInOrder(output)).length }
    })
  )
})

const Starved = Schema.fromJsonString(
  Schema.Struct({
    earlier: Schema.Int,
    kept: Schema.Int,
    whole: Schema.Int,
    outcome: Schema.String,
    again: Schema.String,
    afterwards: Schema.String,
    partial: Schema.Int
  })
)

/** Runs the fixture where `mount` has prepared a place for it that nobody else sees. */
const starved = Effect.fnUntraced(function* (directory: string, outputs: string, mount: string) {
  const script = `set -e; ${mount}; exec "$0" "$@"`
  const args = ["-rm", "sh", "-c", script, process.execPath, fixture("starved"), directory, outputs]
  const { stdout } = yield* Effect.promise(() => promisify(execFile)("unshare", args))
  return Schema.decodeSync(Starved)(stdout)
})

/** What was kept and could not be read, and what is left half written. */
const starvedTries = ({ kept, partial, whole }: typeof Starved.Type): Seen => ({
  tries: kept + 3,
  lost: kept - whole,
  leaked: partial
})

describe("an output store whose disk is full", () => {
  scenario(
    "refuses, leaves nothing half written, keeps the rest, and goes on when there is space",
    { fault: "ENOSPC: files on a tmpfs of 4 MiB", keeps: ["V2", "V8", "V11", "V12"], atLeast: { tries: 7 } },
    Effect.gen(function* () {
      const root = yield* temporary
      const place = join(root, "place")
      Fs.mkdirSync(place, { mode: 0o700 })
      const seen = yield* starved(root, join(place, "outputs"), `mount -t tmpfs -o size=4m,mode=700 tmpfs ${place}`)
      assert.deepStrictEqual(seen, {
        earlier: 0,
        kept: 4,
        whole: 4,
        outcome: "failed",
        again: "failed",
        afterwards: "kept",
        partial: 0
      })
      return starvedTries(seen)
    })
  )

  scenario(
    "does the same if the database is on it too",
    { fault: "ENOSPC: all on a tmpfs of 4 MiB", keeps: ["V2", "V8", "V11", "V12"], atLeast: { tries: 5 } },
    Effect.gen(function* () {
      const root = yield* temporary
      const seen = yield* starved(root, files(root).outputs, `mount -t tmpfs -o size=4m,mode=700 tmpfs ${root}`)
      assert.isAtLeast(seen.kept, 2)
      assert.deepStrictEqual(seen, { ...seen, whole: seen.kept, outcome: "failed", again: "failed", partial: 0 })
      assert.strictEqual(seen.afterwards, "kept")
      return starvedTries(seen)
    })
  )
})

describe("an output store whose directory cannot be written", () => {
  scenario(
    "refuses outputs, and still reads those that it has",
    { fault: "EROFS: read-only bind mount", keeps: ["V2", "V8", "V11"], atLeast: { tries: 3 } },
    Effect.gen(function* () {
      const root = yield* temporary
      yield* Effect.provide(retainAll(root, small), layer(root))
      const { outputs } = files(root)
      const readOnly = `mount --bind ${outputs} ${outputs} && mount -o remount,ro,bind ${outputs}`
      const seen = yield* starved(root, outputs, readOnly)
      assert.deepStrictEqual(seen, {
        earlier: 3,
        kept: 0,
        whole: 0,
        outcome: "failed",
        again: "failed",
        afterwards: "failed",
        partial: 0
      })
      return starvedTries(seen)
    })
  )
})

const Shuffled = Schema.fromJsonString(
  Schema.Struct({ kept: Schema.Int, refused: Schema.Int, swept: Schema.Int, read: Schema.Int, lost: Schema.Int })
)

/** Long enough for thousands of meetings. */
const shuffleMillis = 30_000
const shuffleBytes = 1_000_000

const shuffled = (directory: string, name: string, seed: number) =>
  Effect.promise(async () => {
    const args = [fixture("shuffler"), directory, name, `${shuffleMillis}`, `${shuffleBytes}`, `${seed}`]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return Schema.decodeSync(Shuffled)(stdout)
  })

/** The most that the files of a directory took together, looked at again and again. */
const watchSize = (directory: string) => {
  let most = 0
  const timer = setInterval(() => {
    const sizes = Fs.existsSync(directory)
      ? Fs.readdirSync(directory).map(
          (name) => Fs.statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0
        )
      : []
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0)
    )
  }, 5)
  return () => {
    clearInterval(timer)
    return most
  }
}

describe("two processes that keep and sweep outputs in one directory", () => {
  scenario(
    "for half a minute lose none that is live, and never take more than their limit",
    {
      fault: "two processes write, read, release and sweep for 30 s",
      keeps: ["V2", "V8", "V13"],
      window: "a process that swept something",
      atLeast: { tries: 200, hits: 2 }
    },
    Effect.gen(function* () {
      const root = yield* temporary
      const size = watchSize(files(root).outputs)
      const seed = chosenSeed()
      const seen = yield* Effect.forEach(["one", "two"], (name, index) => shuffled(root, name, seed + index), {
        concurrency: 2
      })
      for (const { kept, read } of seen) {
        assert.isAtLeast(kept, 100)
        assert.isAtLeast(read, kept)
      }
      assert.isAtMost(size(), shuffleBytes + 1000)
      return sum(seen.map(({ kept, lost, swept }) => ({ tries: kept, hits: swept > 0 ? 1 : 0, lost })))
    })
  )
})
