/**
 * Effect's `ChildProcessSpawner` on `node:child_process`, for programs that run commands inside a Scope.
 *
 * A child leads its own process group. Leaving the Scope, also by interruption, sends `killSignal` to the whole group,
 * SIGKILL after `forceKillAfter`, and returns when no member runs any more. `unref` gives a child up: it then outlives
 * its Scope, which only closes the pipes to it.
 *
 * - `forceKillAfter` defaults to three seconds, where Effect's default is never.
 * - A child that a signal ended has no exit code: `exitCode` fails with a `PlatformError` whose `reason.cause` is a
 *   `SignalError`.
 * - When the stream that feeds a descriptor fails, the child is ended and `exitCode` fails with that error, so that
 *   truncated input never passes for complete input.
 * - Output waits in the pipe until it is read, also after the child has exited; the child blocks meanwhile. A reader
 *   may stop and another may go on where it stopped. Only leaving the Scope closes the pipe.
 * - In a pipeline `stdin` is the first command's, `kill` and `unref` reach all of them, the rest is the last one's.
 *   Output that no pipe carries is discarded, and a command whose reader has gone is told so by SIGPIPE, as in a shell.
 *
 * Limits: a descendant that leaves the group (`setsid`, a shell with job control) is not ended. With `detached: false`,
 * and on Windows always, only the child itself is. A member that runs under another user is not ours to signal.
 * Elsewhere than on Linux a member that nobody reaped counts as running until `forceKillAfter`.
 */
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { spawn } from "./internal/processPipeline.ts"

export { SignalError } from "./internal/processExit.ts"

/** Needs no other service, and holds no resource of its own: every child belongs to the Scope that spawned it. */
export const layer: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner> = Layer.sync(
  ChildProcessSpawner.ChildProcessSpawner,
  () => ChildProcessSpawner.make(spawn)
)
