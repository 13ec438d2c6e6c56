/** The `haft` command with everything it can do, for a process or a test to run. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Runtime from "effect/Runtime"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import { approvals } from "./internal/approvalsCommand.ts"
import { call } from "./internal/callCommand.ts"
import { demo } from "./internal/demoCommand.ts"
import { doctor } from "./internal/doctorCommand.ts"
import { exitCodes, type OperationalError, ReportedError, type UsageError } from "./internal/faults.ts"
import { haft } from "./internal/haft.ts"
import { init } from "./internal/initCommand.ts"
import { log } from "./internal/logCommand.ts"
import { manifest } from "./internal/manifestCommand.ts"
import { output } from "./internal/outputCommand.ts"
import { plugins } from "./internal/pluginsCommand.ts"
import { presenter } from "./internal/presenter.ts"
import { run as runSession } from "./internal/runCommand.ts"
import { serve } from "./internal/serveCommand.ts"
import { tools } from "./internal/toolsCommand.ts"
import { version } from "./internal/version.ts"

const command = Command.withSubcommands(haft, [
  runSession,
  serve,
  tools,
  call,
  manifest,
  approvals,
  log,
  output,
  plugins,
  init,
  doctor,
  demo
])

/** Runs a command line. When it fails, everything has been printed, and the failure names the exit code. */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(command, { version })(args).pipe(
    Effect.catchTags({
      ShowHelp: afterHelp,
      "cli.UsageError": tell(args.includes("--json")),
      "cli.OperationalError": tell(args.includes("--json"))
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    // Standard output is for answers, and where a client is served, for the protocol.
    Effect.provideService(References.LogToStderr, true)
  )

/** Either help was asked for, or what is wrong with the command line has been printed. */
const afterHelp = ({ errors }: CliError.ShowHelp): Effect.Effect<void, ReportedError> =>
  errors.length === 0 ? Effect.void : Effect.fail(new ReportedError({ exitCode: exitCodes.usage }))

const tell =
  (json: boolean) =>
  ({ fix, message, [Runtime.errorExitCode]: exitCode }: UsageError | OperationalError) =>
    Console.error(json ? JSON.stringify({ message, fix, exitCode }) : [message, fix].filter(Boolean).join("\n")).pipe(
      Effect.andThen(Effect.fail(new ReportedError({ exitCode })))
    )
