/** A fixture program as a real process with real pipes. */
import { Deferred, Effect, Queue } from "effect"
import { spawn } from "node:child_process"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"

/** How a process ended: one of the two is null. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Starts `fixtures/<name>.ts`. Its input stays open unless the test ends it; leaving the Scope kills what still runs. */
export const start = Effect.fnUntraced(function* (name: string, ...args: ReadonlyArray<string>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url)), ...args])
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )
  const exited = yield* Deferred.make<Ending>()
  child.once("exit", (code, signal) => Deferred.doneUnsafe(exited, Effect.succeed({ code, signal })))
  const closed = yield* Deferred.make<void>()
  child.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
  // A program that has gone leaves its input broken; the test then sees how it ended.
  child.stdin.on("error", () => undefined)
  return { child, exited: Deferred.await(exited), closed: Deferred.await(closed) }
})

export type Program = Effect.Success<ReturnType<typeof start>>

/** The program's lines of output, as they come. */
export const linesOf = Effect.fnUntraced(function* ({ child }: Program) {
  const lines = yield* Queue.unbounded<string>()
  Readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  return lines
})

/** Everything the program writes until it ends, and how it ends. */
export const outcomeOf = Effect.fnUntraced(function* (program: Program) {
  let [stdout, stderr] = ["", ""]
  program.child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  program.child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  yield* program.closed
  return { stdout, stderr, ...(yield* program.exited) }
})
