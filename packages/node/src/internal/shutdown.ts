/** The last moments of the process: native timers, because Effect's clock may be a test's and its fibers may hang. */
import * as Duration from "effect/Duration"
import { constVoid } from "effect/Function"
import type { Writable } from "node:stream"

/** What `timeout(1)` answers for a command that ran out of time. */
const TIMED_OUT_EXIT_CODE = 124

/** Node fires a longer timer at once; a limit above these 24 days is none. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1

/** Ends the process after `timeout`, whatever it still waits for. */
export const exitAfter = (timeout: Duration.Duration): void => {
  if (Duration.toMillis(timeout) > MAX_TIMER_MILLIS) return
  setTimeout(() => {
    process.stderr.write(`Shutdown took longer than ${Duration.format(timeout)}; exiting.\n`)
    process.exit(TIMED_OUT_EXIT_CODE)
  }, Duration.toMillis(timeout))
}

/** Ends the process once everything written has left it; `process.exit` alone cuts off what a pipe has not taken yet. */
export const exitWith = (code: number): void =>
  flush(process.stdout, () => flush(process.stderr, () => process.exit(code)))

const flush = (writable: Writable, done: () => void): void => {
  if (writable.writableLength === 0) return done()
  writable.on("error", constVoid).write("", done)
}
