/** How a command ends when it does not succeed: a sentence for the person, what to do, and a number for scripts. */
import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

/** What the numbers mean is documented in the package's README. */
export const exitCodes = {
  /** A tool ran, and said that it could not do it. */
  failed: 1,
  /** The command line, the configuration or the project is at fault, and nothing was done. */
  usage: 2,
  /** The call was rejected before its tool ran. */
  rejected: 3,
  /** A store, a disk or another part of ours failed. */
  operational: 4
} as const

/** A sentence, and below it what to do about it. */
export interface Told {
  readonly message: string
  readonly fix?: string
}

/** For the person at the terminal to mend. */
export class UsageError extends Data.TaggedError("cli.UsageError")<Told> {
  override readonly [Runtime.errorExitCode] = exitCodes.usage
}

/** Not the person's fault. */
export class OperationalError extends Data.TaggedError("cli.OperationalError")<Told> {
  override readonly [Runtime.errorExitCode] = exitCodes.operational
}

/** What went wrong has been printed, as the result that was asked for. */
export class ReportedError extends Data.TaggedError("cli.ReportedError")<{ readonly exitCode: number }> {
  override readonly [Runtime.errorExitCode]: number = this.exitCode
  override readonly [Runtime.errorReported] = false
}
