/**
 * Runs a program as this process. SIGINT or SIGTERM interrupts it and its finalizers finish; a second signal, or a
 * shutdown that takes too long, ends the process at once.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { dual } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as Os from "node:os"
import { exitAfter, exitWith } from "./internal/shutdown.ts"

/** Ends on its own before `docker stop` kills, which it does after 10 seconds. */
export const defaultShutdownTimeout: Duration.Input = "8 seconds"

/** Shells report a process that a signal ended as this number plus the signal's own. */
const SIGNAL_EXIT_CODE_BASE = 128

/** What a host may change about the way its program ends. */
export interface Options {
  /** Keeps a failure from being logged; the exit code still tells it. */
  readonly disableErrorReporting?: boolean | undefined
  /** Turns the program's Exit into an exit code. Interruption is 130 by default, a failure 1 unless it names its own. */
  readonly teardown?: Runtime.Teardown | undefined
  /**
   * How long finalizers and teardown may take after a signal, and pending output after the end. `"Infinity"` waits for
   * ever.
   */
  readonly shutdownTimeout?: Duration.Input | undefined
}

/**
 * The exit code tells the program's Exit. After a success without a signal the process ends by itself, when nothing
 * else keeps it alive; otherwise it exits as soon as its output is written.
 */
export const runMain: {
  (options?: Options): <E, A>(effect: Effect.Effect<A, E>) => void
  <E, A>(effect: Effect.Effect<A, E>, options?: Options): void
} = dual(
  (args) => Effect.isEffect(args[0]),
  <E, A>(effect: Effect.Effect<A, E>, options?: Options): void => {
    const timeout = Duration.fromInputUnsafe(options?.shutdownTimeout ?? defaultShutdownTimeout)
    Runtime.makeRunMain(({ fiber, teardown }) => supervise(fiber, teardown, timeout))(effect, options)
  }
)

const supervise = <A, E>(fiber: Fiber.Fiber<A, E>, teardown: Runtime.Teardown, timeout: Duration.Duration): void => {
  let stopping = false
  const stop = () => {
    stopping = true
    exitAfter(timeout)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(SIGNAL_EXIT_CODE_BASE + Os.constants.signals[signal])
    stop()
    fiber.interruptUnsafe(fiber.id)
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  fiber.addObserver((exit) =>
    teardown(exit, (code) => {
      if (code === 0 && !stopping) return process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
      if (!stopping) stop()
      return exitWith(code)
    })
  )
}
