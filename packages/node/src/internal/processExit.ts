/** How a child ended, as the caller of `exitCode` sees it. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"

/** What Node reports: exactly one of the two is present. */
export interface Exited {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The `cause` of the `PlatformError` with which `exitCode` fails when a signal ended the child. */
export class SignalError extends Data.TaggedError("NodeChildProcessSpawner.SignalError")<{
  readonly signal: NodeJS.Signals
}> {
  override get message(): string {
    return `ended by ${this.signal}`
  }
}

export const toExitCode = (
  command: string,
  { code, signal }: Exited
): Effect.Effect<ChildProcessSpawner.ExitCode, PlatformError.PlatformError> =>
  signal === null ? Effect.succeed(ChildProcessSpawner.ExitCode(code ?? 0)) : Effect.fail(endedBy(command, signal))

const endedBy = (command: string, signal: NodeJS.Signals) => {
  const cause = new SignalError({ signal })
  return PlatformError.systemError({
    _tag: "Unknown",
    module: "ChildProcess",
    method: "exitCode",
    pathOrDescriptor: command,
    description: cause.message,
    cause
  })
}
