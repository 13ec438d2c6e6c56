import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import type { Stormed } from "./fixtures/commandStorm.ts"
import { fixture, launch } from "./support/launch.ts"
import * as Processes from "./support/processes.ts"
import { chosenSeed } from "./support/random.ts"
import { scenario, temporary } from "./support/scenario.ts"

/** How much the process that runs a command may grow, whatever the command prints. */
const maxGrownBytes = 64 * 1024 * 1024

/** A process that does not end by itself must not outlive the test, nor does its command outlive it. */
const cutOff = 200_000

/** How long after its limit a command may last: three seconds to put things in order, and two for a busy machine. */
const latestSeconds = 5

/** For 270 MB through a pipe on a busy machine. */
const lineSeconds = 60

/** Of one stream, as it is by default. */
const keptBytes = 8 * 1024 * 1024

interface Fault {
  readonly input: { readonly command: string; readonly timeout?: number }
  readonly user?: string
  readonly limits?: Readonly<Record<string, number>>
  readonly stopAfter?: number
  /** Kills the sandbox, or whatever else the command runs in, as soon as the command runs. */
  readonly isStruck?: boolean
}

/** How a command ended, and how many of its processes are left. */
const run = (mode: string, { input, isStruck = false, limits = {}, stopAfter, user }: Fault) =>
  Effect.promise(async () => {
    const marker = `${700 + (process.pid % 100)}.${process.pid}${Date.now()}`
    const command = input.command.replaceAll("MARKER", marker)
    const given = [JSON.stringify(limits), JSON.stringify({ ...input, command }), String(stopAfter ?? "")]
    const running = promisify(execFile)(
      process.execPath,
      ["--expose-gc", fixture("commander"), mode, user ?? "this user", ...given],
      { maxBuffer: keptBytes, timeout: cutOff, killSignal: "SIGKILL" }
    )
    if (isStruck) void strike(running.child.pid ?? 0, marker)
    const { stdout } = await running
    const ended = JSON.parse(stdout)
    assert.isBelow(ended.grownBytes, maxGrownBytes)
    return { ended, leaked: Processes.withArgument(marker).length }
  })

/** Kills the first process below ours when a command with this argument runs below it. */
const strike = async (pid: number, marker: string): Promise<void> => {
  const marked = new Set(Processes.withArgument(`sleep\0${marker}`).map(Number))
  const below = Processes.descendantsOf(pid)
  const [first] = below
  if (first !== undefined && below.some((one) => marked.has(one))) {
    process.kill(first, "SIGKILL")
    return
  }
  await setTimeout(pollMillis)
  await strike(pid, marker)
}

const pollMillis = 20

/** Hundreds of megabytes go through pipes, on a machine that may be busy. */
const longTime = 300_000

const keeps = ["V2", "V6", "V7", "V8"] as const

describe.each(["isolated", "not isolated"])("a command that is %s", (mode) => {
  scenario(
    "and prints without end is ended when somebody stops it, and its output is kept within bounds",
    { fault: "flood: `yes`", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const { ended, leaked } = yield* run(mode, { input: { command: "yes MARKER" }, stopAfter: 3000 })
      assert.strictEqual(ended.killed_by, "user")
      assert.isBelow(ended.seconds, 3 + latestSeconds)
      assert.isAtMost(ended.keptCharacters, keptBytes + 100)
      assert.isAbove(ended.stdout_lost_bytes, 0)
      return { tries: 1, leaked }
    })
  )

  scenario(
    "and prints one line of 270 MB loses the middle of it, and says exactly how much",
    { fault: "flood: one line of 270 MB", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const bytes = 270_000_000
      const command = `head -c ${bytes} /dev/zero | tr '\\0' x # MARKER`
      const { ended, leaked } = yield* run(mode, { input: { command, timeout: lineSeconds } })
      assert.isBelow(ended.seconds, lineSeconds + latestSeconds)
      const gap = `\n[… ${bytes - keptBytes} bytes are lost here: the output is larger than what is kept …]\n`
      assert.deepInclude(ended, {
        exit_code: 0,
        stdout_lost_bytes: bytes - keptBytes,
        keptCharacters: keptBytes + gap.length
      })
      return { tries: 1, leaked }
    })
  )

  scenario(
    "and leaves a process behind returns at once with its output, and takes the process along",
    { fault: "leftover: `sleep & echo`", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const { ended, leaked } = yield* run(mode, { input: { command: "sleep MARKER & echo hi" } })
      assert.deepInclude(ended, { exit_code: 0, keptCharacters: "hi\n".length })
      assert.isBelow(ended.seconds, latestSeconds)
      return { tries: 1, leaked }
    })
  )

  scenario(
    "and prints what is no text does not grow this process either",
    { fault: "flood: 100 MB of noise", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const { ended, leaked } = yield* run(mode, { input: { command: "head -c 100000000 /dev/urandom # MARKER" } })
      assert.strictEqual(ended.exit_code, 0)
      assert.isAbove(ended.stdout_lost_bytes, 0)
      return { tries: 1, leaked }
    })
  )

  const hanging = {
    "ignores being asked": "trap '' TERM; while :; do sleep MARKER; done",
    "has left its session": "setsid sleep MARKER & (trap '' TERM; sleep MARKER; sleep MARKER) & wait; sleep MARKER",
    "has forked twice": "( ( setsid sleep MARKER & ) & ); sleep MARKER",
    "has stopped itself": "sleep MARKER & kill -STOP $$; sleep MARKER"
  }
  for (const [name, command] of Object.entries(hanging)) {
    scenario(
      `and hangs in silence is ended by its limit, with everything it started: it ${name}`,
      { fault: `hung child that ${name}`, keeps, atLeast: { tries: 1 }, timeout: longTime },
      Effect.gen(function* () {
        const { ended, leaked } = yield* run(mode, { input: { command, timeout: 1 } })
        assert.strictEqual(ended.failed, "TimedOut")
        assert.isBelow(ended.seconds, 1 + latestSeconds)
        return { tries: 1, leaked }
      })
    )
  }

  scenario(
    "and leaves a child behind that holds its output open comes back all the same, and the child is ended",
    { fault: "pipe held by a background child", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const { ended, leaked } = yield* run(mode, { input: { command: "sleep MARKER & echo done" } })
      assert.strictEqual(ended.exit_code, 0)
      return { tries: 1, leaked }
    })
  )

  for (const user of ["ordinary", "this user"]) {
    scenario(
      `and multiplies is ended, as ${user}`,
      { fault: "fork bomb, at most 64 processes", keeps, atLeast: { tries: 1 }, timeout: longTime },
      Effect.gen(function* () {
        const command = "echo MARKER; bomb() { bomb | bomb & }; bomb; sleep MARKER"
        const given = { input: { command }, user, limits: { processes: 64 }, stopAfter: 5000 }
        const { ended, leaked } = yield* run(mode, given)
        assert.include(["process_limit", "user"], ended.killed_by)
        assert.isBelow(ended.seconds, 5 + latestSeconds)
        return { tries: 1, leaked }
      })
    )
  }

  scenario(
    "and whose surroundings are killed comes back, and nothing of it is left",
    { fault: "SIGKILL of the sandbox, or of the shell, by its pid", keeps, atLeast: { tries: 1 }, timeout: longTime },
    Effect.gen(function* () {
      const { ended, leaked } = yield* run(mode, { input: { command: "sleep MARKER" }, isStruck: true })
      assert.notStrictEqual(ended.exit_code, 0)
      return { tries: 1, leaked }
    })
  )
})

const stormCommands = 80

describe.each(["isolated", "not isolated"])("a storm of commands that are %s", (mode) => {
  scenario(
    "and are given up at random moments leaves no process, no descriptor and no memory, and ends each in time",
    {
      fault: `${stormCommands} commands that hang, flood, ignore, hide or stop themselves, six at a time, four of five interrupted`,
      keeps: ["V6", "V7", "V8", "V10", "V13"],
      window: "an interruption that came before the end",
      atLeast: { tries: stormCommands, hits: stormCommands / 2 },
      timeout: longTime
    },
    Effect.gen(function* () {
      const marker = `${700 + (process.pid % 100)}.${process.pid}${Date.now()}`
      const storm = yield* launch("commandStorm", [mode, `${stormCommands}`, `${chosenSeed()}`, marker])
      assert.strictEqual(yield* storm.ended, "exit 0")
      const [line = "{}"] = yield* storm.lines(1)
      const told: Stormed = JSON.parse(line)
      assert.isBelow(told.slowestMillis, 1000 * latestSeconds)
      assert.isBelow(told.grownBytes, maxGrownBytes)
      assert.isAtLeast(told.ended, stormCommands / 5)
      const leaked = Processes.withArgument(marker).length + Math.max(0, told.openedDescriptors)
      return { tries: stormCommands, hits: told.interrupted, leaked }
    })
  )
})

describe("a command that is isolated", () => {
  scenario(
    "ends with the process that runs it, however that ends",
    {
      fault: "kill -9 of the host while its command runs",
      keeps: ["V7", "V8", "V13"],
      window: "the command runs when its host dies",
      atLeast: { tries: 1, hits: 1 },
      timeout: longTime
    },
    Effect.gen(function* () {
      const marker = `${700 + (process.pid % 100)}.${process.pid}${Date.now()}`
      const input = JSON.stringify({ command: `setsid sleep ${marker} & sleep ${marker}` })
      // Whoever is killed leaves its project behind, which goes with this directory.
      const env = { TMPDIR: yield* temporary }
      const host = yield* launch("commander", ["isolated", "this user", "{}", input, ""], { env })
      const running = Effect.sync(() => Processes.withArgument(`sleep\0${marker}`).length)
      const pause = Effect.sleep(pollMillis)
      yield* Effect.repeat(Effect.andThen(pause, running), { until: (count) => count >= 2 })
      yield* host.kill
      yield* host.ended
      const left = yield* Effect.repeat(Effect.andThen(pause, running), { until: (count) => count === 0, times: 250 })
      return { tries: 1, hits: 1, leaked: left }
    })
  )
})
