import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const fixture = fileURLToPath(new URL("fixtures/commander.ts", import.meta.url))

/** How much the process that runs a command may grow, whatever the command prints. */
const maxGrownBytes = 64 * 1024 * 1024

/** A process that does not end by itself must not outlive the test, nor does its command outlive it. */
const cutOff = 200_000

/** How long after its limit a command may last: three seconds to put things in order, and two for a busy machine. */
const latestSeconds = 5

/** Of one stream, as it is by default. */
const keptBytes = 8 * 1024 * 1024

interface Fault {
  readonly input: { readonly command: string; readonly timeout?: number }
  readonly user?: string
  readonly limits?: Readonly<Record<string, number>>
  readonly stopAfter?: number
}

const run = async (mode: string, { input, limits = {}, stopAfter, user }: Fault) => {
  const marker = `${700 + (process.pid % 100)}.${process.pid}${Date.now()}`
  const command = input.command.replaceAll("MARKER", marker)
  const given = [JSON.stringify(limits), JSON.stringify({ ...input, command }), String(stopAfter ?? "")]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", fixture, mode, user ?? "this user", ...given],
    { maxBuffer: keptBytes, timeout: cutOff, killSignal: "SIGKILL" }
  )
  const ended = JSON.parse(stdout)
  assert.isBelow(ended.grownBytes, maxGrownBytes)
  assert.deepStrictEqual(survivors(marker), [])
  return ended
}

/** A dead process that nobody reaped has no arguments. */
const survivors = (marker: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => argumentsOf(pid).includes(marker))

const argumentsOf = (pid: string): string => {
  try {
    return Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Hundreds of megabytes go through pipes, on a machine that may be busy. */
const longTime = 300_000

describe.each(["isolated", "not isolated"])("a command that is %s", { timeout: longTime }, (mode) => {
  it("and prints without end is ended when somebody stops it, and its output is kept within bounds", async () => {
    const ended = await run(mode, { input: { command: "yes MARKER" }, stopAfter: 3000 })
    assert.strictEqual(ended.killed_by, "user")
    assert.isBelow(ended.seconds, 3 + latestSeconds)
    assert.isAtMost(ended.keptCharacters, keptBytes + 100)
    assert.isAbove(ended.stdout_lost_bytes, 0)
  })

  it("and prints one line of 270 MB loses the middle of it, and says exactly how much", async () => {
    const bytes = 270_000_000
    const ended = await run(mode, { input: { command: `head -c ${bytes} /dev/zero | tr '\\0' x # MARKER` } })
    const gap = `\n[… ${bytes - keptBytes} bytes are lost here: the output is larger than what is kept …]\n`
    assert.deepInclude(ended, {
      exit_code: 0,
      stdout_lost_bytes: bytes - keptBytes,
      keptCharacters: keptBytes + gap.length
    })
  })

  it("and prints what is no text does not grow this process either", async () => {
    const ended = await run(mode, { input: { command: "head -c 100000000 /dev/urandom # MARKER" } })
    assert.strictEqual(ended.exit_code, 0)
    assert.isAbove(ended.stdout_lost_bytes, 0)
  })

  it("and hangs in silence is ended by its limit, with everything that ignores being asked or has left its session", async () => {
    const command =
      "setsid sleep MARKER & (trap '' TERM; sleep MARKER; sleep MARKER) & trap '' TERM; while :; do sleep MARKER; done"
    const ended = await run(mode, { input: { command, timeout: 1 } })
    assert.strictEqual(ended.failed, "TimedOut")
    assert.isBelow(ended.seconds, 1 + latestSeconds)
  })

  it.each(["ordinary", "this user"])("and multiplies is ended, as %s", async (user) => {
    const command = "echo MARKER; bomb() { bomb | bomb & }; bomb; sleep MARKER"
    const ended = await run(mode, { input: { command }, user, limits: { processes: 64 }, stopAfter: 5000 })
    assert.include(["process_limit", "user"], ended.killed_by)
    assert.isBelow(ended.seconds, 5 + latestSeconds)
  })
})
