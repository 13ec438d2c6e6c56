/** Starts the programs that are struck. */
import { Effect } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Orders, Summary } from "../fixtures/host.ts"

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))

/** How to run a program: what stands before it, around it and in its environment. */
export interface Around {
  /** A program that starts ours, with its arguments. */
  readonly prefix?: ReadonlyArray<string>
  /** For Node itself. */
  readonly node?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What it complains about is expected. */
  readonly isSilent?: boolean
}

/** A program that runs, with what it printed. */
export interface Launched {
  readonly child: ChildProcess
  /** Waits until it has printed so many lines, or has ended. */
  readonly lines: (count: number) => Effect.Effect<ReadonlyArray<string>>
  /** Waits for its end: its code, or the signal that ended it. */
  readonly ended: Effect.Effect<string>
  readonly isOver: () => boolean
  readonly kill: Effect.Effect<void>
}

/** Ends with the Scope, if nothing ended it before. */
export const launch = Effect.fnUntraced(function* (
  name: string,
  args: ReadonlyArray<string>,
  { env = {}, isSilent = false, node = [], prefix = [] }: Around = {}
) {
  const [program = "", ...rest] = [...prefix, process.execPath, ...node, fixture(name), ...args]
  return yield* Effect.acquireRelease(
    Effect.sync(() =>
      launched(
        spawn(program, rest, {
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", isSilent ? "ignore" : "inherit", "pipe"]
        })
      )
    ),
    ({ ended, kill }) => Effect.andThen(kill, ended)
  )
})

const launched = (child: ChildProcess): Launched => {
  const printed: Array<string> = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      printed.push(line)
      wake()
    })
  }
  keepNotes(child)
  const exited = once(child, "close").then(([code, signal]) => String(signal ?? `exit ${code}`))
  void exited.then(wake)
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const lines = (count: number) =>
    Effect.callback<ReadonlyArray<string>>((resume) => {
      const check = () => {
        if (printed.length < count && !isOver()) return
        waiting.delete(check)
        resume(Effect.succeed([...printed]))
      }
      waiting.add(check)
      check()
    })
  return {
    child,
    lines,
    isOver,
    ended: Effect.promise(() => exited),
    kill: Effect.sync(() => void child.kill("SIGKILL"))
  }
}

/** Appends each note of a host to the file that it names. */
export const keepNotes = ({ stdio }: ChildProcess): void => {
  const notes = stdio[3]
  if (!(notes instanceof Readable)) return
  let cut = ""
  notes.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${cut}${text}`.split("\n")
    cut = lines.pop() ?? ""
    const byFile = Map.groupBy(lines, (line) => line.slice(0, line.indexOf("\t")))
    for (const [path, own] of byFile) {
      Fs.appendFileSync(path, own.map((line) => `${line.slice(path.length + 1)}\n`).join(""))
    }
  })
}

/** Starts a host. It prints a line when its stores are open, and another one when all calls have come back. */
export const launchHost = (directory: string, orders: Orders, around?: Around) =>
  launch("host", [directory, JSON.stringify(orders)], around)

/** Runs a host to its end. There is no summary if it did not come so far. */
export const runHost = Effect.fnUntraced(function* (directory: string, orders: Orders, around?: Around) {
  const host = yield* launchHost(directory, orders, around)
  const end = yield* host.ended
  const [, last] = yield* host.lines(2)
  const summary: Summary | undefined = last === undefined ? undefined : JSON.parse(last)
  return { end, summary }
}, Effect.scoped)

/** Makes a file system of its own for a directory, runs the program on it, and leaves what was there in the directory. */
export const mounted = (directory: string, options: string): ReadonlyArray<string> => {
  const aside = `${directory}.aside`
  const script = [
    `mount -t tmpfs -o ${options},mode=700 tmpfs '${directory}'`,
    `"$0" "$@"; ended=$?`,
    `cp -a '${directory}' '${aside}'`,
    `umount '${directory}'`,
    `cp -a '${aside}/.' '${directory}/'`,
    `rm -r '${aside}'`,
    `exit $ended`
  ]
  return ["unshare", "-m", "sh", "-c", script.join("\n")]
}

/** Where Debian and its relatives keep the library that fakes clocks. */
export const clockLibrary: string | undefined = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
  .flatMap((place) => Fs.globSync(`${place}/{,*/}faketime/libfaketimeMT.so.1`))
  .at(0)

/** A process whose wall clock is what the file says, each time it looks. What counts up since the start is left alone. */
export const withClock = (file: string): Around => ({
  env: {
    LD_PRELOAD: clockLibrary ?? "libfaketime is not installed",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1"
  }
})

/** A process some of whose system calls fail, or take their time, as `fault` says in the words of `strace`. */
export const injecting = (call: string, fault: string): Around => ({
  prefix: "strace -f -qq --seccomp-bpf -o /dev/null"
    .split(" ")
    .concat("-e", `trace=${call}`, "-e", `inject=${call}:${fault}`)
})

/** Lowers or raises a limit of a process that runs. */
export const limit = (
  pid: number,
  resource: "nofile" | "fsize",
  soft: number | "unlimited",
  hard: number | "unlimited"
) => Effect.promise(() => promisify(execFile)("prlimit", ["--pid", `${pid}`, `--${resource}=${soft}:${hard}`]))

/** How many descriptors a process has. */
export const descriptorsOf = (pid: number): number => Fs.readdirSync(`/proc/${pid}/fd`).length
