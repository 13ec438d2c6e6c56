/** Runs a program under `strace`, to see its system calls and to kill it at one of them. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { join } from "node:path"

/** A program for this Node, and a directory for what it leaves. */
export interface Program {
  readonly args: ReadonlyArray<string>
  readonly directory: string
  /** Threads for file operations. With one, all of them count as calls of the same thread. */
  readonly fileThreads?: number
}

/** A call that fails, how, and which times: `3` is the third time, `3+` also every later one. */
export interface Fault {
  readonly call: string
  readonly error: string
  readonly when: string
}

/** The system calls of a run to its end, in order, each line with the thread that made it. */
export const trace = Effect.fnUntraced(function* (program: Program, calls: ReadonlyArray<string>, fault?: Fault) {
  const path = join(program.directory, "trace")
  const injection = fault === undefined ? [] : ["-e", `inject=${fault.call}:error=${fault.error}:when=${fault.when}`]
  const ending = yield* strace(["-o", path, "-e", `trace=${calls.join()}`, ...injection], program)
  if (ending !== "exit 0") return yield* unexpected(ending)
  return Fs.readFileSync(path, "utf8").trim().split("\n")
})

/** Kills the program when one of its threads makes `call` for the nth time. Tells whether it came that far. */
export const killAt = Effect.fnUntraced(function* (program: Program, call: string, nth: number) {
  const ending = yield* inject(program, call, `signal=SIGKILL:when=${nth}`)
  if (ending !== "exit 0" && ending !== "SIGKILL") return yield* unexpected(ending)
  return ending === "SIGKILL"
})

/** Lets `call` fail with `error` where `when` says, and the program go on. Tells whether it ended as if all was well. */
export const failAt = Effect.fnUntraced(function* (program: Program, call: string, error: string, when: string) {
  const ending = yield* inject(program, call, `error=${error}:when=${when}`)
  if (ending !== "exit 0" && ending !== "exit 1") return yield* unexpected(ending)
  return ending === "exit 0"
})

const inject = (program: Program, call: string, fault: string) =>
  strace(["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:${fault}`], program)

const unexpected = (ending: string) => Effect.die(new Error(`the program ended with ${ending}`))

/** How often the busiest thread made a call. */
export const countOf = (lines: ReadonlyArray<string>, call: string): number => {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const thread = threadOf(line, call)
    if (thread !== undefined) counts.set(thread, (counts.get(thread) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

/** Which of its calls of this kind a thread makes first after a line that matches, counted from one. */
export const nthAfter = (lines: ReadonlyArray<string>, call: string, isLine: (line: string) => boolean): number => {
  const start = lines.findIndex(isLine)
  const made = lines.findIndex((line, index) => index > start && threadOf(line, call) !== undefined)
  const thread = threadOf(lines[made] ?? "", call)
  return lines.slice(0, made + 1).filter((line) => threadOf(line, call) === thread).length
}

const threadOf = (line: string, call: string): string | undefined => new RegExp(`^(\\d+) +${call}\\(`).exec(line)?.[1]

/** The filter lets all other calls pass without a stop, which halves what a run takes. With it no signal is injected. */
const filterFor = (options: ReadonlyArray<string>): ReadonlyArray<string> =>
  options.some((option) => option.includes(":signal=")) ? [] : ["--seccomp-bpf"]

/** A missing `strace` is a failure: without it nothing here is tested. */
const strace = (options: ReadonlyArray<string>, { args, fileThreads = 4 }: Program): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const child = spawn("strace", ["-f", "-qq", ...filterFor(options), ...options, process.execPath, ...args], {
      env: { ...process.env, UV_THREADPOOL_SIZE: `${fileThreads}` },
      stdio: ["ignore", "ignore", "inherit"]
    })
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("exit", (code, signal) => resume(Effect.succeed(signal ?? `exit ${code}`)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
